/**
 * Pods that fail soon after their creation (the node rejects or evicts them) are replaced ever more slowly: otherwise a set
 * that no node wants fills the cluster with failed pods as fast as it can write. Upstream has nothing like it for replica
 * sets. Pure; the state is a set's own and lives in memory: after a restart the first replacement is free again.
 *
 *   a pod fails soon ─► replaced at once
 *   again            ─► after 1 s, then 2 s, 4 s … 5 min, and at most BATCH pods each time
 *   a pod that was created later becomes ready, or nothing failed for 10 min ─► all is forgotten
 */
import { nameOf, type Pod, uidOf } from '../../api/index.ts';
import { exponentialDelay, type Now, parseTime } from '../../lib/index.ts';
import { FAILED_POD_BACK_OFF, FAILED_POD_BATCH, FAILED_POD_FORGET_MS, FAILED_POD_SOON_MS } from './limits.ts';
import { isPodReady } from '../pods/pod-state.ts';

export interface FailedPodBackOff {
  /** Rounds of early failures, one after another. */
  readonly failures: number;
  /** UIDs of the failed pods that have been looked at. */
  readonly seen: ReadonlySet<string>;
  /** The youngest pod that failed early. */
  readonly newest: Pod | undefined;
  /** Mono ms of the last early failure. */
  readonly lastAt: number;
  /** Mono ms: until then no pod is created, and failures are of the same round. */
  readonly until: number;
  /** Mono ms: until then it is shown what becomes of the pods that were created last. */
  readonly pacedUntil: number;
}

export const NO_BACK_OFF: FailedPodBackOff = {
  failures: 0,
  seen: new Set(),
  newest: undefined,
  lastAt: 0,
  until: 0,
  pacedUntil: 0,
};

/**
 * Observes the pods.
 * @param failed pods of the set in phase Failed
 * @param active its pods that count
 */
export function observeFailedPods(
  before: FailedPodBackOff,
  failed: readonly Pod[],
  active: readonly Pod[],
  now: Now,
): FailedPodBackOff {
  const early = failed.filter((pod) => !before.seen.has(uidOf(pod)) && now.wall - createdAt(pod) <= FAILED_POD_SOON_MS);
  const state = { ...(isOver(before, active, now) ? NO_BACK_OFF : before), seen: new Set(failed.map(uidOf)) };
  if (early.length === 0) return state;
  const newest = [...(state.newest === undefined ? [] : [state.newest]), ...early].reduce(younger);
  // Those that were created together fail one after another: all are of one round.
  if (state.failures > 0 && now.mono < state.until) return { ...state, newest, lastAt: now.mono };
  const failures = state.failures + 1;
  return { ...state, failures, newest, lastAt: now.mono, until: now.mono + delayMs(failures) };
}

/** How many of the missing pods may be created now, and when to look again where that is not all. */
export function allowCreation(
  { failures, until, pacedUntil }: FailedPodBackOff,
  missing: number,
  now: Now,
): { readonly count: number; readonly waitMs?: number } {
  if (failures < 2) return { count: missing };
  const from = Math.max(until, pacedUntil);
  if (now.mono < from) return { count: 0, waitMs: from - now.mono };
  if (missing <= FAILED_POD_BATCH) return { count: missing };
  return { count: FAILED_POD_BATCH, waitMs: delayMs(failures) };
}

/** After pods were created: the next ones wait for what becomes of these. */
export function afterCreation(state: FailedPodBackOff, now: Now): FailedPodBackOff {
  return state.failures < 2 ? state : { ...state, pacedUntil: now.mono + delayMs(state.failures) };
}

/** For an event; undefined while replacements are free. */
export function describeBackOff({ failures, newest, until }: FailedPodBackOff, now: Now): string | undefined {
  if (failures < 2 || newest === undefined) return undefined;
  const { reason = 'Failed', message = '' } = newest.status ?? {};
  const why = message === '' ? reason : `${reason}: ${message}`;
  const seconds = Math.ceil((until - now.mono) / 1000);
  return `Back-off creating pods for ${seconds}s: new pods failed soon after their creation ${failures} times in a row, last ${nameOf(newest)} (${why})`;
}

function isOver({ failures, newest, lastAt }: FailedPodBackOff, active: readonly Pod[], now: Now): boolean {
  if (failures === 0 || newest === undefined) return false;
  if (now.mono - lastAt > FAILED_POD_FORGET_MS) return true;
  const since = createdAt(newest);
  return active.some((pod) => isPodReady(pod) && createdAt(pod) > since);
}

function delayMs(failures: number): number {
  return failures < 2 ? 0 : exponentialDelay(FAILED_POD_BACK_OFF, failures - 1);
}

function createdAt({ metadata }: Pod): number {
  return parseTime(metadata?.creationTimestamp) ?? 0;
}

function younger(a: Pod, b: Pod): Pod {
  return createdAt(b) > createdAt(a) ? b : a;
}
