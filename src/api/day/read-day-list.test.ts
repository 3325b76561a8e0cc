import { describe, expect, test } from 'vitest';
import { recoverySpan, workloadDay } from './day.fixtures.ts';
import { readDayList } from './read-day-list.ts';

const list = (...items: readonly unknown[]): object => ({ kind: 'WorkloadDayList', items });

test('days are read as they were written, through JSON', () => {
  const day = workloadDay({
    states: 'odxh?.',
    restarts: [[1, 2]],
    cpu: [1, null],
    memory: [null, 2],
    recoveries: [recoverySpan()],
  });
  expect(readDayList(JSON.parse(JSON.stringify({ ...list(day), leftOut: 3 })))).toEqual({ items: [day], leftOut: 3 });
});

test.each([
  undefined,
  null,
  'text',
  [],
  {},
  { items: [] },
  { kind: 'WorkloadDayList' },
  { kind: 'PodList', items: [] },
])('%j is no list of days', (value) => {
  expect(readDayList(value)).toBeUndefined();
});

describe('one bad day does not cost the others', () => {
  test.each<[string, object]>([
    ['a name that is too long', { name: 'x'.repeat(301) }],
    ['letters that are no states', { states: 'o<script>' }],
    ['too many buckets', { states: 'o'.repeat(289) }],
    ['a count that is none', { restarts: [[1, -1]] }],
    ['a position outside of the day', { deaths: [[288, 1]] }],
    ['a figure that is none', { cpu: ['1'] }],
    ['too many uids', { pods: Array.from({ length: 257 }, String) }],
    ['a span that is none', { recoveries: [{ ...recoverySpan(), totalMs: null }] }],
    ['a class of durations that there is not', { recoveries: [recoverySpan({ classes: [[97, 1]] })] }],
    ['no first bucket', { first: 1.5 }],
  ])('%s', (_name, change) => {
    const good = workloadDay({ name: 'web' });
    expect(readDayList(list({ ...workloadDay(), ...change }, good, 7))).toEqual({ items: [good], leftOut: 2 });
  });
});
