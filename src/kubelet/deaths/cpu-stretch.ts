/**
 * How often a container was held back by its CPU limit in the last stretch of its life: who served well for a week and starves
 * for a minute would not show it in figures of the whole life. Pure.
 */
import type { CpuPeriods } from '../figures.ts';
import { CPU_STRETCH_MS, SAMPLE_PERIOD_MS } from './limits.ts';

export interface CpuReading extends CpuPeriods {
  /** Mono ms. */
  readonly at: number;
}

/** The beginning of a life, when it is part of the stretch; of an older one nobody knows how far it had counted. */
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

/** `undefined`: nothing was read, or it never wanted to run. Of an old life that was read but once, all that was counted. */
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
