import { describe, expect, it } from 'vitest';
import { exceedsSize } from './expanded-size.ts';

function nested(levels: number): unknown {
  let value: unknown = ['x'];
  for (let level = 0; level < levels; level++) value = Array.from({ length: 10 }, () => value);
  return value;
}

function endless(): unknown {
  const list: unknown[] = [];
  list.push(list);
  return list;
}

describe('exceedsSize', () => {
  it.each([
    ['a text', 'abc', 4, false],
    ['a longer text', 'abc', 3, true],
    ['names', { abc: null, d: 1 }, 7, false],
    ['longer names', { abc: null, d: 1 }, 6, true],
    ['one shared part many times', Array(100).fill('x'.repeat(100)), 10_000, true],
    ['shared parts of shared parts', nested(12), 3_000_000, true],
    ['a value that contains itself', endless(), 1_000, true],
    ['nothing', null, 1, false],
  ])('%s', (_, value, maximum, expected) => {
    expect(exceedsSize(value, maximum)).toBe(expected);
  });
});
