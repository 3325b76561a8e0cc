import { describe, expect, it } from 'vitest';
import { exponentialDelay, jitterAround, jitterUp } from './back-off.ts';
import { seededRandom } from './seeded-random.ts';

describe('exponentialDelay', () => {
  it.each([
    [0, 0],
    [1, 10],
    [2, 20],
    [5, 160],
    [6, 300],
    [5000, 300],
  ])('after %i failures waits %i', (failures, delay) => {
    expect(exponentialDelay({ baseMs: 10, capMs: 300 }, failures)).toBe(delay);
  });
});

describe('jitter', () => {
  it('stays within its fraction', () => {
    const random = seededRandom(1);
    for (let i = 0; i < 200; i += 1) {
      expect(jitterUp(100, 0.5, random)).toSatisfy((ms: number) => ms >= 100 && ms < 150);
      expect(jitterAround(100, 0.2, random)).toSatisfy((ms: number) => ms >= 80 && ms < 120);
    }
  });
});
