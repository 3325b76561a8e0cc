import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { assertKey, compareKeys, lowerBound, prefixEnd } from './keys.ts';

const key = fc.string({ unit: 'binary', maxLength: 6 });

describe('keys', () => {
  it('are ordered like their UTF-8 bytes', () => {
    fc.assert(
      fc.property(key, key, (a, b) => {
        expect(Math.sign(compareKeys(a, b))).toBe(Math.sign(Buffer.compare(Buffer.from(a), Buffer.from(b))));
      }),
    );
  });

  it('of a prefix lie between it and its end', () => {
    fc.assert(
      fc.property(key, key, (prefix, other) => {
        const end = prefixEnd(prefix);
        const isInside = compareKeys(other, prefix) >= 0 && (end === undefined || compareKeys(other, end) < 0);
        expect(isInside).toBe(other.startsWith(prefix));
        expect(compareKeys(prefix + other, prefix)).toBeGreaterThanOrEqual(0);
      }),
    );
  });

  it.each([
    ['/pods/', '/pods0'],
    ['a\ud7ff', 'a\ue000'],
    ['a\u{10ffff}', 'b'],
    ['\u{10ffff}', undefined],
    ['', undefined],
  ])('end of %j is %j', (prefix, end) => {
    expect(prefixEnd(prefix)).toBe(end);
  });

  it('are found in a sorted list', () => {
    const keys = ['a', 'c', 'e'];
    expect(['', 'a', 'b', 'e', 'f'].map((at) => lowerBound(keys, at))).toEqual([0, 0, 1, 2, 3]);
    expect(['', 'a', 'b', 'e', 'f'].map((at) => lowerBound(keys, at, true))).toEqual([0, 1, 1, 3, 3]);
  });

  it.each(['', 'a\0b', '\ud800', 'x'.repeat(5000)])('%j is no key', (text) => {
    expect(() => assertKey(text)).toThrow(/key/);
  });
});
