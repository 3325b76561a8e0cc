/**
 * Computes how often a CPU limit throttled a container in the last stretch of its life. Figures of the whole life would hide
 * that a container which worked well for a week has been throttled for a minute. Pure.
 */
import type { CpuPeriods } from '../figures.ts';
import { CPU_STRETCH_MS, SAMPLE_PERIOD_MS } from './limits.ts';

export interface CpuReading extends CpuPeriods {
  /** Mono ms. */
  readonly at: number;
}

/** The beginning of a life, if it is part of the stretch; the counters of an older group are unknown at that time. */
export function beginning(
  startedAt: number,
  now: { readonly wall: number; readonly mono: number },
): readonly CpuReading[] {
  const age = Math.max(0, now.wall - startedAt);
  return age > CPU_STRETCH_MS ? [] : [{ at: now.mono - age, periods: 0, throttledPeriods: 0 }];
}

/** With one reading more, and without those that no stretch needs any more: bounded, however often is read. */
export function withReading(readings: readonly CpuReading[], reading: CpuReading): readonly CpuReading[] {
  const before = readings.at(-2);
  const isClose = before !== undefined && reading.at - before.at < SAMPLE_PERIOD_MS;
  const next = [...(isClose ? readings.slice(0, -1) : readings), reading];
  return next.slice(Math.max(0, baseOf(next)));
}

/**
 * `undefined`: nothing was read, or the container never wanted to run. For an old life that was read only once: everything
 * that was counted.
 */
export function lastStretch(readings: readonly CpuReading[]): CpuPeriods | undefined {
  const last = readings.at(-1);
  if (last === undefined) return undefined;
  const none = { periods: 0, throttledPeriods: 0 };
  const base = readings.length === 1 ? none : (readings[Math.max(0, baseOf(readings))] ?? none);
  const periods = last.periods - base.periods;
  return periods <= 0 ? undefined : { periods, throttledPeriods: last.throttledPeriods - base.throttledPeriods };
}

/** The index of the reading from which the stretch counts; -1: there is none so old. */
function baseOf(readings: readonly CpuReading[]): number {
  const end = readings.at(-1)?.at ?? 0;
  return readings.findLastIndex(({ at }) => at <= end - CPU_STRETCH_MS);
}
