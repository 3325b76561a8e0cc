/** Sums all scores of the nodes that fit, with upstream's weights. Pure. */
import type { Cluster } from '../cluster/cluster.ts';
import type { NodeInfo } from '../cluster/node-info.ts';
import type { PodInfo } from '../cluster/pod-info.ts';
import { imageLocality } from './image-locality.ts';
import { preferredPodAffinity } from './inter-pod-affinity.ts';
import { preferredNodeAffinity, softTaints } from './preferences.ts';
import { balancedAllocation, leastAllocated } from './resources.ts';
import type { Score } from './score.ts';
import { topologySpread } from './topology-spread.ts';

const SCORES: readonly { readonly score: Score; readonly weight: number }[] = [
  { score: softTaints, weight: 3 },
  { score: preferredNodeAffinity, weight: 2 },
  { score: leastAllocated, weight: 1 },
  { score: topologySpread, weight: 2 },
  { score: preferredPodAffinity, weight: 2 },
  { score: balancedAllocation, weight: 1 },
  { score: imageLocality, weight: 1 },
];

/** Sums for all candidates, in their order. */
export function scoreNodes(pod: PodInfo, candidates: readonly NodeInfo[], cluster: Cluster): readonly number[] {
  const sums = candidates.map(() => 0);
  for (const { score, weight } of SCORES) {
    const scores = score(pod, candidates, cluster);
    scores?.forEach((each, i) => {
      sums[i] = (sums[i] ?? 0) + weight * each;
    });
  }
  return sums;
}
