/**
 * How often a container was held back by its CPU limit in the last stretch of its life: who served well for a week and starves
 * for a minute would not show it in figures of the whole life. Pure.
 */
import type { CpuPeriods } from '../ports.ts';
import { CPU_STRETCH_MS, SAMPLE_PERIOD_MS } from './limits.ts';

export interface CpuReading extends CpuPeriods {
  /** Mono ms. */
  readonly at: number;
}

/** With one reading more, and without those that no stretch needs any more: bounded, however often is read. */
export function withReading(readings: readonly CpuReading[], reading: CpuReading): readonly CpuReading[] {
  const before = readings.at(-2);
  const isClose = before !== undefined && reading.at - before.at < SAMPLE_PERIOD_MS;
  const next = [...(isClose ? readings.slice(0, -1) : readings), reading];
  return next.slice(Math.max(0, baseOf(next)));
}

/** `undefined`: nothing was read, or it never wanted to run. Of the whole life while no reading is older than the stretch. */
export function lastStretch(readings: readonly CpuReading[]): CpuPeriods | undefined {
  const last = readings.at(-1);
  if (last === undefined) return undefined;
  const base = readings[baseOf(readings)] ?? { periods: 0, throttledPeriods: 0 };
  const periods = last.periods - base.periods;
  return periods <= 0 ? undefined : { periods, throttledPeriods: last.throttledPeriods - base.throttledPeriods };
}

/** The index of the reading from which the stretch counts; -1: there is none so old. */
function baseOf(readings: readonly CpuReading[]): number {
  const end = readings.at(-1)?.at ?? 0;
  return readings.findLastIndex(({ at }) => at <= end - CPU_STRETCH_MS);
}
