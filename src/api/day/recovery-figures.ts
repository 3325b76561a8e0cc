/** How long recoveries took, in the last day or week. Pure. */
import { bucketOf, classEndMs, DAY_BUCKETS, WEEK_BUCKETS } from './buckets.ts';
import type { RecoverySpan, WorkloadDay } from './types.ts';

export interface RecoveryFigures {
  readonly healed: number;
  /** Without a human. */
  readonly healedAlone: number;
  /** Absent: there was none. */
  readonly meanMs?: number;
  /** Nine of ten took at most so long; at most 19 % too much, because durations are kept in classes. */
  readonly p90Ms?: number;
}

const SPANS = { day: DAY_BUCKETS, week: WEEK_BUCKETS } as const;
const P90 = 0.9;

/**
 * The figures of these workloads together. A span counts when any of it lies in the time asked for: the day is up to an hour longer
 * than 24 hours, the week up to a day longer than seven.
 * @param now wall ms
 */
export function recoveryFigures(
  days: readonly Pick<WorkloadDay, 'recoveries'>[],
  span: keyof typeof SPANS,
  now: number,
): RecoveryFigures {
  const after = bucketOf(now) - SPANS[span];
  const found = days.flatMap(({ recoveries }) => recoveries.filter(({ from, buckets }) => from + buckets > after));
  const healed = sum(found, (each) => each.healed);
  if (healed === 0) return { healed: 0, healedAlone: 0 };
  const meanMs = Math.round(sum(found, (each) => each.totalMs) / healed);
  // The length of a single one is known.
  const p90Ms = healed === 1 ? meanMs : quantile(found, P90);
  return {
    healed,
    healedAlone: sum(found, (each) => each.alone),
    meanMs,
    ...(p90Ms === undefined ? {} : { p90Ms }),
  };
}

/** Spans of the same time become one. The oldest first. */
export function mergeSpans(spans: readonly RecoverySpan[]): readonly RecoverySpan[] {
  const byTime = new Map<string, RecoverySpan>();
  for (const span of spans) {
    const key = `${span.from} ${span.buckets}`;
    const before = byTime.get(key);
    byTime.set(key, before === undefined ? span : together(before, span));
  }
  return [...byTime.values()].toSorted((a, b) => a.from - b.from || a.buckets - b.buckets);
}

function together(a: RecoverySpan, b: RecoverySpan): RecoverySpan {
  return {
    from: a.from,
    buckets: a.buckets,
    healed: a.healed + b.healed,
    alone: a.alone + b.alone,
    totalMs: a.totalMs + b.totalMs,
    classes: [...summedClasses([a, b])].toSorted(([one], [other]) => one - other),
  };
}

function quantile(spans: readonly RecoverySpan[], part: number): number | undefined {
  const counts = [...summedClasses(spans)].toSorted(([one], [other]) => one - other);
  const all = sum(counts, ([, count]) => count);
  let seen = 0;
  for (const [durationClass, count] of counts) {
    seen += count;
    if (seen >= part * all) return Math.round(classEndMs(durationClass));
  }
  return undefined;
}

function summedClasses(spans: readonly RecoverySpan[]): ReadonlyMap<number, number> {
  const counts = new Map<number, number>();
  for (const { classes } of spans) {
    for (const [durationClass, count] of classes) counts.set(durationClass, (counts.get(durationClass) ?? 0) + count);
  }
  return counts;
}

function sum<T>(list: readonly T[], of: (item: T) => number): number {
  return list.reduce((total, item) => total + of(item), 0);
}
