import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Delta, PageRow } from '../../page/index.ts';
import { MAX_GONE } from '../limits.ts';
import { Changes, type FeedPicture } from './changes.ts';

const row = (id: string, restarts = 0): PageRow => ({
  id,
  kind: 'pod',
  namespace: 'a',
  name: id,
  mood: 'ok',
  ready: 1,
  wanted: 1,
  restarts,
  bar: '',
  pods: [],
});
const picture = (rows: readonly PageRow[], more: Partial<FeedPicture> = {}): FeedPicture => ({
  at: 1,
  verdict: { mood: 'ok', text: '' },
  day: { healed: 0, healedAlone: 0 },
  week: { healed: 0, healedAlone: 0 },
  nodes: [],
  rows,
  ...more,
});

function apply(rows: ReadonlyMap<string, number>, delta: Delta | undefined): Map<string, number> {
  const next = new Map(rows);
  for (const id of delta?.gone ?? []) next.delete(id);
  for (const { id, restarts } of delta?.rows ?? []) next.set(id, restarts);
  return next;
}

describe('changes', () => {
  it('are rows that differ, and parts that differ', () => {
    const changes = new Changes(100);
    changes.take(picture([row('a'), row('b')]));
    const before = changes.revision;
    expect(changes.take(picture([row('a'), row('b')], { at: 2 }))).toBe(false);
    expect(changes.revision).toBe(before);
    changes.take(picture([row('a'), row('b', 1)], { stale: { since: 1, problem: 'x' } }));
    expect(changes.since(before)).toEqual({
      type: 'delta',
      revision: before + 1,
      at: 1,
      rows: [row('b', 1)],
      stale: { since: 1, problem: 'x' },
    });
    changes.take(picture([row('a')]));
    expect(changes.since(before + 1)).toMatchObject({ gone: ['b'], stale: null });
    expect(changes.picture()).not.toHaveProperty('stale');
  });

  it('of another feed’s revision are not told', () => {
    const changes = new Changes(100);
    expect([changes.since(99), changes.since(101)]).toEqual([undefined, undefined]);
    expect(changes.since(100)).toMatchObject({ revision: 100 });
  });

  it('before what is forgotten are not told', () => {
    const changes = new Changes(0);
    changes.take(picture(Array.from({ length: MAX_GONE + 1 }, (_, index) => row(`r${index}`))));
    const before = changes.revision;
    changes.take(picture([]));
    expect(changes.since(before)).toBeUndefined();
    expect(changes.since(changes.revision)).not.toHaveProperty('gone');
  });

  it('lead from any revision to what is now', () => {
    const state = fc.uniqueArray(fc.tuple(fc.constantFrom('a', 'b', 'c', 'd'), fc.nat(2)), { selector: ([id]) => id });
    fc.assert(
      fc.property(fc.array(state, { maxLength: 8 }), (states) => {
        const changes = new Changes(0);
        const known = [{ revision: 0, rows: new Map<string, number>() }];
        for (const each of states) {
          changes.take(picture(each.map(([id, restarts]) => row(id, restarts))));
          known.push({ revision: changes.revision, rows: new Map(each) });
        }
        const last = new Map(states.at(-1) ?? []);
        for (const { revision, rows } of known) {
          const got = apply(rows, changes.since(revision));
          expect(got).toEqual(last);
        }
      }),
      { numRuns: 300 },
    );
  });
});
