import { describe, expect, test } from 'vitest';
import { BUCKET_MS, classEndMs, DAY_BUCKETS, durationClass, LAST_DURATION_CLASS } from './buckets.ts';
import { recoverySpan, workloadDay } from './day.fixtures.ts';
import { recoveryFigures } from './recovery-figures.ts';

const NOW = 8 * DAY_BUCKETS;

test.each([0, 9, 10, 11, 110, 1000, 60_000, 3_600_000, 86_400_000])(
  '%d ms are in a class that ends within 19 %% above it',
  (ms) => {
    const end = classEndMs(durationClass(ms));
    expect(end).toBeGreaterThanOrEqual(ms);
    expect(end).toBeLessThanOrEqual(Math.max(10, ms * 1.19));
  },
);

test('durations that are no sensible number have a class, too', () => {
  expect([Number.NaN, -5, Number.POSITIVE_INFINITY].map(durationClass)).toEqual([0, 0, LAST_DURATION_CLASS]);
});

describe('mean and p90', () => {
  test('of none', () => {
    expect(recoveryFigures([workloadDay()], 'day', NOW * BUCKET_MS)).toEqual({ healed: 0, healedAlone: 0 });
  });

  test('of several workloads, nodes and hours together', () => {
    const fast = durationClass(100);
    const slow = durationClass(60_000);
    const days = [
      workloadDay({
        recoveries: [recoverySpan({ from: NOW - 12, healed: 9, alone: 9, totalMs: 900, classes: [[fast, 9]] })],
      }),
      workloadDay({
        recoveries: [recoverySpan({ from: NOW, healed: 2, alone: 1, totalMs: 120_000, classes: [[slow, 2]] })],
      }),
    ];
    const { p90Ms, ...rest } = recoveryFigures(days, 'day', NOW * BUCKET_MS);
    expect(rest).toEqual({ healed: 11, healedAlone: 10, meanMs: 10_991 });
    expect(p90Ms).toBeGreaterThanOrEqual(60_000);
    expect(recoveryFigures(days.slice(0, 1), 'day', NOW * BUCKET_MS).p90Ms).toBeLessThan(120);
  });

  test('the day has what touches its 24 hours, the week what touches its seven days', () => {
    const days = [
      workloadDay({
        recoveries: [
          recoverySpan({ from: NOW - 8 * DAY_BUCKETS, buckets: DAY_BUCKETS }),
          recoverySpan({ from: NOW - 7 * DAY_BUCKETS, buckets: DAY_BUCKETS }),
          recoverySpan({ from: NOW - DAY_BUCKETS - 12 }),
          recoverySpan({ from: NOW - DAY_BUCKETS - 6 }),
          recoverySpan({ from: NOW }),
        ],
      }),
    ];
    expect(recoveryFigures(days, 'day', NOW * BUCKET_MS).healed).toBe(2);
    expect(recoveryFigures(days, 'week', NOW * BUCKET_MS).healed).toBe(4);
  });
});
