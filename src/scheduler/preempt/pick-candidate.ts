/** Picks the node where preemption does the least harm. Pure. */
import type { PodInfo } from '../cluster/pod-info.ts';
import { startOf, type Victims } from './pick-victims.ts';

/** Makes every priority positive, so that the sum of few pods of a negative priority is less than that of many. */
const PRIORITY_OFFSET = 2 ** 31;

/** Costs in the order in which they decide; less is better. */
const COSTS: readonly ((victims: Victims) => number)[] = [
  ({ violations }) => violations,
  ({ pods }) => highestPriority(pods),
  ({ pods }) => pods.reduce((sum, { priority }) => sum + priority + PRIORITY_OFFSET, 0),
  ({ pods }) => pods.length,
];

export function pickCandidate(candidates: readonly Victims[]): Victims | undefined {
  let left = candidates;
  for (const cost of COSTS) {
    const costs = left.map(cost);
    const least = Math.min(...costs);
    left = left.filter((_, i) => costs[i] === least);
    if (left.length <= 1) return left[0];
  }
  // The last criterion prefers the node whose most important victims have run for the shortest time.
  const starts = left.map(({ pods }) => earliestStart(pods));
  const latest = starts.reduce((best, start) => (start > best ? start : best), '');
  return left.find((_, i) => starts[i] === latest);
}

function highestPriority(pods: readonly PodInfo[]): number {
  return pods.reduce((most, { priority }) => Math.max(most, priority), Number.NEGATIVE_INFINITY);
}

function earliestStart(pods: readonly PodInfo[]): string {
  const highest = highestPriority(pods);
  const starts = pods.filter(({ priority }) => priority === highest).map(startOf);
  return starts.reduce((earliest, start) => (start < earliest ? start : earliest), '~');
}
