/** Writes a new, sound file from what can be read of another one; the other one is kept. Also how older formats come over. */
import {
  closeSync,
  copyFileSync,
  existsSync,
  fsyncSync,
  openSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type Directory, RowState } from './directory.ts';
import { COLUMNS, type Marks, type VerifiedRow, verifyRow, writeMark } from './log-rows.node.ts';
import { checksumOf, type LogRow } from './row-checksum.node.ts';
import { createPrivately, createTables } from './sqlite-open.node.ts';
import { StoreOpenError } from './store.ts';

/** Room that must be left after all copies are made: other parts of the machine live on the same disk. */
const SPARE_BYTES = 16 * 1024 * 1024;
const EMPTY = new Uint8Array(0);

/** @throws StoreOpenError when the disk lacks the room for `copies` more copies of the store */
export function refuseWithoutRoom(path: string, copies: number, why: string): void {
  const { size } = statSync(path);
  const wal = existsSync(`${path}-wal`) ? statSync(`${path}-wal`).size : 0;
  const needed = (size + wal) * copies + SPARE_BYTES;
  const { bavail, bsize } = statfsSync(dirname(path));
  const free = bavail * bsize;
  if (free >= needed) return;
  const mib = (bytes: number): string => `${Math.ceil(bytes / 1024 / 1024)} MiB`;
  throw new StoreOpenError(
    'failed',
    `${path}: ${why} needs ${mib(needed)} of room and the disk has ${mib(free)}: make room and start again; nothing was changed`,
  );
}

/** Copies the file and its write-ahead log; under its name only when it is whole. One that is there stays. */
export function keepCopy(path: string, copy: string): void {
  if (existsSync(copy)) return;
  for (const end of ['-wal', '']) {
    if (end !== '' && !existsSync(`${path}${end}`)) continue;
    const part = `${copy}.part`;
    rmSync(part, { force: true });
    createPrivately(part);
    copyFileSync(`${path}${end}`, part);
    syncFile(part);
    renameSync(part, `${copy}${end}`);
  }
}

export function syncFile(path: string): void {
  const fd = openSync(path, 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** The rows of `db` that are worth keeping, one at a time. */
export type RowSource = Iterable<LogRow>;

/**
 * Heads, and what is left of damaged values, with a mark in the place of each. History is forgotten. A row is looked for by its
 * number first, and where the way to it is damaged, from both ends.
 */
export function* rowsToKeep(db: DatabaseSync, directory: Directory, revisions: readonly number[]): RowSource {
  const given = new Set<number>();
  const wanted = (row: VerifiedRow | undefined): row is VerifiedRow => {
    if (row === undefined || given.has(row.revision)) return false;
    const head = directory.get(row.key);
    return head?.state === RowState.damaged || (head?.revision === row.revision && head.state === RowState.live);
  };
  const one = db.prepare(`SELECT ${COLUMNS} FROM log WHERE revision = ?`);
  const missed = new Set<number>();
  for (const revision of revisions) {
    const row = readRow(() => one.get(revision));
    if (row === undefined) missed.add(revision);
    if (!wanted(row)) continue;
    given.add(row.revision);
    yield row;
  }
  for (const order of missed.size === 0 ? [] : ['ASC', 'DESC']) {
    for (const row of readableRows(db, order)) {
      if (!missed.has(row.revision) || !wanted(row)) continue;
      given.add(row.revision);
      yield row;
    }
  }
  for (const [key, { state, revision }] of directory.entries()) {
    if (state !== RowState.deleted && !given.has(revision)) yield markerRow(key, revision);
  }
}

/** Up to the first place that cannot be read. */
function* readableRows(db: DatabaseSync, order: string): Generator<VerifiedRow, void, undefined> {
  try {
    for (const raw of db.prepare(`SELECT ${COLUMNS} FROM log ORDER BY revision ${order}`).iterate()) {
      const row = verifyRow(raw);
      if (row !== undefined) yield row;
    }
  } catch {
    // The other end, or a mark, has the rest.
  }
}

function readRow(read: () => Parameters<typeof verifyRow>[0] | undefined): VerifiedRow | undefined {
  try {
    const raw = read();
    return raw === undefined ? undefined : verifyRow(raw);
  } catch {
    return undefined;
  }
}

/** The row in place of a lost value: its key stays taken. */
export function markerRow(key: string, revision: number): LogRow {
  return {
    revision,
    key,
    createRevision: revision,
    previousRevision: 0,
    deleted: RowState.damaged,
    expiresAt: null,
    ttlMs: null,
    value: EMPTY,
  };
}

/** Writes `rows` into a new file, which is whole and on the disk when this returns. */
export function writeLog(path: string, rows: RowSource, marks: Marks): void {
  for (const end of ['', '-wal', '-shm', '-journal']) rmSync(`${path}${end}`, { force: true });
  createPrivately(path);
  const db = new DatabaseSync(path);
  try {
    db.exec('PRAGMA journal_mode = DELETE; PRAGMA synchronous = FULL');
    createTables(db, marks.identity);
    const insert = db.prepare(`INSERT INTO log (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`);
    db.exec('BEGIN');
    for (const row of rows) {
      const { revision, key, createRevision, previousRevision, deleted, expiresAt, ttlMs, value } = row;
      const head = [revision, key, createRevision, previousRevision, deleted, expiresAt, ttlMs] as const;
      insert.run(...head, value, checksumOf(row));
    }
    for (const name of ['compacted', 'swept', 'base'] as const) writeMark(db, name, marks[name]);
    db.exec('COMMIT');
  } finally {
    db.close();
  }
  syncFile(path);
}

/** Replaces the old file by a whole new one; the old one's write-ahead log must be empty or gone. */
export function putInPlace(next: string, path: string): void {
  // A log of the old file beside the new one would be read into it.
  for (const end of ['-wal', '-shm']) rmSync(`${path}${end}`, { force: true });
  renameSync(next, path);
  const fd = openSync(dirname(path), 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}
