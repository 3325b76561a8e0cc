/**
 * From observations to verdicts: which thresholds are crossed, which conditions the node has, and which signal must be
 * reclaimed now. Upstream: managerImpl.synchronize. Pure.
 */
import type { Observations } from './observations.ts';
import { type EvictionSignal, type Threshold, thresholdAmount } from './thresholds.ts';
import type { PressureVerdict } from '../types.ts';

export const NO_PRESSURE: PressureVerdict = { memory: false, disk: false, pid: false };

/** Mono ms throughout. */
export interface PressureState {
  /** Crossed thresholds, by key, and since when. */
  readonly metSince: Readonly<Record<string, number>>;
  /** When each condition was last true by observation. */
  readonly lastSeen: Readonly<Partial<Record<keyof PressureVerdict, number>>>;
}

export const CALM: PressureState = { metSince: {}, lastSeen: {} };

export interface PressureStep {
  readonly state: PressureState;
  readonly verdict: PressureVerdict;
  /** The threshold to reclaim for: crossed for longer than its grace; memory before disk before PIDs. */
  readonly reclaim: Threshold | undefined;
}

const CONDITION: Readonly<Record<EvictionSignal, keyof PressureVerdict>> = {
  'memory.available': 'memory',
  'nodefs.available': 'disk',
  'nodefs.inodesFree': 'disk',
  'imagefs.available': 'disk',
  'imagefs.inodesFree': 'disk',
  'containerfs.available': 'disk',
  'containerfs.inodesFree': 'disk',
  'pid.available': 'pid',
};

export function conditionOf(signal: EvictionSignal): keyof PressureVerdict {
  return CONDITION[signal];
}

/**
 * @param thresholds hard ones first
 * @param now mono ms
 * @param transitionMs pressure must be gone this long before the condition says so
 */
export function stepPressure(
  before: PressureState,
  observed: Observations,
  { thresholds, now, transitionMs }: { thresholds: readonly Threshold[]; now: number; transitionMs: number },
): PressureStep {
  const metSince: Record<string, number> = {};
  for (const threshold of thresholds) {
    const key = keyOf(threshold);
    const since = before.metSince[key];
    if (isCrossed(threshold, observed, since !== undefined)) metSince[key] = since ?? now;
  }
  const met = thresholds.filter((threshold) => metSince[keyOf(threshold)] !== undefined);
  const lastSeen = { ...before.lastSeen };
  for (const { signal } of met) lastSeen[CONDITION[signal]] = now;
  const lasts = (condition: keyof PressureVerdict): boolean => {
    const at = lastSeen[condition];
    return at !== undefined && now - at < transitionMs;
  };
  const due = met.filter((threshold) => now - (metSince[keyOf(threshold)] ?? now) >= threshold.gracePeriodMs);
  return {
    state: { metSince, lastSeen },
    verdict: {
      memory: lasts('memory') || met.some(({ signal }) => CONDITION[signal] === 'memory'),
      disk: lasts('disk') || met.some(({ signal }) => CONDITION[signal] === 'disk'),
      pid: lasts('pid') || met.some(({ signal }) => CONDITION[signal] === 'pid'),
    },
    reclaim: byUrgency(due)[0],
  };
}

/** Whether the observation is below the threshold; while reclaiming: below threshold and minimum reclaim together. */
export function isCrossed(threshold: Threshold, observed: Observations, already: boolean): boolean {
  const seen = observed[threshold.signal];
  if (seen === undefined) return false;
  const least = thresholdAmount(threshold.value, seen.capacity);
  const more = already && threshold.minReclaim !== undefined ? thresholdAmount(threshold.minReclaim, seen.capacity) : 0;
  return seen.available < least + more;
}

/** Memory is worse to run out of than disk (upstream: byEvictionPriority); hard before soft of the same kind. */
function byUrgency(thresholds: readonly Threshold[]): readonly Threshold[] {
  const rank: Readonly<Record<keyof PressureVerdict, number>> = { memory: 0, disk: 1, pid: 2 };
  return [...thresholds].sort(
    (a, b) => rank[CONDITION[a.signal]] - rank[CONDITION[b.signal]] || a.gracePeriodMs - b.gracePeriodMs,
  );
}

function keyOf({ signal, gracePeriodMs }: Threshold): string {
  return `${signal}/${gracePeriodMs === 0 ? 'hard' : 'soft'}`;
}
