/**
 * Reads a whole log once, at its opening: every row is verified, and the file's index is a second witness of which keys there
 * are. A sound file takes one pass; one in which anything is wrong is walked again, row by row and around what cannot be read.
 */
import type { DatabaseSync } from 'node:sqlite';
import { Directory, type Head, RowState } from './directory.ts';
import { Garbage } from './garbage.ts';
import { COLUMNS, type Marks, readMarks, type VerifiedRow, verifyRow } from './log-rows.node.ts';
import { EMPTY_TALLY, type Tally, withRow } from './tally.ts';

/** A row that cannot be read, as the index knows it. */
export interface LostRow {
  readonly key: string;
  readonly revision: number;
  readonly deleted: boolean;
}

export interface Scan {
  readonly directory: Directory;
  readonly garbage: Garbage;
  readonly tally: Tally;
  /** The newest revision of all rows. */
  readonly newest: number;
  /** Of all rows, lost ones included, in order. */
  readonly revisions: readonly number[];
  /** `undefined`: they are damaged. */
  readonly marks: Marks | undefined;
  /** Rows that cannot be read and have a name. */
  readonly lost: readonly LostRow[];
  /** Rows that cannot be read and have none, as far as they are known. */
  readonly unnamed: number;
  /** The problems of the file beside single rows; none: its structure is sound. Never content. */
  readonly problems: readonly string[];
}

type VerifiedRowHead = Omit<VerifiedRow, 'value'>;

const ALL = `SELECT ${COLUMNS} FROM log ORDER BY revision`;
const INDEX = 'SELECT key, revision, deleted FROM log INDEXED BY log_key ORDER BY key, revision';
const MAX_PROBLEMS = 3;
const MAX_PROBLEM_LENGTH = 200;

export function scanLog(db: DatabaseSync): Scan {
  const marks = attempt(() => readMarks(db));
  const structure = attempt(() => checkStructure(db)) ?? ['the structure cannot be checked'];
  const quick = structure.length === 0 && marks !== undefined ? attempt(() => scanSound(db)) : undefined;
  if (quick !== undefined && hasAllSince(quick, marks))
    return { ...partsOf(quick), marks, lost: [], unnamed: 0, problems: [] };
  return scanDamaged(db, marks, structure);
}

function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

/** The pages, and whether the index has each row and no other. SQLite's own words name pages and rows, never content. */
function checkStructure(db: DatabaseSync): readonly string[] {
  const lines = db.prepare(`PRAGMA integrity_check(${MAX_PROBLEMS})`).all();
  const problems = lines.map((row) => String(Object.values(row)[0])).filter((line) => line !== 'ok');
  return problems.map((line) => line.replaceAll(/\s+/g, ' ').slice(0, MAX_PROBLEM_LENGTH));
}

type Sound = Pick<Scan, 'directory' | 'garbage' | 'tally' | 'newest' | 'revisions'>;

/** `undefined`: something is wrong. */
function scanSound(db: DatabaseSync): Sound | undefined {
  const builder = new Builder();
  for (const raw of db.prepare(ALL).iterate()) {
    const row = verifyRow(raw);
    if (row === undefined) return undefined;
    builder.add(row);
  }
  return builder;
}

/** Every revision is a row until it is swept out. */
function hasAllSince(scan: Sound, marks: Marks | undefined): boolean {
  if (marks === undefined) return false;
  const from = Math.max(marks.swept, marks.base);
  return scan.newest <= from || countAfter(scan.revisions, from) === scan.newest - from;
}

/** Takes rows in the order of their revisions. */
class Builder {
  readonly directory = new Directory();
  readonly garbage = new Garbage();
  readonly revisions: number[] = [];
  tally = EMPTY_TALLY;
  newest = 0;

  add(row: VerifiedRowHead): void {
    const { key, revision, createRevision, deleted, checksum, expiresAt, ttlMs } = row;
    const state =
      deleted === RowState.live ? RowState.live : deleted === RowState.deleted ? RowState.deleted : RowState.damaged;
    const times = expiresAt === null || ttlMs === null ? {} : { expiresAt, ttlMs };
    this.put(key, { revision, createRevision, state, checksum, ...times });
    this.tally = withRow(this.tally, checksum);
  }

  put(key: string, head: Head): void {
    const before = this.directory.get(key);
    // The row before a damaged value may be the last one that is left of it: it stays.
    if (head.state !== RowState.damaged) this.garbage.replaced(key, before, head);
    this.directory.set(key, head);
    this.newest = Math.max(this.newest, head.revision);
    this.revisions.push(head.revision);
  }
}

function partsOf({ directory, garbage, tally, newest, revisions }: Sound): Sound {
  return { directory, garbage, tally, newest, revisions };
}

/** How many of the sorted `revisions` are newer than `from`. */
function countAfter(revisions: readonly number[], from: number): number {
  const first = revisions.findIndex((revision) => revision > from);
  return first < 0 ? 0 : revisions.length - first;
}

