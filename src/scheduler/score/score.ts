/** The interface of a score. Pure. */
import type { Cluster } from '../cluster/cluster.ts';
import type { NodeInfo } from '../cluster/node-info.ts';
import type { PodInfo } from '../cluster/pod-info.ts';

/** The highest value of one score. */
export const MAX_SCORE = 100;

/** A score 0 to 100 for each candidate, in their order; `undefined`: the score does not concern this pod. */
export type Score = (pod: PodInfo, candidates: readonly NodeInfo[], cluster: Cluster) => readonly number[] | undefined;

/** Scales so that the highest becomes 100, or 0 when less is better. */
export function normalize(scores: readonly number[], lessIsBetter = false): readonly number[] {
  const most = Math.max(0, ...scores);
  return scores.map((score) => {
    const scaled = most === 0 ? 0 : Math.trunc((MAX_SCORE * score) / most);
    return lessIsBetter ? MAX_SCORE - scaled : scaled;
  });
}
