import { expect, test } from 'vitest';
import { agedSpans, withoutRecovery, withRecovery } from './recovery-spans.ts';

const DAY = 288;
const T = 100 * DAY;
const one = { durationMs: 100, alone: true };

test('recoveries of one hour are one span', () => {
  const spans = withRecovery(withRecovery([], T + 1, one), T + 11, { durationMs: 300, alone: false });
  expect(spans).toMatchObject([{ from: T, buckets: 12, healed: 2, alone: 1, totalMs: 400 }]);
  expect(withRecovery(spans, T + 12, one)).toHaveLength(2);
});

test('an hour becomes part of its day after a day, and the day is forgotten after a week', () => {
  const spans = withRecovery(withRecovery([], T + 24, one), T + 48, one);
  expect(agedSpans(spans, T + DAY + 35)).toBe(spans);
  const later = agedSpans(spans, T + DAY + 36);
  expect(later.map(({ from, buckets }) => [from, buckets])).toEqual([
    [T, DAY],
    [T + 48, 12],
  ]);
  const days = agedSpans(later, T + 2 * DAY);
  expect(days).toMatchObject([{ from: T, buckets: DAY, healed: 2 }]);
  expect(agedSpans(days, T + 8 * DAY - 1)).toHaveLength(1);
  expect(agedSpans(days, T + 8 * DAY)).toEqual([]);
});

test('recoveries of a time to come count for this hour', () => {
  const spans = withRecovery(withRecovery([], T + 5, one), T + 500, one);
  expect(agedSpans(spans, T + 7)).toMatchObject([{ from: T, buckets: 12, healed: 2 }]);
});

test('the newest recovery of a length is taken back, and of another length none', () => {
  const spans = withRecovery(withRecovery(withRecovery([], T, one), T + 12, one), T + 12, {
    durationMs: 900,
    alone: false,
  });
  const less = withoutRecovery(spans, one);
  expect(less).toMatchObject([{ healed: 1 }, { from: T + 12, healed: 1, alone: 0, totalMs: 900 }]);
  expect(withoutRecovery(less, { durationMs: 900, alone: false })).toHaveLength(1);
  expect(withoutRecovery(spans, { durationMs: 5000, alone: true })).toBe(spans);
});
