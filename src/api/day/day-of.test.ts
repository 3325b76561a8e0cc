import { describe, expect, test } from 'vitest';
import { BUCKET_MS } from './buckets.ts';
import { workloadDay } from './day.fixtures.ts';
import { barOf, dayOf, seriesOf } from './day-of.ts';

/** A full quarter of an hour: its bucket is the first of a cell. */
const QUARTER = 1_000_002;
const at = (bucket: number): number => bucket * BUCKET_MS + 1;

describe('the last cells of the bar', () => {
  test.each([
    ['all is well', 'oooooo', 5, 'oo'],
    ['one bad bucket marks its cell', 'odoooo', 5, 'do'],
    ['dead to the end', 'ooooox', 5, 'ox'],
    ['a death within a bucket that was healed', 'ohoooo', 5, 'ho'],
    ['an outage over the border of two buckets', 'oxhooo', 5, 'ho'],
    ['an outage over the border of two cells', 'ooxhoo', 5, 'hh'],
    ['an outage of several buckets', 'oxxhoo', 5, 'xh'],
    ['dead, and then taken away', 'ox....', 5, 'x.'],
    ['the agent was away for a part', 'oo?ooo', 5, '?o'],
    ['a cell that has only begun', 'ooooxx', 3, 'oo'],
  ])('%s', (_name, states, now, cells) => {
    const bar = barOf({ first: QUARTER, states }, at(QUARTER + now));
    expect(bar).toHaveLength(96);
    expect(bar.slice(-2)).toBe(cells);
    expect(bar.slice(0, -2)).toBe('.'.repeat(94));
  });

  test('a bucket that is older than the bar is not in it', () => {
    expect(barOf({ first: QUARTER - 288, states: 'x'.repeat(2) }, at(QUARTER))).toBe('.'.repeat(96));
    expect(barOf({ first: QUARTER - 288, states: 'x'.repeat(289) }, at(QUARTER))).toBe('x'.repeat(96));
  });
});

test('counts are those of the last 24 hours', () => {
  const day = workloadDay({
    first: QUARTER - 288,
    states: 'o'.repeat(289),
    restarts: [
      [0, 7],
      [1, 2],
      [288, 1],
    ],
    deaths: [[288, 4]],
  });
  expect(dayOf(day, at(QUARTER))).toMatchObject({ restarts: 3, deaths: 4 });
});

test('series have a step for each bucket, and null where nothing is known', () => {
  const day = workloadDay({
    first: QUARTER - 2,
    states: 'o?o',
    restarts: [[2, 1]],
    cpu: [250, null, 500],
    memory: [1, null, 3],
  });
  const { stepMs, from, cpu, memory, restarts } = seriesOf(day, at(QUARTER));
  expect({ stepMs, from }).toEqual({ stepMs: BUCKET_MS, from: (QUARTER - 287) * BUCKET_MS });
  for (const list of [cpu, memory, restarts]) expect(list).toHaveLength(288);
  expect(cpu.slice(-4)).toEqual([null, 0.25, null, 0.5]);
  expect(memory.slice(-4)).toEqual([null, 1, null, 3]);
  expect(restarts.slice(-4)).toEqual([null, 0, null, 1]);
});
