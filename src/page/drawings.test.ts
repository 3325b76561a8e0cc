import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BAR_CELLS, barPaths, barWords, CELL_WIDTH, cellsOf } from './bar.ts';
import { CHART_HEIGHT, CHART_WIDTH, chartOf, instantX, spikesOf } from './chart.ts';

const bar = (cells: string, otherwise = 'o'): string => cells.padStart(BAR_CELLS, otherwise);

describe('the bar of a day', () => {
  it('has 96 cells, the newest at the right; what is missing is nothing', () => {
    expect(cellsOf('ox').slice(-3)).toEqual(['nothing', 'ok', 'dead']);
    expect(cellsOf('').every((cell) => cell === 'nothing')).toBe(true);
    expect(cellsOf(`x${'o'.repeat(96)}`)).not.toContain('dead');
    expect(cellsOf('<').at(-1)).toBe('nothing');
  });

  it('is one line for each run of cells', () => {
    expect(barPaths(bar('xxo'))).toEqual([
      { cell: 'ok', d: 'M0 16h279M285 16h3' },
      { cell: 'dead', d: 'M279 10h6' },
    ]);
  });

  it('draws each cell once, whatever is in it', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('o', 'd', 'x', 'h', '?', '.', '<', 'é'), maxLength: 120 }),
        (text) => {
          const lengths = barPaths(text).flatMap(({ d }) =>
            [...d.matchAll(/h(\d+)/g)].map(([, width]) => Number(width)),
          );
          expect(lengths.reduce((sum, width) => sum + width, 0)).toBe(BAR_CELLS * CELL_WIDTH);
        },
      ),
      { numRuns: 200 },
    );
  });

  it.each([
    ['', 'Last 24 hours: nothing is known'],
    [bar('o'), 'Last 24 hours: well all the time'],
    [bar('o', '.'), 'Last 15 min: well all the time'],
    [bar('xxhoooo'), 'Last 24 hours: dead 30 min, died and healed 15 min; last trouble 1 h ago'],
    [bar('d'), 'Last 24 hours: degraded 15 min; trouble in this quarter of an hour'],
    [bar('?'), 'Last 24 hours: not known 15 min'],
  ])('%s reads: %s', (cells, words) => {
    expect(barWords(cells)).toBe(words);
  });
});

describe('charts', () => {
  it('gaps stay gaps, and the peak has its time', () => {
    const chart = chartOf([1, 2, null, 4, 3], 1_000, 300);
    expect(chart.line.match(/M/g)).toHaveLength(2);
    expect(chart).toMatchObject({ top: 5, peak: { value: 4, at: 1_900 }, last: 3 });
  });

  it('nothing known is no peak, and no division by nothing', () => {
    expect(chartOf([null, null], 0, 1)).toEqual({ line: '', area: '', top: 1 });
    expect(chartOf([], 0, 1).line).toBe('');
    expect(chartOf([0], 0, 1).line).toBe(`M0 ${CHART_HEIGHT - 1}h1`);
  });

  it('stays inside, whatever the figures are', () => {
    const figure = fc.oneof(fc.double(), fc.constant(null));
    fc.assert(
      fc.property(fc.array(figure, { maxLength: 50 }), (values) => {
        const numbers = [...chartOf(values, 0, 1).line.matchAll(/[ML](-?[\d.]+) (-?[\d.]+)/g)];
        for (const [, x, y] of numbers) {
          expect(Number(x)).toBeGreaterThanOrEqual(0);
          expect(Number(x)).toBeLessThanOrEqual(CHART_WIDTH);
          expect(Number(y)).toBeGreaterThanOrEqual(0);
          expect(Number(y)).toBeLessThanOrEqual(CHART_HEIGHT);
        }
        expect(chartOf(values, 0, 1).line).not.toMatch(/NaN|Infinity|e/);
      }),
      { numRuns: 300 },
    );
  });

  it('restarts are spikes with a sum', () => {
    expect(spikesOf([0, 2, null, 1])).toMatchObject({ sum: 3, top: 2 });
    expect(instantX(50, 0, 10, 10)).toBe(CHART_WIDTH / 2);
    expect(instantX(-1, 0, 10, 10)).toBeUndefined();
  });
});
