/** Draws the overview as lines of a terminal. Pure. */
import { visibleLine } from '../../lib/index.ts';
import type { Mood, Overview, Verdict, WorkloadRow } from '../../overview/index.ts';
import { cellsOf, HEADS, NARROW, nodeText } from './row-cells.ts';
import { markedPlace, type Pane, type ViewState, visibleRows } from './view-state.ts';

export interface Frame {
  readonly columns: number;
  readonly rows: number;
  readonly colours: boolean;
  /** Wall ms of the cluster. */
  readonly now: number;
  /** What is wrong with the feed: the rows below are older. Absent: they are true now. */
  readonly stale?: string;
}

const GAP = '  ';
/** The heads of the columns and the line below the rows; and one line is left, so that nothing scrolls. */
const CHROME = 3;
/** Characters of a line below which some columns are left out. */
const NARROW_COLUMNS = 70;
/** The verdict may take so many lines. */
const HEADLINES = 2;
const LEAST_ROWS = 3;
const HELP = '↑↓ choose   enter why   l logs   r restart   t try now   p pause   f only what is not well   q quit';
const SHORT_HELP = 'enter why   l r t p f   q quit';
const PANE_HELP = '↑↓ scroll   q back';

/** Lines for rows or for a pane. */
export function heightOf(overview: Overview | undefined, frame: Frame): number {
  const head = headText(overview, frame).length;
  return Math.max(1, frame.rows - CHROME - head - nodesShown(overview, frame));
}

/** Rows, and the line with questions and answers, are more than strips. */
function nodesShown(overview: Overview | undefined, frame: Frame): number {
  const room = frame.rows - CHROME - headText(overview, frame).length - LEAST_ROWS;
  return Math.max(0, Math.min(overview?.nodes.length ?? 0, MAX_NODES, room));
}

/** Strips above the rows; what is more is counted. */
const MAX_NODES = 5;

export function picture(overview: Overview | undefined, state: ViewState, frame: Frame): readonly string[] {
  const paint = paintOf(frame.colours);
  const head = headlines(overview, frame, paint);
  if (state.pane !== undefined) return [...head, ...paneLines(state.pane, heightOf(overview, frame), frame, paint)];
  const rows = visibleRows(state, overview?.rows ?? []);
  const height = heightOf(overview, frame);
  return [
    ...head,
    ...nodeLines(overview, frame, paint),
    ...rowLines(rows, markedPlace(state, rows), { ...frame, rows: height }, paint),
    footer(state, frame, paint),
  ];
}

function headlines(overview: Overview | undefined, frame: Frame, paint: Paint): readonly string[] {
  const lines = headText(overview, frame);
  if (overview === undefined) return lines;
  // What is not known to be true now is never green.
  const colour = frame.stale === undefined ? COLOUR_OF_VERDICT[overview.verdict.mood] : 'yellow';
  return lines.map((line) => paint.bold(paint.in(colour, line)));
}

/** Broken between words. */
function headText(overview: Overview | undefined, { stale, columns }: Frame): readonly string[] {
  const text = visibleLine(
    overview === undefined
      ? (stale ?? 'reading the cluster …')
      : stale === undefined
        ? overview.verdict.text
        : // Of what was never heard there is no before.
          `${stale}${overview.rows.length === 0 ? '' : `; before that: ${overview.verdict.text}`}`,
  );
  const lines: string[] = [];
  let rest = text;
  while (lines.length < HEADLINES - 1 && rest.length > columns) {
    const space = rest.lastIndexOf(' ', columns);
    const end = space > columns / 2 ? space : columns;
    lines.push(rest.slice(0, end));
    rest = rest.slice(end).trimStart();
  }
  return [...lines, cut(rest, columns)];
}

function nodeLines(overview: Overview | undefined, frame: Frame, paint: Paint): readonly string[] {
  const { columns } = frame;
  const nodes = overview?.nodes ?? [];
  const count = nodesShown(overview, frame);
  const worst = nodes.toSorted((a, b) => Number(a.mood === 'ok') - Number(b.mood === 'ok'));
  return worst.slice(0, count).map((node, place) => {
    const more = place === count - 1 && nodes.length > count ? ` (and ${nodes.length - count} more nodes)` : '';
    return paint.in(node.mood === 'ok' ? 'grey' : 'yellow', cut(visibleLine(`${nodeText(node)}${more}`), columns));
  });
}

