/** The recoveries of a week: hours for the last day, days (UTC) before. Pure. */
import { DAY_BUCKETS, durationClass, mergeSpans, type RecoverySpan } from '../../api/index.ts';
import { HOUR_BUCKETS, WEEK_DAYS } from './limits.ts';

export interface Recovered {
  readonly durationMs: number;
  /** No human took part. */
  readonly alone: boolean;
}

export function withRecovery(
  spans: readonly RecoverySpan[],
  bucket: number,
  { durationMs, alone }: Recovered,
): readonly RecoverySpan[] {
  const one: RecoverySpan = {
    from: hourOf(bucket),
    buckets: HOUR_BUCKETS,
    healed: 1,
    alone: alone ? 1 : 0,
    totalMs: durationMs,
    classes: [[durationClass(durationMs), 1]],
  };
  return mergeSpans([...spans, one]);
}

/** Without the newest recovery of this length, as far as one is there. */
export function withoutRecovery(
  spans: readonly RecoverySpan[],
  { durationMs, alone }: Recovered,
): readonly RecoverySpan[] {
  const own = durationClass(durationMs);
  const at = spans.findLastIndex(({ classes }) => classes.some(([each]) => each === own));
  const span = spans[at];
  if (span === undefined) return spans;
  const less: RecoverySpan = {
    ...span,
    healed: span.healed - 1,
    alone: Math.max(0, span.alone - (alone ? 1 : 0)),
    totalMs: Math.max(0, span.totalMs - durationMs),
    classes: span.classes.flatMap(([each, count]) => {
      const rest = each === own ? count - 1 : count;
      return rest <= 0 ? [] : [[each, rest] as const];
    }),
  };
  return less.healed <= 0 ? spans.toSpliced(at, 1) : spans.with(at, less);
}

/**
 * What is left of the spans when `bucket` begins: hours that ended more than a day ago become part of their day, days that ended more
 * than a week ago are forgotten. Spans of a time to come are those of a clock that was set back: they count for this hour.
 */
export function agedSpans(spans: readonly RecoverySpan[], bucket: number): readonly RecoverySpan[] {
  const kept = spans.flatMap((span): readonly RecoverySpan[] => {
    const { from, buckets } = span;
    if (from > bucket) return [{ ...span, from: hourOf(bucket), buckets: HOUR_BUCKETS }];
    const end = from + buckets;
    if (end + WEEK_DAYS * DAY_BUCKETS <= bucket) return [];
    if (buckets < DAY_BUCKETS && end + DAY_BUCKETS <= bucket)
      return [{ ...span, from: dayOf(from), buckets: DAY_BUCKETS }];
    return [span];
  });
  return kept.length === spans.length && kept.every((span, at) => span === spans[at]) ? spans : mergeSpans(kept);
}

function hourOf(bucket: number): number {
  return bucket - (bucket % HOUR_BUCKETS);
}

function dayOf(bucket: number): number {
  return bucket - (bucket % DAY_BUCKETS);
}
