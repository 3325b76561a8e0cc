import { describe, expect, test } from 'vitest';
import { recoverySpan, workloadDay } from './day.fixtures.ts';
import { mergeDays } from './merge-days.ts';

describe('states: the worst wins', () => {
  test.each([
    ['oooo', 'oooo', 'oooo'],
    ['oxhd', 'oooo', 'oxhd'],
    ['dhx?', 'hdo.', 'ddx?'],
    ['?...', 'o?.d', '??.d'],
    ['o', 'oox', 'oox'],
    ['', 'oo', 'oo'],
    ['o!', 'oo', 'o?'],
  ])('%s and %s: %s', (one, other, worst) => {
    const [day] = mergeDays([workloadDay({ states: one }), workloadDay({ states: other })]);
    expect(day?.states).toBe(worst);
  });
});

test('days of one workload that begin at different times are laid over each other', () => {
  const early = workloadDay({
    first: 10,
    states: 'ooo',
    restarts: [[2, 1]],
    cpu: [100, null, 100],
    memory: [5, 5, 5],
  });
  const late = workloadDay({
    first: 12,
    states: 'xh',
    restarts: [
      [0, 2],
      [1, 1],
    ],
    deaths: [[0, 3]],
    cpu: [50, null],
    memory: [1, 1],
  });
  const merged = mergeDays([late, early]);
  expect(merged).toHaveLength(1);
  expect(merged[0]).toMatchObject({
    first: 10,
    states: 'ooxh',
    restarts: [
      [2, 3],
      [3, 1],
    ],
    deaths: [[2, 3]],
    cpu: [100, null, 150, null],
    memory: [5, 5, 6, 1],
  });
});

test('figures that one node was not asked for, or did not measure, are those of the others', () => {
  const [day] = mergeDays([workloadDay({ states: 'oo' }), workloadDay({ states: 'oo', cpu: [7, null] })]);
  expect(day?.cpu).toEqual([7, null]);
  expect(day?.memory).toBeUndefined();
});

test('recoveries of the same hour become one, with all durations', () => {
  const [day] = mergeDays([
    workloadDay({ recoveries: [recoverySpan({ from: 24 }), recoverySpan({ from: 12 })] }),
    workloadDay({
      recoveries: [
        recoverySpan({
          from: 24,
          healed: 2,
          alone: 0,
          totalMs: 50,
          classes: [
            [3, 1],
            [14, 1],
          ],
        }),
        recoverySpan({ from: 0, buckets: 288 }),
      ],
    }),
  ]);
  expect(day?.recoveries).toEqual([
    recoverySpan({ from: 0, buckets: 288 }),
    recoverySpan({ from: 12 }),
    recoverySpan({
      from: 24,
      healed: 3,
      alone: 1,
      totalMs: 150,
      classes: [
        [3, 1],
        [14, 2],
      ],
    }),
  ]);
});

test('workloads of other kinds, namespaces and names stay apart', () => {
  const days = [
    workloadDay(),
    workloadDay({ kind: 'StatefulSet' }),
    workloadDay({ namespace: 'other' }),
    workloadDay({ name: 'web' }),
  ];
  expect(mergeDays(days)).toEqual(days);
});

test('a caller that knows the owners says whose day it is', () => {
  const owners = new Map([
    ['job-1', { kind: 'CronJob', namespace: 'shop', name: 'nightly' }],
    ['job-2', { kind: 'CronJob', namespace: 'shop', name: 'nightly' }],
  ]);
  const days = ['job-1', 'job-2', 'job-3'].map((uid, at) =>
    workloadDay({ kind: 'Job', name: uid, owners: [uid], pods: [`pod-${at}`], states: 'o' }),
  );
  const merged = mergeDays(days, (day) => owners.get(day.owners[0] ?? ''));
  expect(merged.map(({ kind, name, pods }) => ({ kind, name, pods }))).toEqual([
    { kind: 'CronJob', name: 'nightly', pods: ['pod-0', 'pod-1'] },
    { kind: 'Job', name: 'job-3', pods: ['pod-2'] },
  ]);
});