function rowLines(rows: readonly WorkloadRow[], marked: number, frame: Frame, paint: Paint): readonly string[] {
  const { columns, now, rows: height } = frame;
  if (rows.length === 0) return [paint.in('grey', cut('nothing to show', columns))];
  const first = Math.min(Math.max(0, marked - height + 1), Math.max(0, rows.length - height));
  const shown = rows.slice(first, first + height);
  const isNarrow = columns < NARROW_COLUMNS;
  const pick = (all: readonly string[]): readonly string[] =>
    isNarrow ? NARROW.map((place) => all[place] ?? '') : all;
  const cells = shown.map((row) => pick(cellsOf(row, now).map(visibleLine)));
  const heads = pick(HEADS);
  const widths = isNarrow ? narrowWidths([heads, ...cells], columns) : widthsOf([heads, ...cells], columns);
  const line = (row: readonly string[]): string =>
    cut(
      row
        .map((cell, column) => cut(cell, widths[column] ?? 0).padEnd(widths[column] ?? 0))
        .join(GAP)
        .trimEnd(),
      columns,
    );
  return [
    paint.in('grey', line(heads)),
    ...cells.map((row, place) => {
      const text = line(row);
      const coloured = paint.in(COLOUR_OF[shown[place]?.mood ?? 'ok'], text);
      return first + place === marked ? paint.reverse(coloured) : coloured;
    }),
  ];
}

/** Names may take two fifths, the text at the end has the rest. */
function narrowWidths(rows: readonly (readonly string[])[], columns: number): readonly number[] {
  const widest = (column: number): number => Math.max(...rows.map((row) => (row[column] ?? '').length));
  const fixed = [1, Math.min(widest(1), Math.floor((columns * 2) / 5)), widest(2)];
  return [...fixed, Math.max(8, columns - fixed.reduce((sum, width) => sum + width + GAP.length, 0))];
}

/** The two texts at the end share what the others leave. */
function widthsOf(rows: readonly (readonly string[])[], columns: number): readonly number[] {
  const widths = HEADS.map((_, column) => Math.max(...rows.map((row) => (row[column] ?? '').length)));
  const texts = HEADS.length - 2;
  const names = Math.max(12, Math.floor(columns / 4));
  const fixed = widths.slice(0, texts).map((width) => Math.min(width, names));
  const left = Math.max(20, columns - fixed.reduce((sum, width) => sum + width + GAP.length, 0) - GAP.length);
  const [death = 0, next = 0] = widths.slice(texts);
  const half = Math.floor(left / 2);
  const deathWidth = death <= half ? death : next <= half ? Math.min(death, left - next) : half;
  return [...fixed, deathWidth, Math.min(next, left - deathWidth)];
}

function paneLines({ title, lines, top }: Pane, height: number, { columns }: Frame, paint: Paint): readonly string[] {
  const shown = lines.slice(top, top + height).map((line) => cut(visibleLine(line), columns));
  const where = lines.length > height ? `   ${top + 1}–${Math.min(lines.length, top + height)} of ${lines.length}` : '';
  return [paint.bold(cut(title, columns)), ...shown, paint.in('grey', cut(`${PANE_HELP}${where}`, columns))];
}

function footer({ asks, said, onlyTroubled }: ViewState, { columns }: Frame, paint: Paint): string {
  if (asks !== undefined) return paint.bold(cut(visibleLine(asks.text), columns));
  if (said !== undefined) return cut(visibleLine(said), columns);
  const help = HELP.length <= columns ? HELP : SHORT_HELP;
  return paint.in('grey', cut(onlyTroubled ? `only what is not well   ${help}` : help, columns));
}

/** By characters as a terminal counts most of them. */
function cut(text: string, width: number): string {
  return text.length <= width ? text : `${text.slice(0, Math.max(0, width - 1))}…`;
}

type Colour = 'green' | 'yellow' | 'red' | 'cyan' | 'grey' | 'none';

const COLOUR_OF: Readonly<Record<Mood, Colour>> = {
  done: 'grey',
  ok: 'none',
  starting: 'cyan',
  ending: 'grey',
  unready: 'yellow',
  healing: 'yellow',
  waiting: 'yellow',
  unknown: 'yellow',
  stopped: 'red',
};
const COLOUR_OF_VERDICT: Readonly<Record<Verdict['mood'], Colour>> = {
  ok: 'green',
  healing: 'yellow',
  troubled: 'yellow',
  stopped: 'red',
};
const CODES: Readonly<Record<Exclude<Colour, 'none'>, string>> = {
  green: '32',
  yellow: '33',
  red: '31',
  cyan: '36',
  grey: '90',
};

interface Paint {
  in(colour: Colour, text: string): string;
  bold(text: string): string;
  reverse(text: string): string;
}

/** @param on without colours the mark is a sign */
function paintOf(on: boolean): Paint {
  const within = (begin: string, end: string, text: string): string =>
    on ? `\u001B[${begin}m${text}\u001B[${end}m` : text;
  return {
    in: (colour, text) => (colour === 'none' ? text : within(CODES[colour], '39', text)),
    bold: (text) => within('1', '22', text),
    reverse: (text) => (on ? within('7', '27', text) : `>${text.slice(1)}`),
  };
}
