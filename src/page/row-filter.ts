/** Which rows are shown, and in which order. Pure. */
import type { Mood, PageRow } from './contract.ts';

export interface Filter {
  /** Empty: all. */
  readonly namespace: string;
  readonly notWell: boolean;
  /** A part of "namespace/name", of the kind, of a pod or a node. */
  readonly text: string;
}

export const NO_FILTER: Filter = { namespace: '', notWell: false, text: '' };

const ORDER: readonly Mood[] = [
  'stopped',
  'unknown',
  'waiting',
  'healing',
  'unready',
  'starting',
  'ending',
  'ok',
  'done',
];

function isWell(mood: Mood): boolean {
  return mood === 'ok' || mood === 'done' || mood === 'ending';
}

/** A row of the filter "not well": whose healing is paused belongs to it. */
export function isNotWell({ mood, paused }: Pick<PageRow, 'mood' | 'paused'>): boolean {
  return !isWell(mood) || paused === true;
}

/** The worst first, then by namespace and name. */
export function inOrder(rows: readonly PageRow[]): readonly PageRow[] {
  return rows.toSorted(
    (a, b) =>
      ORDER.indexOf(a.mood) - ORDER.indexOf(b.mood) ||
      compare(a.namespace, b.namespace) ||
      compare(a.name, b.name) ||
      compare(a.kind, b.kind),
  );
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

export function filtered(rows: readonly PageRow[], filter: Filter): readonly PageRow[] {
  const wanted = filter.text.trim().toLowerCase();
  if (filter.namespace === '' && !filter.notWell && wanted === '') return rows;
  return rows.filter(
    (row) =>
      (filter.namespace === '' || row.namespace === filter.namespace) &&
      (!filter.notWell || isNotWell(row)) &&
      (wanted === '' || textsOf(row).some((text) => text.toLowerCase().includes(wanted))),
  );
}

function textsOf(row: PageRow): readonly string[] {
  return [
    `${row.namespace}/${row.name}`,
    `${row.kind}/${row.name}`,
    ...row.pods.flatMap(({ name, node }) => [name, node ?? '']),
  ];
}

export function namespacesOf(rows: readonly PageRow[]): readonly string[] {
  return [...new Set(rows.map(({ namespace }) => namespace))].toSorted();
}

/** The row that a key leads to from this one; undefined: none is shown. */
export function rowAfter(rows: readonly PageRow[], id: string | undefined, step: number): string | undefined {
  const at = rows.findIndex((row) => row.id === id);
  const next = at === -1 ? (step < 0 ? rows.length - 1 : 0) : Math.min(rows.length - 1, Math.max(0, at + step));
  return rows[next]?.id;
}
