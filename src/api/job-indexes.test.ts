import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  checkJobIndexes,
  countCommonJobIndexes,
  countJobIndexes,
  firstFreeJobIndexes,
  formatJobIndexes,
  hasJobIndex,
  jobIndexesOf,
  mergeJobIndexes,
  parseJobIndexes,
} from './job-indexes.ts';

describe('text', () => {
  it.each<[readonly number[], string]>([
    [[], ''],
    [[3], '3'],
    [[1, 2], '1,2'],
    [[1, 2, 3], '1-3'],
    [[7, 0, 1, 2, 5, 4], '0-2,4,5,7'],
  ])('%j is %s', (list, text) => {
    expect(formatJobIndexes(jobIndexesOf(list))).toBe(text);
    expect(parseJobIndexes(text, 100)).toEqual(jobIndexesOf(list));
  });

  it('what is no index of the job is left out', () => {
    expect(formatJobIndexes(parseJobIndexes('0-2,x,4-9,12', 6))).toBe('0-2,4,5');
  });

  it.each<[string, number | string]>([
    ['', 0],
    ['0,2-4', 4],
    ['5', 'too large index: "5"'],
    ['1-9', 'too large index: "9"'],
    ['3,1', 'non-increasing order, previous: 3, current: 1'],
    ['3-3', 'non-increasing order, previous: 3, current: 3'],
    ['a', 'cannot convert string to integer for index: "a"'],
    [
      '1-2-3',
      'the fragment "1-2-3" violates the requirement that an index interval can have at most two parts separated by \'-\'',
    ],
  ])('check %s', (text, expected) => {
    expect(checkJobIndexes(text, 5)).toBe(expected);
  });
});

describe('as sets', () => {
  const lists = fc.array(fc.nat(40), { maxLength: 30 });
  it('they are', () => {
    fc.assert(
      fc.property(lists, lists, fc.nat(45), fc.nat(50), (one, other, index, count) => {
        const [a, b] = [jobIndexesOf(one), jobIndexesOf(other)];
        const [left, right] = [new Set(one), new Set(other)];
        expect(countJobIndexes(a)).toBe(left.size);
        expect(mergeJobIndexes(a, b)).toEqual(jobIndexesOf([...one, ...other]));
        expect(countCommonJobIndexes(a, b)).toBe([...left].filter((each) => right.has(each)).length);
        expect(hasJobIndex(a, index)).toBe(left.has(index));
        const free = Array.from({ length: 41 }, (_, position) => position).filter((each) => !left.has(each));
        expect(firstFreeJobIndexes(a, count, 41)).toEqual(free.slice(0, count));
        expect(parseJobIndexes(formatJobIndexes(a), 41)).toEqual(a);
      }),
    );
  });
});