function scanDamaged(db: DatabaseSync, marks: Marks | undefined, structure: readonly string[]): Scan {
  const problems = [...structure];
  if (marks === undefined) problems.push("the store's own marks are damaged");
  const index = walkIndex(db);
  const table = walkTable(
    db,
    index.entries.map(({ revision }) => revision),
  );
  const verified = new Map(table.rows.map((row) => [row.revision, row]));
  const lost: LostRow[] = [];
  let matching = 0;
  for (const entry of index.entries) {
    const row = verified.get(entry.revision);
    if (row === undefined) lost.push(entry);
    else if (row.key === entry.key && row.deleted === entry.state) matching += 1;
    else problems.push('the index disagrees with a row');
  }
  // A number that was changed in the index names a row that never was, and misses the one that is.
  const isPhantom = !table.broken && table.unverified.length === 0 && lost.length <= verified.size - matching;
  if (isPhantom) lost.length = 0;
  if (index.broken) problems.push('the index cannot be read to its end');
  if (matching < verified.size) problems.push('the index misses rows');
  if (table.broken) problems.push('some rows cannot be reached');
  const strangers = table.unverified.filter((revision) => !lost.some((row) => row.revision === revision)).length;
  if (strangers > 0) problems.push('rows are not where the index has them');
  const builder = new Builder();
  const all = [
    ...table.rows.map((row) => ({ revision: row.revision, row, gone: undefined })),
    ...lost.map((gone) => ({ revision: gone.revision, row: undefined, gone })),
  ].sort((left, right) => left.revision - right.revision);
  for (const { row, gone } of all) {
    if (row !== undefined) builder.add(row);
    else builder.put(gone.key, lostHead(gone));
  }
  return {
    ...partsOf(builder),
    marks,
    lost,
    unnamed: unnamedRows(builder, marks, { index, strangers, lost: lost.length, broken: table.broken }),
    problems: [...new Set(problems)].slice(0, MAX_PROBLEMS),
  };
}

function lostHead({ revision, deleted }: LostRow): Head {
  return { revision, createRevision: revision, state: deleted ? RowState.deleted : RowState.damaged };
}

/** The number of rows that must exist and cannot be named. */
function unnamedRows(
  builder: Builder,
  marks: Marks | undefined,
  found: { readonly index: IndexWalk; readonly strangers: number; readonly lost: number; readonly broken: boolean },
): number {
  const from = marks === undefined ? builder.newest : Math.max(marks.swept, marks.base);
  const gaps = Math.max(0, builder.newest - from - countAfter(builder.revisions, from));
  // A row whose number was changed stands for one that the index has under its own number.
  const strangers = Math.max(0, found.strangers - found.lost);
  // Both witnesses are damaged: rows that neither has may have existed.
  const unknown = found.index.broken && found.broken ? 1 : 0;
  return Math.max(gaps, strangers, unknown);
}

interface IndexEntry extends LostRow {
  /** As the index has it; -1: not at all. */
  readonly state: number;
}

interface IndexWalk {
  readonly entries: readonly IndexEntry[];
  readonly broken: boolean;
}

/** From both ends, so that one broken place hides nothing but itself. */
function walkIndex(db: DatabaseSync): IndexWalk {
  const entries = new Map<number, IndexEntry>();
  let broken = false;
  for (const order of [INDEX, INDEX.replace('ORDER BY key, revision', 'ORDER BY key DESC, revision DESC')]) {
    try {
      for (const { key, revision, deleted } of db.prepare(order).iterate()) {
        if (typeof key !== 'string' || typeof revision !== 'number' || key === '') broken = true;
        else
          entries.set(revision, {
            key,
            revision,
            deleted: deleted === RowState.deleted,
            state: typeof deleted === 'number' ? deleted : -1,
          });
      }
      if (!broken) break;
    } catch {
      broken = true;
    }
  }
  return { entries: [...entries.values()], broken };
}

interface TableWalk {
  readonly rows: readonly VerifiedRowHead[];
  /** Rows that are there and not as they were written. */
  readonly unverified: readonly number[];
  readonly broken: boolean;
}

/** From both ends, then each row that the index has and neither way came to. */
function walkTable(db: DatabaseSync, known: readonly number[]): TableWalk {
  const rows = new Map<number, VerifiedRowHead>();
  const unverified = new Set<number>();
  const take = (raw: Parameters<typeof verifyRow>[0]): void => {
    const row = verifyRow(raw);
    if (row !== undefined) {
      const { value: _, ...head } = row;
      rows.set(row.revision, head);
    } else if (typeof raw['revision'] === 'number') unverified.add(raw['revision']);
  };
  let broken = false;
  for (const order of ['ASC', 'DESC']) {
    try {
      for (const raw of db.prepare(`SELECT ${COLUMNS} FROM log ORDER BY revision ${order}`).iterate()) take(raw);
      if (!broken) break;
    } catch {
      broken = true;
    }
  }
  if (broken) {
    const one = db.prepare(`SELECT ${COLUMNS} FROM log WHERE revision = ?`);
    for (const revision of known) {
      if (rows.has(revision) || unverified.has(revision)) continue;
      const raw = attempt(() => one.get(revision));
      if (raw !== undefined) take(raw);
    }
  }
  const sorted = [...rows.values()].sort((left, right) => left.revision - right.revision);
  return { rows: sorted, unverified: [...unverified], broken };
}
