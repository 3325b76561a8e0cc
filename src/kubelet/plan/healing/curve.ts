/**
 * A policy's back-off curve: 0, initial, initial × factor … cap, measured from the exit; a long enough run resets it. Its
 * state is a count of restarts, so that one container may be on another curve after each exit. Pure.
 */
import type { ResolvedCurve } from '../../../api/index.ts';
import { type Now, fnv1a32 } from '../../../lib/index.ts';
import type { BackOffAnswer } from '../back-off.ts';
import { CRASH_BACK_OFF_CAP_MS, CRASH_BACK_OFF_INITIAL_MS, CRASH_BACK_OFF_RESET_MS } from '../limits.ts';
import type { BackOffState } from '../pod-memory.ts';

export interface CurveQuestion {
  readonly curve: ResolvedCurve;
  readonly key: string;
  readonly state: BackOffState | undefined;
  readonly end: ContainerEnd;
  readonly now: Now;
  /** Even a first restart waits: it costs more than a restart of the container. */
  readonly neverFree: boolean;
  /** Not less than the curve's longest delay. */
  readonly atCap?: boolean;
}

/** How the container ended. */
export interface ContainerEnd {
  /** The random part of the delay is derived from it. */
  readonly containerId: string;
  /** How long it ran, ms; absent: not known, then it was short. */
  readonly uptimeMs?: number;
  /** Mono ms. */
  readonly exitMono: number;
}

/** May the container that exited be started now? */
export function backOffOnCurve(question: CurveQuestion): BackOffAnswer {
  const { curve, key, end, now } = question;
  const exit = Math.min(end.exitMono, now.mono);
  const before = restartsBefore(question);
  const delayMs = delayFor(question, before);
  const until = exit + delayMs;
  if (now.mono < until) return { restart: false, until, delayMs };
  const restarts = before + 1;
  return {
    restart: true,
    delayMs,
    state: { key, delayMs: nominalMs(curve, restarts), lastUpdate: now.wall, restarts },
  };
}

function restartsBefore({ state, key, end, curve }: CurveQuestion): number {
  const { uptimeMs = 0 } = end;
  if (state === undefined || state.key !== key || uptimeMs >= curve.resetAfterMs) return 0;
  return state.restarts ?? 1;
}

function delayFor({ curve, neverFree, atCap, end }: CurveQuestion, before: number): number {
  const nominal = atCap === true ? curve.capMs : nominalMs(curve, neverFree ? Math.max(before, 1) : before);
  return nominal * (1 + curve.jitter * shareOf(end.containerId));
}

/** The delay after so many restarts, without its random part. */
export function nominalMs({ initialMs, factor, capMs }: ResolvedCurve, restarts: number): number {
  if (restarts <= 0) return 0;
  return Math.min(initialMs * factor ** (restarts - 1), capMs);
}

/** 0 to 1, the same at each look at one death. */
function shareOf(containerId: string): number {
  return Number.parseInt(fnv1a32(containerId), 16) / 0xffffffff;
}

/** The curve of a policy that names none: Kubernetes' own, with the node's setting. */
export function defaultCurve(maxRestartPeriodMs = CRASH_BACK_OFF_CAP_MS): ResolvedCurve {
  const initialMs = Math.min(CRASH_BACK_OFF_INITIAL_MS, maxRestartPeriodMs);
  return { initialMs, factor: 2, capMs: maxRestartPeriodMs, resetAfterMs: CRASH_BACK_OFF_RESET_MS, jitter: 0 };
}
