/** A workload's day as a page shows it: a bar, counts, figures of recovery, and series for charts. Pure. */
import { BAR_CELLS, BUCKET_MS, bucketOf, CELL_BUCKETS, DAY_BUCKETS } from './buckets.ts';
import { worseState } from './merge-days.ts';
import { type RecoveryFigures, recoveryFigures } from './recovery-figures.ts';
import type { BucketCount, WorkloadDay } from './types.ts';

export interface DayFigures {
  /**
   * 96 cells of 15 minutes, the oldest first, the last one is now: o ok, d degraded, x dead, h healed, ? unknown, . nothing there.
   * The cells begin at full quarters of an hour.
   */
  readonly bar: string;
  /** In the last 24 hours. */
  readonly restarts: number;
  readonly deaths: number;
  readonly day: RecoveryFigures;
  readonly week: RecoveryFigures;
}

/** Lists of 288 steps, the oldest first; null: not known. */
export interface DaySeries {
  readonly stepMs: number;
  /** When the first step begins, wall ms. */
  readonly from: number;
  /** Cores in use. */
  readonly cpu: readonly (number | null)[];
  /** Bytes in use. */
  readonly memory: readonly (number | null)[];
  /** In that step. */
  readonly restarts: readonly (number | null)[];
}

const MILLI = 1000;

/**
 * The day of a workload, as `mergeDays` gives it.
 * @param now wall ms
 */
export function dayOf(day: WorkloadDay, now: number): DayFigures {
  const after = bucketOf(now) - DAY_BUCKETS;
  return {
    bar: barOf(day, now),
    restarts: countSince(day, after, day.restarts),
    deaths: countSince(day, after, day.deaths),
    day: recoveryFigures([day], 'day', now),
    week: recoveryFigures([day], 'week', now),
  };
}

/** @param now wall ms */
export function barOf({ first, states }: Pick<WorkloadDay, 'first' | 'states'>, now: number): string {
  const last = bucketOf(now);
  const end = (Math.floor(last / CELL_BUCKETS) + 1) * CELL_BUCKETS;
  const begin = end - BAR_CELLS * CELL_BUCKETS;
  const told = withShortOutages(states);
  const cells: string[] = [];
  for (let cell = begin; cell < end; cell += CELL_BUCKETS) {
    let worst = '.';
    for (let bucket = cell; bucket < cell + CELL_BUCKETS && bucket <= last; bucket += 1) {
      worst = worseState(worst, told[bucket - first] ?? '.');
    }
    cells.push(worst);
  }
  return cells.join('');
}

/** An outage that ends in the bucket after the one in which it began is healed in both: the border between them means nothing. */
function withShortOutages(states: string): string {
  return states.replace(/(?<!x)xh/g, 'hh');
}

/** @param now wall ms */
export function seriesOf(day: WorkloadDay, now: number): DaySeries {
  const begin = bucketOf(now) - DAY_BUCKETS + 1;
  const counts = new Map(day.restarts);
  const steps = Array.from({ length: DAY_BUCKETS }, (_, step) => begin + step - day.first);
  return {
    stepMs: BUCKET_MS,
    from: begin * BUCKET_MS,
    cpu: steps.map((at) => {
      const figure = day.cpu?.[at] ?? null;
      return figure === null ? null : figure / MILLI;
    }),
    memory: steps.map((at) => day.memory?.[at] ?? null),
    restarts: steps.map((at) => counts.get(at) ?? (isKnown(day.states[at]) ? 0 : null)),
  };
}

function isKnown(state: string | undefined): boolean {
  return state !== undefined && state !== '?' && state !== '.';
}

function countSince({ first }: WorkloadDay, after: number, counts: readonly BucketCount[]): number {
  return counts.reduce((sum, [position, count]) => (first + position > after ? sum + count : sum), 0);
}
