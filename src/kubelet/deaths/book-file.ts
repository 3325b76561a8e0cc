/**
 * A pod's book as a file: a first line that names the pod, then a line for each container. So the node knows what it has
 * without reading all of it. The reader trusts nothing: a file may be torn, foreign, or of a newer mendlet. Pure.
 */
import type { ContainerHistory, PodHistoryOwner } from '../../api/index.ts';
import { type PodBook, totalOf } from './death-book.ts';

/** Version of the file's format; a higher one is from a newer mendlet. */
export const BOOK_FORMAT = 1;

export interface BookHead {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly owner?: PodHistoryOwner;
  readonly goneAt?: string;
  /** All deaths ever of all containers. */
  readonly total: number;
}

export type Parsed<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly problem: string };

export function formatBook(book: PodBook): string {
  const { namespace, name, uid, owner, goneAt } = book;
  const names = { namespace, name, uid, ...(owner === undefined ? {} : { owner }) };
  const head = { format: BOOK_FORMAT, ...names, ...(goneAt === undefined ? {} : { goneAt }) };
  const lines = [{ ...head, total: totalOf(book), containers: book.containers.length }, ...book.containers];
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('');
}

/** `uid`: from the file's name. */
export function parseBook(text: string, uid: string): Parsed<PodBook> {
  const [first = '', ...rest] = text.split('\n');
  const head = parseHead(first, uid);
  if (!head.ok) return head;
  // The last line ends, too: a file that was cut there is whole.
  if (rest.pop() !== '') return { ok: false, problem: 'its end is missing' };
  const containers = rest.map(jsonOf);
  if (containers.length !== (jsonOf(first) as { readonly containers: number }).containers) {
    return { ok: false, problem: 'containers are missing' };
  }
  if (!containers.every(isHistory)) return { ok: false, problem: 'a line is no history of a container' };
  const { total: _total, ...names } = head.value;
  return { ok: true, value: { ...names, containers } };
}

/** The first line, with or without what follows it. */
export function parseHead(text: string, uid: string): Parsed<BookHead> {
  const end = text.indexOf('\n');
  const head = jsonOf(end === -1 ? text : text.slice(0, end));
  if (!isFields(head)) return { ok: false, problem: 'its first line is not an object' };
  const { format, namespace, name, goneAt, total, containers } = head;
  if (format !== BOOK_FORMAT) return { ok: false, problem: `its format is ${String(format)}` };
  if (head['uid'] !== uid) return { ok: false, problem: 'it is of another pod' };
  if (typeof namespace !== 'string' || typeof name !== 'string') return { ok: false, problem: 'it names no pod' };
  if (typeof total !== 'number' || typeof containers !== 'number') return { ok: false, problem: 'it has no counts' };
  const owner = ownerOf(head['owner']);
  const names = { namespace, name, uid, ...(owner === undefined ? {} : { owner }) };
  return { ok: true, value: { ...names, total, ...(typeof goneAt === 'string' ? { goneAt } : {}) } };
}

function ownerOf(value: unknown): PodHistoryOwner | undefined {
  if (!isFields(value)) return undefined;
  const { kind, name, uid } = value;
  if (typeof kind !== 'string' || typeof name !== 'string' || typeof uid !== 'string') return undefined;
  return { kind, name, uid };
}

type Fields = Readonly<Record<string, unknown>>;

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Fields that are counted or sorted by are checked; fields that are only shown are passed on as they are. */
function isHistory(value: unknown): value is ContainerHistory {
  if (!isFields(value) || typeof value['name'] !== 'string' || !Number.isInteger(value['total'])) return false;
  const { deaths } = value;
  return Array.isArray(deaths) && deaths.every(isRecord);
}

function isRecord(value: unknown): boolean {
  if (!isFields(value)) return false;
  const { number, containerId, restartCount, finishedAt, exitCode, reason } = value;
  const numbers = [number, restartCount, exitCode].every((each) => Number.isInteger(each));
  return numbers && [containerId, finishedAt, reason].every((each) => typeof each === 'string');
}
