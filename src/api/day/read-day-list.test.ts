import { describe, expect, test } from 'vitest';
import { recoverySpan, workloadDay } from './day.fixtures.ts';
import { MAX_POD_STEPS, readDayList } from './read-day-list.ts';

const list = (...items: readonly unknown[]): object => ({ kind: 'WorkloadDayList', items });

test('days are read as they were written, through JSON', () => {
  const day = workloadDay({
    states: 'odxh?.',
    restarts: [[1, 2]],
    cpu: [1, null],
    memory: [null, 2],
    recoveries: [recoverySpan()],
  });
  expect(readDayList(JSON.parse(JSON.stringify({ ...list(day), leftOut: 3 })))).toEqual({
    items: [day],
    leftOut: 3,
    nodes: [],
    next: [],
  });
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
    expect(readDayList(list({ ...workloadDay(), ...change }, good, 7))).toMatchObject({ items: [good], leftOut: 2 });
  });
});

test('what is told of nodes and of what comes next is read, and bounded', () => {
  const step = { uid: 'u', namespace: 'shop', words: 'pulls its image again', inMs: 5000 };
  const node = { name: 'n1', diskUsedPercent: 42 };
  const bad = [7, null, { ...step, inMs: -1 }, { ...step, words: 'x'.repeat(301) }, { ...node, diskUsedPercent: 101 }];
  const read = readDayList({ ...list(), nodes: [node, ...bad], next: [step, ...bad] });
  expect(read).toMatchObject({ nodes: [node], next: [step] });
  const many = Array.from({ length: MAX_POD_STEPS + 5 }, () => step);
  expect(readDayList({ ...list(), next: many })?.next).toHaveLength(MAX_POD_STEPS);
});
