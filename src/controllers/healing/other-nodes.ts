/**
 * Whether another node might take a pod. Roughly, so that nobody is evicted for nothing: whether there is room is for the
 * scheduler to say. Pure.
 */
import {
  isConditionTrue,
  type Node,
  nameOf,
  nodeSelectorMatches,
  type Pod,
  type Taint,
  toleratesTaint,
} from '../../api/index.ts';

const UNSCHEDULABLE: Taint = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' };

/** Undefined: one may. Else why none does, in words. */
export function whyNowhereElse(pod: Pod, nodes: readonly Node[], avoided: ReadonlySet<string>): string | undefined {
  const others = nodes.filter((node) => nameOf(node) !== pod.spec?.nodeName);
  if (others.length === 0) return 'there is no other node';
  const counts = new Map<string, number>();
  for (const node of others) {
    const obstacle = obstacleOf(pod, node, avoided);
    if (obstacle === undefined) return undefined;
    counts.set(obstacle, (counts.get(obstacle) ?? 0) + 1);
  }
  const told = [...counts].map(([obstacle, count]) => `${count} ${obstacle}`).toSorted();
  return `no other node takes it: ${told.join(', ')}`;
}

function obstacleOf(pod: Pod, node: Node, avoided: ReadonlySet<string>): string | undefined {
  if (avoided.has(nameOf(node))) return 'to be avoided, since it died there, too';
  if (!isConditionTrue(node.status?.conditions, 'Ready')) return 'not ready';
  if (node.spec?.unschedulable === true && !toleratesTaint(pod, UNSCHEDULABLE)) return 'cordoned';
  const hard = (node.spec?.taints ?? []).filter(({ effect }) => effect === 'NoSchedule' || effect === 'NoExecute');
  if (hard.some((taint) => taint.key !== UNSCHEDULABLE.key && !toleratesTaint(pod, taint)))
    return 'with a taint that it does not tolerate';
  return nodeSelectorMatches(pod, node) ? undefined : 'not matching its node selector or affinity';
}
