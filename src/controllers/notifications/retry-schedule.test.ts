import fc from 'fast-check';
import { expect, it } from 'vitest';
import { seededRandom } from '../../lib/index.ts';
import { MAX_RETRY_AFTER_MS, RETRY_BACK_OFF } from './limits.ts';
import { retryDelay } from './retry-schedule.ts';
import { SendingPlaces } from './sending-places.ts';

it('waits ever longer, never for ever, and not sooner than the target asks for within reason', () => {
  const random = seededRandom(1);
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 1e6 }), fc.option(fc.integer({ min: 0, max: 1e9 })), (failures, wanted) => {
      const delay = retryDelay(failures, wanted ?? undefined, random);
      expect(delay).toBeGreaterThanOrEqual(RETRY_BACK_OFF.baseMs * 0.8);
      expect(delay).toBeLessThanOrEqual(Math.max(RETRY_BACK_OFF.capMs * 1.2, MAX_RETRY_AFTER_MS));
      expect(delay).toBeGreaterThanOrEqual(Math.min(wanted ?? 0, MAX_RETRY_AFTER_MS));
    }),
    { numRuns: 200 },
  );
});

it('gives a namespace some places, all namespaces together more, and takes each back once', () => {
  const places = new SendingPlaces();
  const own = Array.from({ length: 5 }, () => places.take('shop'));
  expect(own.map((each) => each !== undefined)).toEqual([true, true, true, true, false]);
  const others = Array.from({ length: 40 }, (_, at) => places.take(`n${at}`));
  expect(others.filter((each) => each !== undefined)).toHaveLength(28);
  own[0]?.();
  expect(places.take('n50')).toBeDefined();
  expect(places.take('n51')).toBeUndefined();
});
