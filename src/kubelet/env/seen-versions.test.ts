import { expect, it } from 'vitest';
import { MAX_CACHED_OBJECTS } from './limits.ts';
import { SeenVersions } from './seen-versions.ts';

const at = (resourceVersion: string) => ({ metadata: { resourceVersion } });

it('tells what changed from one sight to the next', () => {
  const seen = new SeenVersions();
  const changes = [
    at('5'),
    at('5'),
    at('9'),
    // A read that began before the watch told of a newer one.
    at('7'),
    undefined,
    undefined,
    at('12'),
  ].map((object) => seen.seen('a', object));
  expect(changes).toEqual([
    undefined,
    undefined,
    { before: '5', after: '9' },
    undefined,
    { before: '9', after: undefined },
    undefined,
    { before: undefined, after: '12' },
  ]);
  expect(seen.seen('b', at('1'))).toBeUndefined();
});

it('takes another object of the name for a first sight, unless it saw the first one go', () => {
  const seen = new SeenVersions();
  const of = (uid: string, resourceVersion: string) => ({ metadata: { uid, resourceVersion } });
  expect([of('u1', '5'), of('u2', '9'), undefined, of('u3', '12')].map((object) => seen.seen('a', object))).toEqual([
    undefined,
    undefined,
    { before: '9', after: undefined },
    { before: undefined, after: '12' },
  ]);
});

it('forgets what was seen longest ago', () => {
  const seen = new SeenVersions();
  for (let n = 0; n <= MAX_CACHED_OBJECTS; n += 1) seen.seen(`o${n}`, at('1'));
  expect(seen.seen('o0', at('2'))).toBeUndefined();
  expect(seen.seen(`o${MAX_CACHED_OBJECTS}`, at('2'))).toEqual({ before: '1', after: '2' });
});
