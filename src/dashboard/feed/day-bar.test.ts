import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type BarFacts, barWithNow, CELL_MS, CELLS, dayBar } from './day-bar.ts';
import { recoveryOf } from './recovery.ts';

const NOW = Date.UTC(2030, 0, 1, 12, 7);
const CELL = Math.floor(NOW / CELL_MS) * CELL_MS;
const death = (at: number, healedMs?: number, isWished = false) => ({
  container: 'main',
  at,
  isWished,
  ...(healedMs === undefined ? {} : { healedMs }),
});

describe('a bar from deaths alone', () => {
  it('is never green for what nobody saw', () => {
    expect(dayBar({ since: NOW - 3 * CELL_MS, deaths: [], mood: 'ok' }, NOW)).toBe(`${'.'.repeat(CELLS - 4)}???o`);
    expect(dayBar({ deaths: [], mood: 'unknown' }, NOW)).toBe('?'.repeat(CELLS));
  });

  it.each([
    ['healed in the same quarter', [death(CELL - CELL_MS + 1000, 500)], '?ho'],
    ['dead over the border, and back', [death(CELL - 2 * CELL_MS + 1000, CELL_MS)], 'x?o'],
    ['dead still', [death(CELL - CELL_MS - 1000)], 'xxx'],
    ['healed now', [death(CELL + 1000, 500)], '??h'],
    ['wished for', [death(CELL - CELL_MS + 1000, 500, true)], '??o'],
  ])('shows what %s', (name, deaths, expected) => {
    const mood = name === 'dead still' ? 'healing' : 'ok';
    expect(dayBar({ deaths, mood }, NOW).slice(-3)).toBe(expected);
  });
});

/** What each cell is, asked of each by itself. */
function naiveBar({ since, deaths }: Pick<BarFacts, 'since' | 'deaths'>): string {
  const failures = deaths.filter(({ isWished }) => !isWished);
  const cells = Array.from({ length: CELLS }, (_, index) => {
    const from = CELL - (CELLS - 1 - index) * CELL_MS;
    const to = from + CELL_MS;
    if (since !== undefined && to <= since) return '.';
    if (failures.some(({ at, healedMs = Infinity }) => at < to && at + healedMs >= to)) return 'x';
    return failures.some(({ at }) => at >= from && at < to) ? 'h' : '?';
  });
  return cells.join('');
}

it('a bar from deaths is what each of its cells is by itself', () => {
  // Mostly at borders of cells.
  const times = fc
    .integer({ min: -3, max: CELLS + 2 })
    .chain((cell) =>
      fc.constantFrom(0, 1, CELL_MS / 2, CELL_MS - 1).map((ms) => CELL - (CELLS - 1 - cell) * CELL_MS + ms),
    );
  const lasting = fc.option(fc.constantFrom(0, 1, CELL_MS - 1, CELL_MS, 3 * CELL_MS + 5), { nil: undefined });
  const anyDeath = fc.tuple(times, lasting, fc.boolean()).map((parts) => death(...parts));
  const facts = fc.record({ deaths: fc.array(anyDeath, { maxLength: 5 }), since: times }, { requiredKeys: ['deaths'] });
  fc.assert(
    fc.property(facts, (each) => {
      // A mood that says nothing of now.
      expect(dayBar({ ...each, mood: 'unknown' }, NOW).slice(0, -1)).toBe(naiveBar(each).slice(0, -1));
    }),
    { numRuns: 200 },
  );
});

describe('a bar of nodes', () => {
  it.each([
    ['oo', '?o', 'oo'],
    ['oh', '?o', 'oh'],
    ['ox', '?o', 'oh'],
    ['od', '?o', 'od'],
    ['o.', '?h', 'oh'],
    ['oo', '?x', 'ox'],
    ['o?', '??', 'o?'],
  ])('%s, while the feed sees %s, is %s', (bar, ofDeaths, expected) => {
    expect(barWithNow(bar, ofDeaths)).toBe(expected);
  });
});

describe('figures of recovery', () => {
  const hourAgo = NOW - 3_600_000;

  it('count what failed and came back, and stayed up', () => {
    const minutes = (count: number): number => NOW - count * 60_000;
    const pods = [
      [death(0, 1), death(minutes(50), 100), death(minutes(40), 50, true), death(minutes(30), 300)],
      [death(minutes(20))],
      [death(NOW - 2000, 100)],
    ];
    expect(recoveryOf(pods, hourAgo)).toEqual({ healed: 3, healedAlone: 3, meanMs: 167, p90Ms: 300 });
    expect(recoveryOf([], hourAgo)).toEqual({ healed: 0, healedAlone: 0 });
  });

  it('take a crash loop as one outage', () => {
    const loop = [death(NOW - 200_000, 50), death(NOW - 195_000, 10_000), death(NOW - 180_000, 20_000)];
    expect(recoveryOf([loop], hourAgo)).toEqual({ healed: 1, healedAlone: 1, meanMs: 40_000, p90Ms: 40_000 });
    expect(recoveryOf([[...loop, death(NOW - 155_000)]], hourAgo)).toEqual({ healed: 0, healedAlone: 0 });
  });
});
