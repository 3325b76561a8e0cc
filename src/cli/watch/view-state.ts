/** What the user looks at, and what a key changes. Pure. */
import type { WorkloadRow } from '../../overview/index.ts';
import type { Key } from './keys.ts';

/** An answer in place of the rows. */
export interface Pane {
  readonly title: string;
  readonly lines: readonly string[];
  /** The first line that is shown. */
  readonly top: number;
}

export interface ViewState {
  /** By `rowKey`: rows move, and the mark stays on its workload. Absent: the first row. */
  readonly marked?: string;
  readonly onlyTroubled: boolean;
  readonly pane?: Pane;
  /** A question that "y" answers. */
  readonly asks?: { readonly text: string; readonly act: Act };
  /** What came of the last act, below the rows. */
  readonly said?: string;
}

/** What the caller has to do. */
export type Act = { readonly kind: 'quit' } | { readonly kind: 'why' | 'logs' | DeedKind; readonly row: WorkloadRow };
/** Acts that change something. */
export type DeedKind = 'restart' | 'try-now' | 'pause' | 'resume';

export interface Room {
  /** The rows that are shown, in order. */
  readonly rows: readonly WorkloadRow[];
  /** Lines for rows, or for the lines of a pane. */
  readonly height: number;
}

export const START: ViewState = { onlyTroubled: false };

export function rowKey({ kind, namespace, name }: WorkloadRow): string {
  return `${namespace}/${kind}/${name}`;
}

/** The marked row's place; 0 where it is gone. */
export function markedPlace({ marked }: ViewState, rows: readonly WorkloadRow[]): number {
  return Math.max(
    0,
    rows.findIndex((row) => rowKey(row) === marked),
  );
}

export function visibleRows({ onlyTroubled }: ViewState, rows: readonly WorkloadRow[]): readonly WorkloadRow[] {
  return onlyTroubled ? rows.filter(({ mood, paused }) => (mood !== 'ok' && mood !== 'done') || paused === true) : rows;
}

export function pressed(state: ViewState, key: Key, room: Room): { readonly state: ViewState; readonly act?: Act } {
  if (state.asks !== undefined) {
    const { asks, ...rest } = state;
    return isLetter(key, 'y') ? { state: rest, act: asks.act } : { state: { ...rest, said: 'nothing was done' } };
  }
  return state.pane === undefined ? inRows(state, key, room) : inPane(state, state.pane, key, room);
}

function isLetter(key: Key, letter: string): boolean {
  return typeof key === 'object' && key.letter === letter;
}

/** By how many lines a key moves. */
function stepOf(key: Key, height: number): number | undefined {
  if (key === 'up' || isLetter(key, 'k')) return -1;
  if (key === 'down' || isLetter(key, 'j')) return 1;
  if (key === 'page-up') return -height;
  if (key === 'page-down' || isLetter(key, ' ')) return height;
  if (key === 'home' || isLetter(key, 'g')) return Number.NEGATIVE_INFINITY;
  if (key === 'end' || isLetter(key, 'G')) return Number.POSITIVE_INFINITY;
  return undefined;
}

function inPane(state: ViewState, pane: Pane, key: Key, { height }: Room): { readonly state: ViewState } {
  const { pane: _, ...without } = state;
  if (key === 'back' || isLetter(key, 'q')) return { state: without };
  const step = stepOf(key, height);
  if (step === undefined) return { state };
  const last = Math.max(0, pane.lines.length - height);
  return { state: { ...state, pane: { ...pane, top: Math.min(last, Math.max(0, pane.top + step)) } } };
}

function inRows(state: ViewState, key: Key, { rows, height }: Room): { readonly state: ViewState; readonly act?: Act } {
  const { said: _, ...rest } = state;
  if (isLetter(key, 'q') || key === 'back') return { state: rest, act: { kind: 'quit' } };
  if (isLetter(key, 'f')) return { state: { ...rest, onlyTroubled: !rest.onlyTroubled } };
  const place = markedPlace(state, rows);
  const row = rows[place];
  const step = stepOf(key, height);
  if (step !== undefined) {
    const next = rows[Math.min(rows.length - 1, Math.max(0, place + step))];
    return { state: next === undefined ? rest : { ...rest, marked: rowKey(next) } };
  }
  if (row === undefined) return { state: rest };
  if (key === 'enter' || isLetter(key, 'w')) return { state: rest, act: { kind: 'why', row } };
  if (isLetter(key, 'l')) return { state: rest, act: { kind: 'logs', row } };
  const deed = deedOf(key, row);
  if (deed === undefined) return { state: rest };
  const text = `${QUESTIONS[deed]} ${row.kind}/${row.name} in ${row.namespace}? y/n`;
  return { state: { ...rest, asks: { text, act: { kind: deed, row } } } };
}

const QUESTIONS: Readonly<Record<DeedKind, string>> = {
  restart: 'restart',
  'try-now': 'try now what waits of',
  pause: 'pause the healing of',
  resume: 'resume the healing of',
};

function deedOf(key: Key, { paused }: WorkloadRow): DeedKind | undefined {
  if (isLetter(key, 'r')) return 'restart';
  if (isLetter(key, 't')) return 'try-now';
  return isLetter(key, 'p') ? (paused === true ? 'resume' : 'pause') : undefined;
}
