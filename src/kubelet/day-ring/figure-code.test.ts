import fc from 'fast-check';
import { expect, test } from 'vitest';
import { figureCode, figureOf } from './figure-code.ts';

test.each([undefined, Number.NaN, -1, Number.POSITIVE_INFINITY])('%s is no figure', (figure) => {
  expect(figureOf(figureCode(figure))).toBeNull();
});

test('small figures are exact', () => {
  for (let figure = 0; figure < 2048; figure += 1) expect(figureOf(figureCode(figure))).toBe(figure);
});

test('larger ones are within a thousandth, up to four tebibytes', () => {
  fc.assert(
    fc.property(fc.double({ min: 1, max: 2 ** 42 - 2 ** 31, noNaN: true }), (figure) => {
      const read = figureOf(figureCode(figure)) ?? Number.NaN;
      expect(Math.abs(read - figure)).toBeLessThanOrEqual(Math.max(0.5, figure / 1000));
    }),
    { numRuns: 300 },
  );
});

test('what is too large is the largest', () => {
  expect(figureOf(figureCode(1e18))).toBe(figureOf(65_535));
});
