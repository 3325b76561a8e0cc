import { expect, it } from 'vitest';
import { MAX_SENDING, MAX_SENDING_PER_NAMESPACE } from './limits.ts';
import { SendingPlaces } from './sending-places.ts';

it('a namespace has its share, and gets back what it gives back', () => {
  const places = new SendingPlaces();
  const taken = Array.from({ length: MAX_SENDING_PER_NAMESPACE }, () => places.take('shop'));
  expect(taken).not.toContain(undefined);
  expect(places.take('shop')).toBeUndefined();
  expect(places.take('other')).toBeDefined();
  taken[0]?.();
  expect(places.take('shop')).toBeDefined();
});

it('targets that failed leave places to those that work, in their namespace and in all', () => {
  const places = new SendingPlaces();
  let failed = 0;
  for (let at = 0; at < MAX_SENDING; at += 1) {
    for (let own = 0; own < MAX_SENDING_PER_NAMESPACE; own += 1) {
      if (places.take(`n${at}`, true) !== undefined) failed += 1;
    }
  }
  expect(failed).toBe(MAX_SENDING / 2);
  expect(places.take('n0')).toBeDefined();
  expect(places.take('fresh')).toBeDefined();
  expect(places.take('fresh', true)).toBeUndefined();
});
