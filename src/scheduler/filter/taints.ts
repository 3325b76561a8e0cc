/** Filters: taints that the pod does not tolerate, and cordoned nodes. Pure. */
import { type Node, type Pod, type Taint, toleratesTaint } from '../../api/index.ts';
import { type Filter, unresolvable } from './filter.ts';

const UNSCHEDULABLE_TAINT: Taint = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' };

/** A cordoned node takes only pods that tolerate it. */
export const nodeUnschedulable: Filter = {
  name: 'NodeUnschedulable',
  prepare({ pod }) {
    if (toleratesTaint(pod, UNSCHEDULABLE_TAINT)) return undefined;
    const misfit = unresolvable('NodeUnschedulable', 'node(s) were unschedulable');
    return { check: ({ node }) => (node?.spec?.unschedulable === true ? misfit : undefined) };
  },
};

/** Every NoSchedule and NoExecute taint must be tolerated. The message names no taint: since 1.34 they count as private. */
export const taintToleration: Filter = {
  name: 'TaintToleration',
  prepare({ pod }) {
    const misfit = unresolvable('TaintToleration', 'node(s) had untolerated taint(s)');
    return { check: ({ node }) => (node === undefined || toleratesHardTaints(pod, node) ? undefined : misfit) };
  },
};

export function toleratesHardTaints(pod: Pod, node: Node): boolean {
  return (node.spec?.taints ?? []).every(
    (taint) => (taint.effect !== 'NoSchedule' && taint.effect !== 'NoExecute') || toleratesTaint(pod, taint),
  );
}
