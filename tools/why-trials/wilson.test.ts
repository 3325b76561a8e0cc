import { expect, it } from 'vitest';
import { wilson } from './wilson.ts';

it.each([
  [0, 0, 0, 1],
  [0, 10, 0, 0.278],
  [10, 10, 0.722, 1],
  [95, 100, 0.888, 0.978],
])('%i of %i: %f to %f', (hits, all, low, high) => {
  const interval = wilson(hits, all);
  expect(interval.low).toBeCloseTo(low, 2);
  expect(interval.high).toBeCloseTo(high, 2);
});
