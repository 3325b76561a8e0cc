import { describe, expect, it } from 'vitest';
import type { PageRow, PageState } from './contract.ts';
import { applied, retryDelayMs, SILENCE_MS, splitLines } from './feed.ts';
import { LOG_CHUNK_LINES, MAX_LOG_LINES } from './limits.ts';
import { countOf, NO_LINES, withLines } from './log-lines.ts';
import { deadness, firstView, iconOf, LOOKS, lookOf, type PageView, titleOf } from './page-view.ts';
import { filtered, inOrder, namespacesOf, NO_FILTER, rowAfter } from './row-filter.ts';

const row = (name: string, more: Partial<PageRow> = {}): PageRow => ({
  id: `deploy/shop/${name}`,
  kind: 'deploy',
  namespace: 'shop',
  name,
  mood: 'ok',
  ready: 1,
  wanted: 1,
  restarts: 0,
  bar: 'o',
  pods: [],
  ...more,
});

const none = { healed: 0, healedAlone: 0 };
const state: PageState = {
  revision: 7,
  at: 1_000_000,
  cluster: 'test',
  you: 'ada',
  mayWrite: false,
  verdict: { mood: 'ok', text: '3 pods healthy' },
  day: none,
  week: none,
  rows: [row('a'), row('b'), row('c')],
  nodes: [],
};

describe('the feed', () => {
  it('a delta changes what it names, and nothing else', () => {
    const next = applied(state, {
      type: 'delta',
      revision: 8,
      at: 1_000_500,
      rows: [row('b', { mood: 'healing' }), row('d')],
      gone: ['deploy/shop/c'],
    });
    expect(next.rows.map(({ name, mood }) => `${name} ${mood}`)).toEqual(['a ok', 'b healing', 'd ok']);
    expect(next.rows[0]).toBe(state.rows[0]);
    expect(next).toMatchObject({ revision: 8, at: 1_000_500, verdict: state.verdict });
  });

  it('without rows the rows stay the same value', () => {
    expect(applied(state, { type: 'delta', revision: 8, at: 1, day: none }).rows).toBe(state.rows);
    expect(applied(state, { type: 'beat', at: 1_010_000 })).toEqual({ ...state, at: 1_010_000 });
  });

  it('a whole state keeps the rows that are as they were', () => {
    const fresh = structuredClone(state.rows.map((each) => (each.name === 'b' ? { ...each, restarts: 1 } : each)));
    const { rows } = applied(state, { type: 'full', state: { ...state, rows: fresh } });
    expect(rows.map((each, index) => each === state.rows[index])).toEqual([true, false, true]);
  });

  it('a staleness begins, stays and ends', () => {
    const stale = { since: 5, problem: 'the API server does not answer' };
    const begun = applied(state, { type: 'delta', revision: 8, at: 9, stale });
    const stays = applied(begun, { type: 'delta', revision: 9, at: 10 });
    expect(stays.stale).toEqual(stale);
    expect(applied(stays, { type: 'delta', revision: 10, at: 11, stale: null }).stale).toBeUndefined();
  });

  it('waits longer from try to try, up to half a minute and a bit', () => {
    expect([0, 1, 2, 3].map((attempt) => retryDelayMs(attempt, 0.5))).toEqual([500, 1_000, 2_000, 4_000]);
    expect(retryDelayMs(1_000, 0.999_999)).toBeLessThanOrEqual(37_500);
    expect(retryDelayMs(0, 0)).toBe(375);
    expect(SILENCE_MS).toBeGreaterThan(20_000);
  });

  it('lines are whole, and none is endless', () => {
    expect(splitLines('{"a":1}\n{"b"', 100)).toEqual({ lines: ['{"a":1}'], rest: '{"b"' });
    expect(() => splitLines('x'.repeat(11), 10)).toThrow('a line of more than 10 characters');
  });
});

