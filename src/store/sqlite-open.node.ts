/** Opens the store's file: its format, its pragmas, and what can be wrong with it. */
import { closeSync, openSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { errorMessage } from '../lib/index.ts';
import { StoreOpenError } from './store.ts';

/** `PRAGMA user_version` of the files that this code writes. */
export const FORMAT = 1;
const PAGE_BYTES = 4096;
const CACHE_KIB = 2048;
/** The write-ahead log is cut back to this after a checkpoint. */
const WAL_LIMIT_BYTES = 16 * 1024 * 1024;

// One table: the event log; the rowid is the revision. A tombstone's value is that of the row it replaced.
// `marks` holds two numbers: history is forgotten up to "compacted" and swept out up to "swept".
const SCHEMA = `
CREATE TABLE log (
  revision INTEGER PRIMARY KEY,
  key TEXT NOT NULL,
  create_revision INTEGER NOT NULL,
  previous_revision INTEGER NOT NULL,
  deleted INTEGER NOT NULL,
  expires_at INTEGER,
  ttl_ms INTEGER,
  value BLOB NOT NULL
) STRICT;
CREATE INDEX log_key ON log (key, revision, deleted);
CREATE TABLE marks (name TEXT PRIMARY KEY, revision INTEGER NOT NULL) STRICT, WITHOUT ROWID;
INSERT INTO marks VALUES ('compacted', 0), ('swept', 0);
PRAGMA user_version = ${FORMAT};
`;

/** SQLite's primary result codes. */
const SQLITE_BUSY = 5;
const SQLITE_CORRUPT = 11;
export const SQLITE_FULL = 13;
const SQLITE_NOTADB = 26;

/** The primary result code of what node:sqlite threw; `undefined` for any other error. */
export function sqliteCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('errcode' in error) || typeof error.errcode !== 'number') return undefined;
  return error.errcode & 0xff;
}

function toOpenError(error: unknown, path: string): StoreOpenError {
  if (error instanceof StoreOpenError) return error;
  const cause = { cause: error };
  const code = sqliteCode(error);
  if (code === SQLITE_BUSY) return new StoreOpenError('in-use', `${path}: in use by another process`, cause);
  if (code === SQLITE_NOTADB || code === SQLITE_CORRUPT) {
    return new StoreOpenError('corrupt', `${path}: not a sound store file: ${errorMessage(error)}`, cause);
  }
  return new StoreOpenError('failed', `${path}: ${errorMessage(error)}`, cause);
}

/** Values inside are secrets; SQLite would create the file with the umask's mode. */
function createPrivately(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
}

function readNumber(db: DatabaseSync, pragma: string): number {
  const row = db.prepare(`PRAGMA ${pragma}`).get();
  return Number(Object.values(row ?? {})[0] ?? 0);
}

function checkFormat(db: DatabaseSync, path: string): void {
  const format = readNumber(db, 'user_version');
  if (format > FORMAT) {
    const message = `${path}: written by a newer mendlet (format ${format}; this one reads up to ${FORMAT})`;
    throw new StoreOpenError('newer', message);
  }
  const tables = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
  if (format === 0 && tables.length > 0) throw new StoreOpenError('corrupt', `${path}: not a file of mendlet's store`);
}

function checkIntegrity(db: DatabaseSync, path: string): void {
  const found = db.prepare('PRAGMA integrity_check(3)').all();
  const problems = found.map((row) => String(row['integrity_check'])).filter((line) => line !== 'ok');
  if (problems.length > 0) throw new StoreOpenError('corrupt', `${path}: damaged: ${problems.join('; ')}`);
}

/**
 * Opens or creates the file, checks it, and holds it against other processes until it is closed. Throws
 * `StoreOpenError`; a file that it refuses is left as it was.
 */
export function openDatabase(path: string, maxFileBytes: number): DatabaseSync {
  let db: DatabaseSync | undefined;
  try {
    createPrivately(path);
    db = new DatabaseSync(path, { timeout: 0 });
    // Exclusive: a second process is refused, and the index of the write-ahead log stays out of shared memory.
    db.exec('PRAGMA locking_mode = EXCLUSIVE');
    checkFormat(db, path);
    db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
    db.exec(`PRAGMA cache_size = -${CACHE_KIB}; PRAGMA journal_size_limit = ${WAL_LIMIT_BYTES}`);
    // The lock is taken by the first write; an empty one will do.
    db.exec('BEGIN EXCLUSIVE; COMMIT');
    checkIntegrity(db, path);
    if (readNumber(db, 'user_version') === 0) db.exec(`BEGIN; ${SCHEMA} COMMIT`);
    db.exec(`PRAGMA max_page_count = ${Math.floor(maxFileBytes / PAGE_BYTES)}`);
    return db;
  } catch (error) {
    if (db?.isOpen) db.close();
    throw toOpenError(error, path);
  }
}
