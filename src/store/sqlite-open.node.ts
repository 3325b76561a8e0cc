/** The store's file as SQLite has it: its format, its pragmas, and what can be wrong with opening it at all. */
import { closeSync, lstatSync, openSync, readSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { accessProblem } from './access-problem.node.ts';
import { errorMessage } from '../lib/index.ts';
import { isDamage, SQLITE_BUSY, SQLITE_FULL, sqliteCode } from './sqlite-code.ts';
import { writeMark } from './log-rows.node.ts';
import { StoreOpenError } from './store.ts';

/** `PRAGMA user_version` of the files that this code writes. 1 had no checksums. */
export const FORMAT = 2;
const PAGE_BYTES = 4096;
const CACHE_KIB = 2048;
/** The write-ahead log is cut back to this after a checkpoint. */
const WAL_LIMIT_BYTES = 16 * 1024 * 1024;

// One table: the event log; the rowid is the revision. `deleted` is a `RowState`; a tombstone's value is empty.
// The index is a second witness of which keys there are; reads at old revisions use it, all others the directory in memory.
// `marks` says of the whole file what no row does (log-rows.node.ts).
const SCHEMA = `
CREATE TABLE log (
  revision INTEGER PRIMARY KEY,
  key TEXT NOT NULL,
  create_revision INTEGER NOT NULL,
  previous_revision INTEGER NOT NULL,
  deleted INTEGER NOT NULL,
  expires_at INTEGER,
  ttl_ms INTEGER,
  value BLOB NOT NULL,
  checksum INTEGER NOT NULL
) STRICT;
CREATE INDEX log_key ON log (key, revision, deleted);
CREATE TABLE marks (name TEXT PRIMARY KEY, value TEXT NOT NULL, checksum INTEGER NOT NULL) STRICT, WITHOUT ROWID;
PRAGMA user_version = ${FORMAT};
`;

export function toOpenError(error: unknown, path: string): StoreOpenError {
  if (error instanceof StoreOpenError) return error;
  const cause = { cause: error };
  if (sqliteCode(error) === SQLITE_BUSY)
    return new StoreOpenError('in-use', `${path}: in use by another process`, cause);
  if (isDamage(error)) {
    return new StoreOpenError('corrupt', `${path}: not a sound store file: ${errorMessage(error)}`, cause);
  }
  const denied = accessProblem(partsOf(path));
  const why = denied === undefined ? '' : `: ${denied}`;
  return new StoreOpenError('failed', `${path}: ${reasonOf(error)}${why}`, cause);
}

/** The folder, and all files that belong to the store: SQLite does not say which of them it could not open. */
function partsOf(path: string): readonly string[] {
  return [dirname(path), path, `${path}-wal`, `${path}.acknowledged`];
}

/** SQLite has one word for each of these, and the kernel another. */
function reasonOf(error: unknown): string {
  const isFull =
    sqliteCode(error) === SQLITE_FULL || (error instanceof Error && 'code' in error && error.code === 'ENOSPC');
  return isFull ? `the disk is full (${errorMessage(error)}): make room and start again` : errorMessage(error);
}

/**
 * The kind of file at the path.
 * @throws StoreOpenError if it is no regular file: SQLite would wait at a pipe, and follow a link
 */
export function fileSize(path: string): number | undefined {
  try {
    const stat = lstatSync(path);
    if (stat.isFile()) return stat.size;
    const what = stat.isSymbolicLink() ? 'a symbolic link' : stat.isDirectory() ? 'a folder' : 'no regular file';
    const hint = stat.isSymbolicLink() ? ': link or mount its folder instead, or the data folder' : '';
    throw new StoreOpenError('failed', `${path}: is ${what}, and a store is a file of its own${hint}`);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw toOpenError(error, path);
  }
}

/** Values inside are secrets; SQLite would create the file with the umask's mode. */
export function createPrivately(path: string): void {
  closeSync(openSync(path, 'wx', 0o600));
}

export function readFormat(db: DatabaseSync): number {
  return Number(db.prepare('PRAGMA user_version').get()?.['user_version'] ?? 0);
}

/** Bytes of the first page that are the same in every store (SQLite's file format, 1.3). */
const FIXED: readonly (readonly [at: number, bytes: readonly number[]])[] = [
  [0, [...new TextEncoder().encode('SQLite format 3\0')]],
  [16, [PAGE_BYTES >> 8, PAGE_BYTES & 0xff]],
  [20, [0, 64, 32, 32]],
  [44, [0, 0, 0]],
  [52, [0, 0, 0, 0, 0, 0, 0]],
  [64, Array.from({ length: 28 }, () => 0)],
];
/** Bytes that are zero until the first table is in the file itself, and no longer only in its write-ahead log. */
const FIXED_LATER: readonly (readonly [at: number, byte: number])[] = [
  [47, 4],
  [59, 1],
];
const JOURNAL_MODES = [1, 2];
const HEADER_BYTES = 100;

/** SQLite believes its header: a changed one makes it read-only, or lets it read other pages than were written. */
function isHeaderSound(header: Uint8Array): boolean {
  // Empty until its first table is made.
  if (header.length === 0) return true;
  const [writeVersion = 0, readVersion = 0] = header.subarray(18, 20);
  return (
    FIXED.every(([at, bytes]) => bytes.every((byte, index) => header[at + index] === byte)) &&
    FIXED_LATER.every(([at, byte]) => header[at] === byte || header[at] === 0) &&
    writeVersion === readVersion &&
    JOURNAL_MODES.includes(writeVersion)
  );
}

/** Closing a file gives up the process's locks on it: a file that was opened to read the header is closed with the store. */
const lookers = new WeakMap<DatabaseSync, number>();

function readHeader(fd: number): Uint8Array {
  const bytes = new Uint8Array(HEADER_BYTES);
  return bytes.subarray(0, readSync(fd, bytes, 0, HEADER_BYTES, 0));
}

function headerError(path: string): StoreOpenError {
  return new StoreOpenError('corrupt', `${path}: not a sound store file: its header is not as mendlet writes it`);
}

/** Reads the header of a file that could not be opened, and is therefore not in use. */
function isHeaderDamaged(path: string): boolean {
  const fd = openSync(path, 'r');
  try {
    return !isHeaderSound(readHeader(fd));
  } finally {
    closeSync(fd);
  }
}

/** Closes what `openFile` opened. */
export function closeFile(db: DatabaseSync): void {
  try {
    if (db.isOpen) db.close();
  } finally {
    const fd = lookers.get(db);
    lookers.delete(db);
    if (fd !== undefined) closeSync(fd);
  }
}

function checkFormat(db: DatabaseSync, path: string): void {
  const format = readFormat(db);
  if (format > FORMAT) {
    const message = `${path}: written by a newer mendlet (format ${format}; this one reads up to ${FORMAT})`;
    throw new StoreOpenError('newer', message);
  }
  const names = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
  const isOurs = names.some((row) => row['name'] === 'log');
  if (isOurs ? format === 0 : names.length > 0 || format > 0)
    throw new StoreOpenError('corrupt', `${path}: not a file of mendlet's store`);
  if (format === FORMAT && schemaOf(db) !== ourSchema())
    throw new StoreOpenError('corrupt', `${path}: its tables are not described as mendlet wrote it`);
}

function schemaOf(db: DatabaseSync): string {
  return JSON.stringify(
    db.prepare('SELECT type, name, tbl_name, rootpage, sql FROM sqlite_schema ORDER BY rowid').all(),
  );
}

let known: string | undefined;

function ourSchema(): string {
  if (known !== undefined) return known;
  const db = new DatabaseSync(':memory:');
  db.exec(SCHEMA);
  known = schemaOf(db);
  db.close();
  return known;
}

/**
 * Opens the file and holds it against other processes until it is closed. Nothing is written but what SQLite itself recovers.
 *
 * @throws StoreOpenError a file that it refuses is left as it was
 */
export function openFile(path: string): DatabaseSync {
  let db: DatabaseSync | undefined;
  try {
    db = new DatabaseSync(path, { timeout: 0 });
    // Exclusive: a second process is refused, and the index of the write-ahead log stays out of shared memory.
    db.exec('PRAGMA locking_mode = EXCLUSIVE');
    checkFormat(db, path);
    db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
    db.exec(`PRAGMA cache_size = -${CACHE_KIB}; PRAGMA journal_size_limit = ${WAL_LIMIT_BYTES}`);
    // The lock is taken by the first write; an empty one will do.
    db.exec('BEGIN EXCLUSIVE; COMMIT');
    const fd = openSync(path, 'r');
    lookers.set(db, fd);
    if (!isHeaderSound(readHeader(fd))) throw headerError(path);
    return db;
  } catch (error) {
    if (db !== undefined) closeFile(db);
    const refused = toOpenError(error, path);
    throw refused.code === 'failed' && isThere(path) && isHeaderDamaged(path) ? headerError(path) : refused;
  }
}

function isThere(path: string): boolean {
  return (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0;
}

export function limitSize(db: DatabaseSync, maxFileBytes: number): void {
  db.exec(`PRAGMA max_page_count = ${Math.floor(maxFileBytes / PAGE_BYTES)}`);
}

/** Makes the tables of an empty store. */
export function createTables(db: DatabaseSync, identity: string): void {
  db.exec(`BEGIN; ${SCHEMA}`);
  for (const name of ['compacted', 'swept', 'base'] as const) writeMark(db, name, 0);
  writeMark(db, 'identity', identity);
  db.exec('COMMIT');
  // The file itself says from now on what it is.
  db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
}
