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
export function dayBar(facts: BarFacts, now: number): string {
  // Cells begin at full quarters, so that the bar moves four times an hour and not at each look.
  const last = Math.floor(now / CELL_MS);
  const cells = Array.from({ length: CELLS }, (_, index) => cellAt((last - CELLS + 1 + index) * CELL_MS, facts));
  cells[CELLS - 1] = presentCell(cells[CELLS - 1] ?? '?', facts.mood);
  return cells.join('');
}

function cellAt(from: number, { since, deaths }: BarFacts): string {
  const to = from + CELL_MS;
  if (since !== undefined && to <= since) return '.';
  const died = deaths.filter(({ at, isWished }) => at < to && at >= from && !isWished);
  const isDead = deaths.some(({ at, healedMs, isWished }) => !isWished && at < to && at + (healedMs ?? Infinity) >= to);
  if (isDead) return 'x';
  return died.length > 0 ? 'h' : '?';
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

/** A bar of nodes' memory, whose last cell is as the workload is now. */
export function barWithNow(bar: string, mood: PageRow['mood']): string {
  return `${bar.slice(0, -1)}${presentCell(bar.at(-1) ?? '?', mood)}`;
}

/** The cell of now is as the workload is; a death that was healed in it stays to be seen. */
function presentCell(known: string, mood: PageRow['mood']): string {
  const present = PRESENT[mood];
  return present === 'o' && (known === 'h' || known === 'x') ? 'h' : present;
}
