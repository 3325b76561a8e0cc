import { describe, expect, it } from 'vitest';
import { percentOf, scaleIntOrPercent } from './int-or-percent.ts';

describe('scaleIntOrPercent', () => {
  it.each([
    { value: 3, total: 10, round: 'up', expected: 3 },
    { value: '25%', total: 10, round: 'up', expected: 3 },
    { value: '25%', total: 10, round: 'down', expected: 2 },
    { value: '100%', total: 7, round: 'down', expected: 7 },
    { value: '1%', total: 0, round: 'up', expected: 0 },
    { value: 'many', total: 10, round: 'up', expected: 0 },
  ] as const)('$value of $total rounded $round is $expected', ({ value, total, round, expected }) => {
    expect(scaleIntOrPercent(value, total, round)).toBe(expected);
  });

  it('knows a percentage', () => {
    expect([percentOf('5%'), percentOf(5), percentOf('5'), percentOf('-5%'), percentOf(undefined)]).toEqual([
      5,
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });
});
