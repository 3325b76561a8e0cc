/** Parses topology spread constraints. Pure. */
import {
  formatLabelSelector,
  matchesLabels,
  nodeSelectorMatches,
  type ParsedLabelSelector,
  type Pod,
  type TopologySpreadConstraint,
} from '../../api/index.ts';
import { readSelector } from '../cluster/affinity-term.ts';
import type { NodeInfo } from '../cluster/node-info.ts';
import type { PodInfo } from '../cluster/pod-info.ts';
import { toleratesHardTaints } from './taints.ts';

export interface SpreadConstraint {
  readonly topologyKey: string;
  readonly maxSkew: number;
  readonly minDomains: number;
  /** Undefined: no pod matches. */
  readonly selector: ParsedLabelSelector | undefined;
  /** The selector's name among the counts of a node. */
  readonly selectorText: string;
  readonly honorAffinity: boolean;
  readonly honorTaints: boolean;
}

export type WhenUnsatisfiable = 'DoNotSchedule' | 'ScheduleAnyway';

export function spreadConstraintsOf(pod: Pod, when: WhenUnsatisfiable): readonly SpreadConstraint[] {
  return (pod.spec?.topologySpreadConstraints ?? [])
    .filter(({ whenUnsatisfiable }) => whenUnsatisfiable === when)
    .map((constraint) => readConstraint(constraint));
}

function readConstraint(constraint: TopologySpreadConstraint): SpreadConstraint {
  const { topologyKey, maxSkew, minDomains = 1, labelSelector, nodeAffinityPolicy, nodeTaintsPolicy } = constraint;
  const selector = readSelector(labelSelector);
  return {
    topologyKey,
    maxSkew,
    minDomains,
    selector,
    selectorText: selector === undefined ? '' : formatLabelSelector(selector),
    honorAffinity: (nodeAffinityPolicy ?? 'Honor') === 'Honor',
    honorTaints: nodeTaintsPolicy === 'Honor',
  };
}

/** Whether pods on this node count for the constraint. */
export function counts(constraint: SpreadConstraint, pod: PodInfo, { node }: NodeInfo): boolean {
  if (node === undefined) return false;
  if (constraint.honorAffinity && !nodeSelectorMatches(pod.pod, node)) return false;
  return !constraint.honorTaints || toleratesHardTaints(pod.pod, node);
}

export function matching(constraint: SpreadConstraint, namespace: string, info: NodeInfo): number {
  const { selector, selectorText } = constraint;
  return selector === undefined ? 0 : info.countMatching(namespace, selectorText, selector);
}

export function selects({ selector }: SpreadConstraint, labels: Readonly<Record<string, string>>): boolean {
  return selector !== undefined && matchesLabels(selector, labels);
}

export function hasAllKeys(constraints: readonly SpreadConstraint[], { labels }: NodeInfo): boolean {
  return constraints.every(({ topologyKey }) => labels[topologyKey] !== undefined);
}
