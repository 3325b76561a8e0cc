import { expect, it } from 'vitest';
import { FailedPodBackOff } from './failed-pod-back-off.ts';

it('the back-off doubles up to a quarter of an hour, and begins anew after half an hour', () => {
  const backOff = new FailedPodBackOff();
  const waits: number[] = [];
  let now = 0;
  for (let failure = 0; failure < 12; failure += 1) {
    backOff.next('dae', 'a', now);
    const wait = backOff.waitMs('dae', 'a', now);
    waits.push(wait / 1000);
    now += wait;
  }
  expect(waits).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900]);
  expect(backOff.waitMs('dae', 'b', now)).toBe(0);
  now += 1_800_001;
  backOff.next('dae', 'a', now);
  expect(backOff.waitMs('dae', 'a', now)).toBe(1000);
  backOff.keep('dae', new Set(['b']));
  expect(backOff.waitMs('dae', 'a', now)).toBe(0);
});
