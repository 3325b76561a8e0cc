/**
 * Decides which pods a running job creates or gives up: never both at once, and giving up goes first. Pure. Upstream:
 * manageJob.
 */
import { firstFreeJobIndexes, type JobIndexes, jobIndexesOf, mergeJobIndexes, type Pod } from '../../api/index.ts';
import type { Now } from '../../lib/index.ts';
import { podsToDelete } from '../replicaset/pods-to-delete.ts';
import { remainingBackOffMs, remainingBackOffOfIndexMs } from './back-off.ts';
import type { JobMemory } from './job-memory.ts';
import { indexOfPod, waitsForEnds } from './job-pods.ts';
import type { JobTally } from './job-tally.ts';
import { MAX_POD_CHANGES } from './limits.ts';
import { podOfIndex, podOfJob } from './pod-of-job.ts';

export interface PodChanges {
  readonly create: readonly Pod[];
  /** Let go of, so that they count for nothing, and deleted. */
  readonly giveUp: readonly Pod[];
  /** When a creation that waits is due, ms. */
  readonly wakeAfterMs?: number;
}

const NOTHING: PodChanges = { create: [], giveUp: [] };

export function planJobPods(tally: JobTally, memory: JobMemory, now: Now): PodChanges {
  const { spec, active, terminating } = tally;
  if (spec.suspend === true) return { create: [], giveUp: active };
  const wanted = wantedActive(tally);
  const giveUp = tooMany(tally, Math.max(0, active.length - wanted), now.wall).slice(0, MAX_POD_CHANGES);
  if (giveUp.length > 0) return { create: [], giveUp };
  const missing = wanted - active.length - (waitsForEnds(spec) ? terminating.length : 0);
  if (missing <= 0) return NOTHING;
  const count = Math.min(missing, MAX_POD_CHANGES);
  if (tally.failedIndexes !== undefined) return createIndexes(tally, memory, now.mono, count);
  const waitMs = remainingBackOffMs(memory, now.mono);
  if (waitMs > 0) return { ...NOTHING, wakeAfterMs: waitMs };
  if (!tally.indexed) return { create: Array.from({ length: count }, () => podOfJob(tally.job)), giveUp: [] };
  const indexes = firstFreeJobIndexes(takenIndexes(tally), count, spec.completions ?? 0);
  return { create: indexes.map((index) => podOfIndex(tally.job, index, undefined)), giveUp: [] };
}

function wantedActive({ spec, active, succeeded }: JobTally): number {
  const { parallelism = 0, completions } = spec;
  // Without a number of completions one success means that the work is done, and no more pods begin.
  if (completions === undefined) return succeeded > 0 ? active.length : parallelism;
  return Math.max(0, Math.min(parallelism, completions - succeeded));
}

/** Each index at its own pace: one that waits keeps no other waiting. */
function createIndexes(tally: JobTally, memory: JobMemory, mono: number, count: number): PodChanges {
  const { spec, held, job } = tally;
  const create: Pod[] = [];
  let wakeAfterMs = Number.POSITIVE_INFINITY;
  for (const index of firstFreeJobIndexes(takenIndexes(tally), count + held.size, spec.completions ?? 0)) {
    if (create.length === count) break;
    const replaced = held.get(index);
    const waitMs = replaced === undefined ? 0 : remainingBackOffOfIndexMs(memory, replaced, mono);
    if (waitMs > 0) wakeAfterMs = Math.min(wakeAfterMs, waitMs);
    else create.push(podOfIndex(job, index, replaced));
  }
  return { create, giveUp: [], ...(Number.isFinite(wakeAfterMs) ? { wakeAfterMs } : {}) };
}

function takenIndexes({ spec, active, terminating, succeededIndexes, failedIndexes = [] }: JobTally): JobIndexes {
  const there = waitsForEnds(spec) ? [...active, ...terminating] : active;
  const taken = jobIndexesOf(there.flatMap((pod) => indexOfPod(pod) ?? []));
  return mergeJobIndexes(mergeJobIndexes(taken, succeededIndexes), failedIndexes);
}

/** At least `atLeast` pods; of an indexed job also those that no index needs. */
function tooMany(tally: JobTally, atLeast: number, wall: number): readonly Pod[] {
  const { active, indexed, spec } = tally;
  if (!indexed) return podsToDelete(active, [], atLeast, wall);
  const useless: Pod[] = [];
  const needed: Pod[] = [];
  const byIndex = Map.groupBy(active, (pod) => indexOfPod(pod, spec.completions));
  for (const [index, pods] of byIndex) {
    const surplus = index === undefined ? pods : podsToDelete(pods, [], pods.length - 1, wall);
    useless.push(...surplus);
    needed.push(...pods.filter((pod) => !surplus.includes(pod)));
  }
  return [...useless, ...podsToDelete(needed, [], Math.max(0, atLeast - useless.length), wall)];
}
