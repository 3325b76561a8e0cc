/** A day in 96 cells as one drawing: few paths, dashed into cells by the style sheet, and a text that says the same. Pure. */

/** Cells of a day, a quarter of an hour each. */
export const BAR_CELLS = 96;
/** The width of a cell and the gap after it, in the drawing's units; the style sheet dashes the strokes alike. */
export const CELL_WIDTH = 3;
export const BAR_HEIGHT = 20;
const QUARTERS_OF_AN_HOUR = 4;

export type Cell = 'ok' | 'degraded' | 'dead' | 'healed' | 'unknown' | 'nothing';

const CELLS: Readonly<Record<string, Cell>> = { o: 'ok', d: 'degraded', x: 'dead', h: 'healed', '?': 'unknown' };

/** How high a cell stands: trouble is seen without colours. The style sheet gives the strokes these widths. */
export const CELL_HEIGHTS: Readonly<Record<Cell, number>> = {
  ok: 8,
  degraded: 13,
  dead: 20,
  healed: 16,
  unknown: 4,
  nothing: 2,
};

export interface BarPath {
  readonly cell: Cell;
  /** A line for each run of such cells; strokes stand on the drawing's ground. */
  readonly d: string;
}

/** 96 cells, the newest last; what is missing at the beginning is nothing. */
export function cellsOf(bar: string): readonly Cell[] {
  const known = Array.from(bar.slice(-BAR_CELLS), (letter) => CELLS[letter] ?? 'nothing');
  return [...Array.from({ length: BAR_CELLS - known.length }, (): Cell => 'nothing'), ...known];
}

export function barPaths(bar: string): readonly BarPath[] {
  const lines = new Map<Cell, string[]>();
  const cells = cellsOf(bar);
  let from = 0;
  for (let index = 1; index <= cells.length; index += 1) {
    const cell = cells[from] ?? 'nothing';
    if (cells[index] === cell) continue;
    const y = BAR_HEIGHT - CELL_HEIGHTS[cell] / 2;
    lines.set(cell, [...(lines.get(cell) ?? []), `M${from * CELL_WIDTH} ${y}h${(index - from) * CELL_WIDTH}`]);
    from = index;
  }
  return [...lines].map(([cell, parts]) => ({ cell, d: parts.join('') }));
}

const WORDS: readonly (readonly [Cell, string])[] = [
  ['dead', 'dead'],
  ['degraded', 'degraded'],
  ['healed', 'died and healed'],
  ['unknown', 'not known'],
];

/** "Last 24 hours: dead 15 min, died and healed 45 min; last trouble 2 h ago", "Last 24 hours: well all the time" */
export function barWords(bar: string): string {
  const cells = cellsOf(bar);
  const there = cells.filter((cell) => cell !== 'nothing').length;
  if (there === 0) return 'Last 24 hours: nothing is known';
  const span = there === BAR_CELLS ? 'Last 24 hours' : `Last ${quarters(there)}`;
  const parts = WORDS.flatMap(([cell, words]) => {
    const count = cells.filter((each) => each === cell).length;
    return count === 0 ? [] : [`${words} ${quarters(count)}`];
  });
  if (parts.length === 0) return `${span}: well all the time`;
  const last = cells.findLastIndex((cell) => cell === 'dead' || cell === 'degraded' || cell === 'healed');
  const ago = BAR_CELLS - 1 - last;
  const when =
    last === -1 ? '' : ago === 0 ? '; trouble in this quarter of an hour' : `; last trouble ${quarters(ago)} ago`;
  return `${span}: ${parts.join(', ')}${when}`;
}

function quarters(count: number): string {
  const [hours, rest] = [Math.floor(count / QUARTERS_OF_AN_HOUR), count % QUARTERS_OF_AN_HOUR];
  return [hours === 0 ? '' : `${hours} h`, rest === 0 ? '' : `${rest * 15} min`]
    .filter((part) => part !== '')
    .join(' ');
}
