import { type Taint, toleratesTaint } from '../../api/index.ts';
import { type Filter, unresolvable } from './filter.ts';

const UNSCHEDULABLE_TAINT: Taint = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' };

/** A cordoned node takes only pods that tolerate it. */
export const fitsSchedulable: Filter = (pod, { node }) => {
  if (node.spec?.unschedulable !== true || toleratesTaint(pod, UNSCHEDULABLE_TAINT)) return undefined;
  return unresolvable('node(s) were unschedulable');
};

/** Every NoSchedule and NoExecute taint must be tolerated. The message names no taint: since 1.34 they count as private. */
export const fitsTaints: Filter = (pod, { node }) => {
  const hard = (node.spec?.taints ?? []).filter(({ effect }) => effect === 'NoSchedule' || effect === 'NoExecute');
  return hard.every((taint) => toleratesTaint(pod, taint))
    ? undefined
    : unresolvable('node(s) had untolerated taint(s)');
};
