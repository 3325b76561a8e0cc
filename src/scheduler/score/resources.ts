/** Scores: the free share of a node with the pod, and the balance between cpu and memory. */
import type { NodeInfo } from '../cluster/node-info.ts';
import type { PodInfo } from '../cluster/pod-info.ts';
import { MAX_SCORE, type Score } from './score.ts';

/** The mean of the shares of cpu and memory that would stay free. */
export const leastAllocated: Score = (pod, candidates) => candidates.map((info) => freeShare(pod, info));

function freeShare(pod: PodInfo, { allocatable, scoredCpu, scoredMemory }: NodeInfo): number {
  let sum = 0;
  let counted = 0;
  const add = (all: number, used: number): void => {
    if (all <= 0) return;
    counted += 1;
    if (used <= all) sum += Math.trunc(((all - used) * MAX_SCORE) / all);
  };
  add(allocatable['cpu'] ?? 0, scoredCpu + pod.scoredCpu);
  add(allocatable['memory'] ?? 0, scoredMemory + pod.scoredMemory);
  return counted === 0 ? 0 : Math.trunc(sum / counted);
}

/**
 * 100 when the used shares of cpu and memory are equal, less by half their difference. A pod without such requests is not
 * scored.
 */
export const balancedAllocation: Score = ({ amounts }, candidates) => {
  const cpu = amounts['cpu'] ?? 0;
  const memory = amounts['memory'] ?? 0;
  if (cpu === 0 && memory === 0) return undefined;
  return candidates.map(({ allocatable, requested }) => {
    const shares = [share('cpu', cpu), share('memory', memory)].filter((each) => each !== undefined);
    const [a = 0, b = 0] = shares;
    return shares.length < 2 ? MAX_SCORE : Math.trunc((1 - Math.abs(a - b) / 2) * MAX_SCORE);

    function share(name: string, wanted: number): number | undefined {
      const all = allocatable[name] ?? 0;
      return all === 0 ? undefined : Math.min(1, ((requested[name] ?? 0) + wanted) / all);
    }
  });
};
