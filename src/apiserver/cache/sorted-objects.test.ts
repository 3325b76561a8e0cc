import fc from 'fast-check';
import { expect, it } from 'vitest';
import { CachedObject } from './cached-object.ts';
import { SortedObjects } from './sorted-objects.ts';

const made = (key: string, revision: number): CachedObject => new CachedObject(key, revision, { metadata: {} });

const key = fc.constantFrom('/r/a/x', '/r/a/y', '/r/a-b/x', '/r/a/', '/r/b', '/r/b/é', '/r/b/z', '/r/', '/q');
const step = fc.oneof(
  fc.record({ kind: fc.constant('set' as const), key }),
  fc.record({ kind: fc.constant('delete' as const), key }),
  fc.record({ kind: fc.constant('list' as const), prefix: key, after: fc.oneof(fc.constant(''), key) }),
);

it('lists what a filter and a sort of everything would', () => {
  fc.assert(
    fc.property(fc.array(key), fc.array(step, { maxLength: 60 }), (first, steps) => {
      const naive = new Map(first.map((each, i) => [each, made(each, i)]));
      const sorted = new SortedObjects(naive.values());
      const pictures: (readonly [readonly CachedObject[], readonly CachedObject[]])[] = [];
      for (const [i, each] of steps.entries()) {
        if (each.kind === 'set') {
          const item = made(each.key, 1000 + i);
          naive.set(each.key, item);
          sorted.set(item);
        } else if (each.kind === 'delete') {
          naive.delete(each.key);
          sorted.delete(each.key);
        } else {
          const expected = [...naive.values()]
            .filter((item) => item.key.startsWith(each.prefix) && item.key > each.after)
            .toSorted((a, b) => (a.key < b.key ? -1 : 1));
          const listed = sorted.list(each.prefix, each.after);
          expect(listed).toEqual(expected);
          pictures.push([listed, expected]);
        }
        expect([sorted.size, sorted.get('/r/b')]).toEqual([naive.size, naive.get('/r/b')]);
      }
      // What was handed out stays as it was.
      for (const [listed, expected] of pictures) expect(listed).toEqual(expected);
    }),
  );
});

it('hands the same list to all who ask while nothing changes', () => {
  const sorted = new SortedObjects([made('/r/a', 1), made('/r/b', 2)]);
  expect(sorted.list('/r/')).toBe(sorted.list('/r/'));
});