describe('what is on the screen', () => {
  const live: PageView = { ...firstView(state), link: { kind: 'live' } };
  const lost: PageView = { ...live, link: { kind: 'lost', problem: 'it is silent' } };

  it('is dead when the stream is lost, the session over, or the cluster not heard', () => {
    expect(deadness(live)).toBeUndefined();
    expect(deadness(lost)).toEqual({ since: state.at, problem: 'it is silent' });
    expect(deadness({ ...live, link: { kind: 'over' } })?.problem).toBe('the session has ended');
    const stale = { since: 400_000, problem: 'no answer' };
    expect(deadness({ ...live, state: { ...state, stale } })).toEqual(stale);
    expect(deadness({ ...lost, state: { ...state, stale } })?.since).toBe(400_000);
  });

  it('the title and the icon say what the verdict says, and never that a dead feed is well', () => {
    expect(titleOf(live, state.at)).toBe('✓ 3 pods healthy · test');
    expect(titleOf(lost, state.at + 65_000)).toBe('? no live data for 1 min · test');
    expect(lookOf(lost)).toBe('stale');
    expect(new Set(Object.keys(LOOKS).map((look) => iconOf(look as keyof typeof LOOKS))).size).toBe(5);
  });

  it('rows: the worst first, filtered, one after another', () => {
    const rows = [
      row('b'),
      row('a', { namespace: 'infra', id: 'deploy/infra/a' }),
      row('x', { mood: 'stopped' }),
      row('y', { mood: 'healing' }),
    ];
    const ordered = inOrder(rows);
    expect(ordered.map(({ name }) => name)).toEqual(['x', 'y', 'a', 'b']);
    expect(filtered(ordered, NO_FILTER)).toBe(ordered);
    expect(filtered(ordered, { ...NO_FILTER, notWell: true }).map(({ name }) => name)).toEqual(['x', 'y']);
    expect(filtered(ordered, { ...NO_FILTER, text: ' INFRA/a' }).map(({ name }) => name)).toEqual(['a']);
    expect(filtered(ordered, { ...NO_FILTER, namespace: 'shop', text: 'b' }).map(({ name }) => name)).toEqual(['b']);
    expect(namespacesOf(rows)).toEqual(['infra', 'shop']);
    expect([
      rowAfter(ordered, 'deploy/shop/x', 1),
      rowAfter(ordered, 'deploy/shop/x', -1),
      rowAfter(ordered, undefined, 1),
      rowAfter(ordered, 'deploy/shop/y', Infinity),
      rowAfter([], 'x', 1),
    ]).toEqual(['deploy/shop/y', 'deploy/shop/x', 'deploy/shop/x', 'deploy/shop/b', undefined]);
  });
});

describe('the lines of a log', () => {
  it('are kept in chunks, and old chunks stay the same values', () => {
    const first = withLines(
      NO_LINES,
      Array.from({ length: 150 }, (_, index) => `line ${index}`),
    );
    const next = withLines(first, ['line 150', '\u001b[2Jgone']);
    expect(next.chunks.map(({ lines }) => lines.length)).toEqual([LOG_CHUNK_LINES, 52]);
    expect(next.chunks[0]).toBe(first.chunks[0]);
    expect(next.chunks[1]?.lines.at(-1)).toBe('⟨1B⟩[2Jgone');
    expect(withLines(next, [])).toBe(next);
  });

  it('are 5,000 at most; the oldest go, and are counted', () => {
    let log = NO_LINES;
    for (let batch = 0; batch < 60; batch += 1)
      log = withLines(
        log,
        Array.from({ length: 97 }, () => 'x'),
      );
    expect(countOf(log.chunks)).toBeLessThanOrEqual(MAX_LOG_LINES);
    expect(countOf(log.chunks) + log.dropped).toBe(60 * 97);
    expect(new Set(log.chunks.map(({ id }) => id)).size).toBe(log.chunks.length);
  });
});
