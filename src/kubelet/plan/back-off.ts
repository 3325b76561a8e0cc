/**
 * CrashLoopBackOff: 0, 10, 20, 40, 80, 160, 300 s, measured from the exit (upstream: doBackOff, flowcontrol.Backoff with
 * HasExpiredFunc). An entry comes into being with the first restart, which is free; it holds the delay of the next one.
 */
import { type Container, MAX_BACK_OFF_MS, type Pod } from '../../api/index.ts';
import { CRASH_BACK_OFF_CAP_MS, CRASH_BACK_OFF_INITIAL_MS, CRASH_BACK_OFF_RESET_MS } from './limits.ts';
import type { BackOffState } from './pod-memory.ts';
import { fnv1a64 } from '../../lib/index.ts';

/** The exit and the last decision, in mono ms. */
export interface BackOffQuestion {
  readonly key: string;
  readonly state: BackOffState | undefined;
  readonly lastUpdateMono: number;
  readonly exitMono: number;
  readonly now: { readonly wall: number; readonly mono: number };
  /** Longest delay, ms: crashLoopBackOff.maxContainerRestartPeriod. One below the first delay shortens that, too. */
  readonly capMs?: number;
}

/** `delayMs` is the delay from the exit, as in the waiting message, whether it is over or not. */
export type BackOffAnswer =
  | {
      readonly restart: true;
      readonly delayMs: number;
      /** To be written down with the restart. */
      readonly state: BackOffState;
    }
  /** Not before `until` (mono ms). */
  | { readonly restart: false; readonly delayMs: number; readonly until: number };

/** May the container that exited be started now? No wait is longer than its nominal length. */
export function crashLoopBackOff(question: BackOffQuestion): BackOffAnswer {
  const { key, state, lastUpdateMono, exitMono, now, capMs = CRASH_BACK_OFF_CAP_MS } = question;
  const exit = Math.min(exitMono, now.mono);
  const expired = state === undefined || state.key !== key || exit - lastUpdateMono > CRASH_BACK_OFF_RESET_MS;
  const first = Math.min(CRASH_BACK_OFF_INITIAL_MS, capMs);
  if (expired) return { restart: true, delayMs: 0, state: { key, delayMs: first, lastUpdate: now.wall } };
  // Noted under another cap.
  const delayMs = Math.min(state.delayMs, capMs);
  const until = exit + delayMs;
  if (now.mono < until) return { restart: false, until, delayMs };
  return { restart: true, delayMs, state: { key, delayMs: Math.min(delayMs * 2, capMs), lastUpdate: now.wall } };
}

/**
 * The key of a curve: pod, container, image and resources; a change of any of them starts a fresh curve (upstream:
 * GetBackoffKey).
 */
export function backOffKey(pod: Pod, container: Container): string {
  const { name, namespace, uid } = pod.metadata ?? {};
  return fnv1a64(JSON.stringify([namespace, name, uid, container.name, container.image, container.resources ?? {}]));
}

/** Another policy is another curve. */
export function policyBackOffKey(key: string, policyHash: string): string {
  return `${key}/${policyHash}`;
}

/** The delay in force after `restarts` restarts without a reset: the most that the API status alone allows to conclude. */
export function nominalDelayMs(restarts: number): number {
  if (restarts <= 0) return 0;
  return Math.min(CRASH_BACK_OFF_INITIAL_MS * 2 ** Math.min(restarts - 1, 16), CRASH_BACK_OFF_CAP_MS);
}

/** As the annotation on a container; `lastUpdate` in wall ms. */
export function formatBackOff(state: BackOffState): string {
  const { key, delayMs, lastUpdate, restarts } = state;
  return JSON.stringify({ key, delayMs, lastUpdate, restarts });
}

/** `undefined` for a missing or malformed annotation: then memory decides. */
export function parseBackOff(text: string | undefined): BackOffState | undefined {
  if (text === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null) return undefined;
    const { key, delayMs, lastUpdate, restarts } = value as Record<string, unknown>;
    if (typeof key !== 'string' || typeof delayMs !== 'number' || typeof lastUpdate !== 'number') return undefined;
    if (!(delayMs >= 0) || !Number.isFinite(lastUpdate)) return undefined;
    if (typeof restarts === 'number') return onOwnCurve({ key, delayMs, lastUpdate, restarts });
    return delayMs > CRASH_BACK_OFF_CAP_MS ? undefined : { key, delayMs, lastUpdate };
  } catch {
    return undefined;
  }
}

function onOwnCurve(state: BackOffState & { readonly restarts: number }): BackOffState | undefined {
  return Number.isSafeInteger(state.restarts) && state.restarts >= 0 && state.delayMs <= MAX_BACK_OFF_MS
    ? state
    : undefined;
}

/** As Go writes a duration of whole seconds: "10s", "1m20s", "5m0s". */
export function formatDelay(delayMs: number): string {
  const seconds = Math.round(delayMs / 1000);
  return seconds < 60 ? `${seconds}s` : `${Math.floor(seconds / 60)}m${seconds % 60}s`;
}
