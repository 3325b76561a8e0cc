/** Checks a store without changing it, and carries out repairs on one that no process has open. */
import { existsSync, mkdirSync, readdirSync, renameSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { AcknowledgedFile, readAcknowledged, recordPath } from './acknowledged.node.ts';
import { RowState } from './directory.ts';
import { closeKeepingWal, openLog, refuseLosses } from './log-open.node.ts';
import { rowsToKeep, writeLog } from './log-rebuild.node.ts';
import { COLUMNS, verifyRow } from './log-rows.node.ts';
import { scanLog } from './log-scan.node.ts';
import { fileSize, FORMAT, openFile, readFormat } from './sqlite-open.node.ts';
import { MAX_FILE_BYTES } from './limits.ts';
import { SqliteLog } from './sqlite-log.node.ts';
import { StoreOpenError } from './store.ts';

/** As `restore` and `accept-loss` leap: no revision is given out twice. */
const REVISION_LEAP = 1_000_000;
const MAX_ASIDE = 1000;

export interface StoreReport {
  readonly keys: number;
  readonly revision: number;
  /** Keys of objects that cannot be read. */
  readonly damaged: readonly string[];
  /** Everything else that is wrong: sentences, without content. */
  readonly problems: readonly string[];
}

/** Reads all of it and changes nothing. @throws StoreOpenError when it cannot be read at all */
export function checkStore(path: string, identity: string): StoreReport {
  if ((fileSize(path) ?? 0) === 0) throw new StoreOpenError('missing', `${path} is missing or empty`);
  const record = readAcknowledged(path);
  const walThere = existsSync(`${path}-wal`);
  const db = openFile(path);
  try {
    if (readFormat(db) < FORMAT)
      throw new StoreOpenError('failed', `${path} is of an older format: start mendlet once`);
    const scan = scanLog(db);
    const problems = [...scan.problems];
    if (record === 'damaged') problems.push(`${recordPath(path)} cannot be read`);
    try {
      refuseLosses(
        scan,
        { path, identity, mayBegin: false, maxFileBytes: 0 },
        record === 'damaged' ? undefined : record,
      );
    } catch (error) {
      if (!(error instanceof StoreOpenError)) throw error;
      problems.push(error.message);
    }
    const heads = [...scan.directory.entries()].filter(([, { state }]) => state !== RowState.deleted);
    const damaged = heads.filter(([, { state }]) => state === RowState.damaged).map(([key]) => key);
    return { keys: heads.length, revision: Math.max(scan.newest, scan.marks?.base ?? 0), damaged, problems };
  } finally {
    closeKeepingWal(db, path, walThere);
  }
}

export interface Repair {
  readonly path: string;
  readonly identity: string;
  readonly acceptLoss: boolean;
  readonly remove: readonly string[];
  readonly revert: readonly string[];
}

/** @returns what was done, in sentences. @throws StoreOpenError, and for a key that is not damaged or has no older version */
export function repairStore({ path, identity, acceptLoss, remove, revert }: Repair): readonly string[] {
  const { log: opened, notes } = openLog({ path, identity, acceptLoss, mayBegin: false, maxFileBytes: MAX_FILE_BYTES });
  const log = new SqliteLog(opened);
  const done = [...notes];
  try {
    const damaged = new Map(log.damaged.map(({ key, revision }) => [key, revision]));
    for (const key of [...remove, ...revert]) {
      if (!damaged.has(key)) throw new StoreOpenError('failed', `${key} is not damaged (or not there)`);
    }
    log.transaction(() => {
      for (const key of remove) {
        log.delete(key, damaged.get(key) ?? 0);
        done.push(`${key} was removed`);
      }
      for (const key of revert) {
        const older = olderValue(log, key, damaged.get(key) ?? 0);
        if (older === undefined) throw new StoreOpenError('failed', `${key} has no intact older version in this store`);
        log.put(key, older.value, damaged.get(key) ?? 0);
        done.push(`${key} is as it was at revision ${older.revision}`);
      }
    });
    acknowledge(log, path);
    done.push(...log.damaged.map(({ key }) => `${key} is damaged`));
    return done;
  } finally {
    log.close();
  }
}

function olderValue(
  log: SqliteLog,
  key: string,
  before: number,
): { readonly value: Uint8Array; readonly revision: number } | undefined {
  const rows = log.db.prepare(`SELECT ${COLUMNS} FROM log WHERE key = ? AND revision < ? ORDER BY revision DESC`);
  for (const raw of rows.all(key, before)) {
    const row = verifyRow(raw);
    if (row?.deleted === RowState.live) return row;
  }
  return undefined;
}

function acknowledge(log: SqliteLog, path: string): void {
  const record = new AcknowledgedFile(path);
  const { identity, revision, compacted, swept, tally } = log;
  record.write({ identity, revision, compacted, swept, ...tally });
  record.close();
}

/** Writes all that can be read into a new file. @returns the keys that could not be. @throws StoreOpenError */
export function copyStore(path: string, target: string, identity: string, leapFrom?: number): readonly string[] {
  if (existsSync(target)) throw new StoreOpenError('failed', `${target} exists already`);
  if ((fileSize(path) ?? 0) === 0) throw new StoreOpenError('missing', `${path} is missing or empty`);
  const walThere = existsSync(`${path}-wal`);
  const db = openFile(path);
  try {
    if (readFormat(db) < FORMAT)
      throw new StoreOpenError('failed', `${path} is of an older format: start mendlet on it once`);
    const scan = scanLog(db);
    if (scan.unnamed > 0) throw new StoreOpenError('corrupt', `${path}: damaged: ${scan.problems.join('; ')}`);
    const newest = Math.max(scan.newest, scan.marks?.base ?? 0);
    const base = leapFrom === undefined ? newest : Math.max(newest, leapFrom) + REVISION_LEAP;
    writeLog(target, rowsToKeep(db, scan.directory, scan.revisions), { compacted: base, swept: base, base, identity });
    const heads = [...scan.directory.entries()];
    return heads.filter(([, { state }]) => state === RowState.damaged).map(([key]) => key);
  } finally {
    closeKeepingWal(db, path, walThere);
  }
}

/** Puts a copy in the place of what is there. @returns the folder with what was there, and the keys that cannot be read */
export function restoreStore(
  path: string,
  file: string,
  identity: string,
): { readonly aside: string | undefined; readonly damaged: readonly string[] } {
  const record = readAcknowledged(path);
  const next = `${path}.restoring`;
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  if (existsSync(next)) renameSync(next, `${next}.old`);
  const known = record === undefined || record === 'damaged' ? 0 : record.revision;
  const damaged = copyStore(file, next, identity, known);
  const aside = putAside(path, basename(next));
  renameSync(next, path);
  return { aside, damaged };
}

/** Moves the store's own files into a folder beside them. @returns that folder; undefined: there were none */
export function putAside(path: string, except = ''): string | undefined {
  const folder = dirname(path);
  if (!existsSync(folder)) return undefined;
  const ours = ['', '-wal', '-shm', '.acknowledged'].map((end) => `${basename(path)}${end}`);
  const names = readdirSync(folder).filter((name) => ours.includes(name) && name !== except);
  if (names.length === 0) return undefined;
  const aside = freeFolder(`${folder}.aside`);
  for (const name of names) renameSync(join(folder, name), join(aside, name));
  return aside;
}

function freeFolder(base: string): string {
  for (let number = 1; number <= MAX_ASIDE; number++) {
    const folder = `${base}-${number}`;
    if (existsSync(folder)) continue;
    mkdirSync(folder, { mode: 0o700 });
    return folder;
  }
  throw new StoreOpenError('failed', `${MAX_ASIDE} folders ${base}-N are there already`);
}

/** An empty store. @throws StoreOpenError where one is there */
export function beginStore(path: string, identity: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const log = new SqliteLog(openLog({ path, identity, mayBegin: true, maxFileBytes: MAX_FILE_BYTES }).log);
  acknowledge(log, path);
  log.close();
}
