/** The last day of a workload in 96 cells, from what is known of deaths. What nobody saw is unknown, and never green. Pure. */
import type { PageRow } from '../../page/index.ts';
import type { KnownDeath } from './deaths.ts';

export const CELL_MS = 15 * 60_000;
export const CELLS = 96;

export interface BarFacts {
  /** When the workload came to be, wall ms; absent: not known. */
  readonly since?: number;
  readonly deaths: readonly KnownDeath[];
  readonly mood: PageRow['mood'];
}

/** @param now wall ms of the cluster */
export function dayBar({ since = Number.NEGATIVE_INFINITY, deaths, mood }: BarFacts, now: number): string {
  // Cells begin at full quarters, so that the bar moves four times an hour and not at each look.
  const first = Math.floor(now / CELL_MS) - CELLS + 1;
  const cellOf = (at: number): number => Math.floor(at / CELL_MS) - first;
  const unborn = Math.min(CELLS, Math.max(0, cellOf(since)));
  const cells = Array.from({ length: CELLS }, (_, cell): string => (cell < unborn ? '.' : '?'));
  // A bar is drawn for each row at each look: the work is that of its deaths, not of its cells.
  for (const { at, healedMs, isWished } of deaths) {
    if (isWished) continue;
    const died = cellOf(at);
    // In the cell in which it ran again it was healed; in those before it was dead.
    const healed = Math.min(CELLS, cellOf(at + (healedMs ?? Number.POSITIVE_INFINITY)));
    for (let cell = Math.max(died, unborn); cell < healed; cell += 1) cells[cell] = 'x';
    if (died >= unborn && died < CELLS && cells[died] !== 'x') cells[died] = 'h';
  }
  cells[CELLS - 1] = presentCell(cells[CELLS - 1] ?? '?', mood);
  return cells.join('');
}

const PRESENT: Readonly<Record<PageRow['mood'], string>> = {
  done: 'o',
  ok: 'o',
  ending: 'd',
  starting: 'd',
  unready: 'd',
  healing: 'x',
  waiting: 'x',
  unknown: '?',
  stopped: 'x',
};

/** A bar of nodes' memory, whose last cell is as the feed itself sees it, unless the nodes know of something worse that is over. */
export function barWithNow(bar: string, ofDeaths: string): string {
  const known = bar.at(-1) ?? '?';
  const now = ofDeaths.at(-1) ?? '?';
  const isOver = now === 'o' && (known === 'h' || known === 'x' || known === 'd');
  return `${bar.slice(0, -1)}${isOver ? (known === 'd' ? 'd' : 'h') : now}`;
}

/** The cell of now is as the workload is; a death that was healed in it stays to be seen. */
function presentCell(known: string, mood: PageRow['mood']): string {
  const present = PRESENT[mood];
  return present === 'o' && (known === 'h' || known === 'x') ? 'h' : present;
}
