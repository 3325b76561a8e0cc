/** How well a node that fits would do, 0 to 100 per score, weighed as upstream does. Pure. */
import { nodeSelectorTermMatches, type Pod, toleratesTaint } from '../../api/index.ts';
import { type NodeInfo, nonZeroAmounts, podAmounts } from '../node-info.ts';

const BALANCED_WEIGHT = 1;
const LEAST_ALLOCATED_WEIGHT = 1;
const TAINT_WEIGHT = 3;
const AFFINITY_WEIGHT = 2;
const SCORED = ['cpu', 'memory'] as const;

/** Scores of all candidates, in their order; the soft preferences are scaled among the candidates. */
export function scoreNodes(pod: Pod, candidates: readonly NodeInfo[]): readonly number[] {
  const wants = candidates.map((info) => preferredAffinity(pod, info));
  const dislikes = candidates.map((info) => softTaints(pod, info));
  const mostWanted = Math.max(0, ...wants);
  const mostDisliked = Math.max(0, ...dislikes);
  return candidates.map((info, i) => {
    const affinity = mostWanted === 0 ? 0 : (100 * (wants[i] ?? 0)) / mostWanted;
    const taints = mostDisliked === 0 ? 100 : 100 - (100 * (dislikes[i] ?? 0)) / mostDisliked;
    return (
      LEAST_ALLOCATED_WEIGHT * leastAllocated(pod, info) +
      BALANCED_WEIGHT * balancedAllocation(pod, info) +
      AFFINITY_WEIGHT * affinity +
      TAINT_WEIGHT * taints
    );
  });
}

/** The mean of the shares that would stay free. */
export function leastAllocated(pod: Pod, { allocatable, requestedNonZero }: NodeInfo): number {
  const wanted = nonZeroAmounts(podAmounts(pod));
  const shares = SCORED.filter((name) => (allocatable[name] ?? 0) > 0).map((name) => {
    const all = allocatable[name] ?? 0;
    const used = (requestedNonZero[name] ?? 0) + (wanted[name] ?? 0);
    return used > all ? 0 : ((all - used) * 100) / all;
  });
  return shares.length === 0 ? 0 : shares.reduce((sum, share) => sum + share, 0) / shares.length;
}

/** 100 when cpu and memory would be used by the same share; less by half their difference. */
export function balancedAllocation(pod: Pod, { allocatable, requested }: NodeInfo): number {
  const wanted = podAmounts(pod);
  const [cpu = 0, memory = 0] = SCORED.map((name) => {
    const all = allocatable[name] ?? 0;
    return all === 0 ? 1 : Math.min(1, ((requested[name] ?? 0) + (wanted[name] ?? 0)) / all);
  });
  return (1 - Math.abs(cpu - memory) / 2) * 100;
}

function preferredAffinity(pod: Pod, { node }: NodeInfo): number {
  const terms = pod.spec?.affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  return terms.reduce(
    (sum, { preference, weight }) => sum + (nodeSelectorTermMatches(preference, node) ? weight : 0),
    0,
  );
}

function softTaints(pod: Pod, { node }: NodeInfo): number {
  return (node.spec?.taints ?? []).filter((taint) => taint.effect === 'PreferNoSchedule' && !toleratesTaint(pod, taint))
    .length;
}
