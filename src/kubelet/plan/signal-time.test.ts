/** The time of the signal to a pod that ends. */
import { describe, expect, it } from 'vitest';
import { type GracePeriod, signalTime, type WithdrawalFact } from './signal-time.ts';

/** The end of a pod that was asked for at mono 10 000. */
function ending(gracePeriodSeconds: number): GracePeriod {
  return { gracePeriodSeconds, deadline: 10_000 + gracePeriodSeconds * 1000 };
}

describe('the signal', () => {
  const cases: readonly [string, GracePeriod, WithdrawalFact | undefined, number | undefined][] = [
    ['a pod in no slice gets it at once', ending(30), undefined, undefined],
    ['it waits for the slices', ending(30), { agreedAt: undefined }, 12_000],
    ['300 ms pass after they agreed', ending(30), { agreedAt: 10_200 }, 10_500],
    ['300 ms pass after the last new connection', ending(30), { agreedAt: 10_200, reachedAt: 10_700 }, 11_000],
    ['a connection from before is no reason', ending(30), { agreedAt: 10_200, reachedAt: 10_100 }, 10_500],
    ['clients that go on and on are not waited for', ending(30), { agreedAt: 10_200, reachedAt: 11_990 }, 12_000],
    ['2 s are the longest wait', ending(3600), { agreedAt: 11_900 }, 12_000],
    ['a tenth of the grace is the longest wait', ending(5), { agreedAt: undefined }, 10_500],
    ['a tenth of the grace, slices agreed', ending(5), { agreedAt: 10_100 }, 10_400],
    ['a second of grace is too short', ending(1), { agreedAt: undefined }, undefined],
    ['a forced deletion waits for nobody', ending(0), { agreedAt: undefined }, undefined],
  ];
  it.each(cases)('%s', (_, lifecycle, withdrawal, wanted) => {
    expect(signalTime(lifecycle, withdrawal)).toBe(wanted);
  });
});
