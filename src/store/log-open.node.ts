/**
 * Opens the store. Nothing is served before every row is verified, every key accounted for, and every acknowledged write
 * found. Damage that can be mended without a loss is mended, with a copy kept; other damage is refused by name.
 */
import {
  copyFileSync,
  existsSync,
  openSync,
  closeSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
  statSync,
} from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { type Acknowledged, readAcknowledged } from './acknowledged.node.ts';
import { rowsFromFormat1 } from './log-migrate.node.ts';
import { keepCopy, putInPlace, refuseWithoutRoom, rowsToKeep, writeLog } from './log-rebuild.node.ts';
import type { Marks } from './log-rows.node.ts';
import { type Scan, scanLog } from './log-scan.node.ts';
import {
  closeFile,
  createPrivately,
  createTables,
  fileSize,
  FORMAT,
  limitSize,
  openFile,
  readFormat,
} from './sqlite-open.node.ts';
import type { OpenedLog } from './sqlite-log.node.ts';
import type { WorkerOptions } from './sqlite-messages.ts';
import { StoreOpenError } from './store.ts';
import { readWalChain } from './wal-chain.ts';

/** Revisions that a store skips when acknowledged ones were given up, so that none is given out twice. */
const REVISION_LEAP = 1_000_000;
const PAGE_BYTES = 4096;

export interface Opening {
  readonly log: OpenedLog;
  /** The damage that was found and mended, one sentence each; never content. */
  readonly notes: readonly string[];
}

type Asked = Pick<WorkerOptions, 'path' | 'maxFileBytes' | 'identity' | 'mayBegin' | 'acceptLoss'>;

/** @throws StoreOpenError a file that it refuses is left as it was */
export function openLog(asked: Asked): Opening {
  const { path } = asked;
  const notes: string[] = [];
  const size = fileSize(path);
  const walThere = existsSync(`${path}-wal`);
  const walSize = fileSize(`${path}-wal`) ?? 0;
  const record = readAcknowledged(path);
  if (record === 'damaged') notes.push(`${path}.acknowledged cannot be read: what it said is not checked`);
  const known = record === 'damaged' ? undefined : record;
  const mayBegin = asked.mayBegin && record === undefined && walSize === 0;
  if (size === undefined || size === 0) {
    if (!mayBegin) throw missing(path, size === undefined ? 'is missing' : 'is empty', known);
    if (size === undefined) createPrivately(path);
  }
  refuseForeign(asked, known);
  let db = openOrMend(asked, known, notes);
  try {
    if (readFormat(db) === 0) {
      if (!mayBegin) throw missing(path, 'holds no objects', known);
      createTables(db, asked.identity);
    } else if (readFormat(db) < FORMAT) {
      db = migrate(db, asked);
      notes.push(`${path} now has checksums; as it was is kept in ${path}.format-1`);
    }
    let scan = scanLog(db);
    refuseLosses(scan, asked, known);
    if (scan.problems.length > 0 || isLeaping(scan, asked, known)) {
      notes.push(
        `${path} was damaged (${problemsOf(scan)}) and was written anew; as it was is kept in ${copyName(path)}`,
      );
      db = rebuild(db, scan, asked, known);
      scan = scanLog(db);
    }
    limitSize(db, asked.maxFileBytes);
    return { log: toOpened(db, scan, asked), notes };
  } catch (error) {
    if (db.isOpen) closeKeepingWal(db, path, walThere);
    throw error;
  }
}

function toOpened(db: DatabaseSync, scan: Scan, { identity }: Asked): OpenedLog {
  const marks = scan.marks ?? { compacted: 0, swept: 0, base: 0, identity };
  return {
    db,
    directory: scan.directory,
    garbage: scan.garbage,
    tally: scan.tally,
    revision: Math.max(scan.newest, marks.base),
    marks,
    damagedUpTo: Math.max(0, ...scan.lost.map(({ revision }) => revision)),
  };
}

/** Reports of damage: pages and structures, in SQLite's words, and never their content. */
function problemsOf({ problems, unnamed }: Scan): string {
  const rows = unnamed === 0 ? [] : [`${unnamed} ${unnamed === 1 ? 'row is' : 'rows are'} gone and cannot be named`];
  return [...rows, ...problems].join('; ');
}

/** The first one that is kept is the one nearest to sound: it stays. */
function copyName(path: string): string {
  return `${path}.damaged`;
}

function missing(path: string, how: string, record: Acknowledged | undefined): StoreOpenError {
  const had = record === undefined ? '' : ` (its last acknowledged revision was ${record.revision})`;
  return new StoreOpenError('missing', `${path} ${how}, and this data folder had a store with objects in it${had}`);
}

function refuseForeign({ path, identity, acceptLoss }: Asked, record: Acknowledged | undefined): void {
  if (record === undefined || record.identity === identity || acceptLoss === true) return;
  throw new StoreOpenError('foreign', `${path}.acknowledged belongs to another data folder's store`);
}

/** Every acknowledged write must be there, and every key have a name; else nothing is served. */
export function refuseLosses(
  scan: Scan,
  { path, identity, acceptLoss }: Asked,
  record: Acknowledged | undefined,
): void {
  if (acceptLoss === true) return;
  const { marks } = scan;
  if (marks !== undefined && marks.identity !== identity)
    throw new StoreOpenError('foreign', `${path} is the store of another data folder`);
  const newest = Math.max(scan.newest, marks?.base ?? 0);
  if (record !== undefined && newest < record.revision) {
    throw new StoreOpenError(
      'lost',
      `${path} ends at revision ${newest}, and writes up to revision ${record.revision} were acknowledged${aboutWal(path)}`,
    );
  }
  if (scan.unnamed > 0) throw new StoreOpenError('corrupt', `${path}: damaged: ${problemsOf(scan)}`);
  if (record === undefined || marks === undefined || scan.lost.length > 0 || scan.problems.length > 0) return;
  // After a crash of the machine the record may be older; then it says nothing of rows.
  const same = record.revision === newest && record.swept === marks.swept;
  const { rows, sum } = scan.tally;
  if (!same || (record.rows === rows && record.sum === sum)) return;
  const what =
    rows < record.rows ? `${record.rows - rows} of ${record.rows} rows are gone` : 'its rows are not the last ones';
  throw new StoreOpenError('lost', `${path}: ${what}${aboutWal(path)}`);
}

/** The state of the write-ahead log; SQLite itself reads it up to the first bad frame and says nothing. */
function aboutWal(path: string): string {
  const wal = `${path}-wal`;
  if ((fileSize(wal) ?? 0) === 0) return `: ${wal} is missing or empty, or the file is an older copy`;
  const { frames, soundFrames, salts } = readWalChain(readFileSync(wal));
  if (frames === 0 && salts === undefined) return `: ${wal} has no sound header, or the file is an older copy`;
  return `: ${wal} can be read up to frame ${soundFrames} of ${frames}, or the file is an older copy`;
}

/** SQLite empties and removes the log when it closes; a refused store must look the same at the next start. */
export function closeKeepingWal(db: DatabaseSync, path: string, wasThere: boolean): void {
  const wal = `${path}-wal`;
  const kept = `${wal}.kept`;
  if (wasThere && existsSync(wal)) renameSync(wal, kept);
  try {
    closeFile(db);
  } finally {
    if (existsSync(kept)) renameSync(kept, wal);
  }
}

function isLeaping(scan: Scan, { acceptLoss }: Asked, record: Acknowledged | undefined): boolean {
  const newest = Math.max(scan.newest, scan.marks?.base ?? 0);
  return acceptLoss === true && (scan.unnamed > 0 || (record !== undefined && newest < record.revision));
}

function rebuild(db: DatabaseSync, scan: Scan, asked: Asked, record: Acknowledged | undefined): DatabaseSync {
  const { path, identity } = asked;
  refuseWithoutRoom(path, 2, 'to mend it');
  keepCopy(path, copyName(path));
  const newest = Math.max(scan.newest, scan.marks?.base ?? 0, record?.revision ?? 0);
  const base = isLeaping(scan, asked, record) ? newest + REVISION_LEAP : newest;
  const marks: Marks = { compacted: base, swept: base, base, identity };
  const next = `${path}.new`;
  writeLog(next, rowsToKeep(db, scan.directory, scan.revisions), marks);
  closeFile(db);
  putInPlace(next, path);
  return openFile(path);
}

function migrate(db: DatabaseSync, { path, identity }: Asked): DatabaseSync {
  const problems = db
    .prepare('PRAGMA integrity_check(3)')
    .all()
    .map((row) => String(row['integrity_check']));
  if (problems.some((line) => line !== 'ok'))
    throw new StoreOpenError('corrupt', `${path}: damaged: ${problems.join('; ').slice(0, 400)}`);
  refuseWithoutRoom(path, 2, 'to give it checksums');
  // All of it is in the file itself then, and the copy is one file.
  db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  keepCopy(path, `${path}.format-1`);
  const next = `${path}.new`;
  const newest = Number(db.prepare('SELECT max(revision) AS revision FROM log').get()?.['revision'] ?? 0);
  writeLog(next, rowsFromFormat1(db), { compacted: newest, swept: newest, base: newest, identity });
  closeFile(db);
  putInPlace(next, path);
  return openFile(path);
}

/** The first page says how to read all others; it is the same in every store, so a damaged one can be had again. */
function openOrMend(asked: Asked, record: Acknowledged | undefined, notes: string[]): DatabaseSync {
  const { path } = asked;
  try {
    return openFile(path);
  } catch (error) {
    if (!(error instanceof StoreOpenError) || error.code !== 'corrupt' || statSync(path).size < 2 * PAGE_BYTES)
      throw error;
    const mended = mendFirstPage(asked);
    if (mended === undefined) throw error;
    const { db, scan, mending } = mended;
    try {
      // Only if every row is as it was last acknowledged: otherwise more than the header is wrong.
      const isWhole =
        scan.lost.length === 0 &&
        scan.unnamed === 0 &&
        scan.marks !== undefined &&
        record !== undefined &&
        record.rows === scan.tally.rows &&
        record.sum === scan.tally.sum;
      if (!isWhole && asked.acceptLoss !== true) throw error;
      notes.push(`the first page of ${path} was damaged and was written anew; as it was is kept in ${copyName(path)}`);
      keepCopy(path, copyName(path));
      const newest = Math.max(scan.newest, scan.marks?.base ?? 0, record?.revision ?? 0);
      const marks = { compacted: newest, swept: newest, base: newest, identity: asked.identity };
      writeLog(`${path}.new`, rowsToKeep(db, scan.directory, scan.revisions), marks);
      putInPlace(`${path}.new`, path);
    } finally {
      closeFile(db);
      for (const end of ['', '-wal']) rmSync(`${mending}${end}`, { force: true });
    }
    return openFile(path);
  }
}

function mendFirstPage({ path, identity }: Asked): { db: DatabaseSync; scan: Scan; mending: string } | undefined {
  refuseWithoutRoom(path, 3, 'to mend it');
  const mending = `${path}.mending`;
  const sample = `${path}.sample`;
  const remove = (file: string): void => {
    for (const end of ['', '-wal', '-shm']) rmSync(`${file}${end}`, { force: true });
  };
  remove(mending);
  try {
    writeLog(sample, [], { compacted: 0, swept: 0, base: 0, identity });
    const page = readFileSync(sample).subarray(0, PAGE_BYTES);
    createPrivately(mending);
    copyFileSync(path, mending);
    if (existsSync(`${path}-wal`)) copyFileSync(`${path}-wal`, `${mending}-wal`);
    // The number of pages, no free ones, and write-ahead logging.
    page.writeUInt32BE(Math.floor(statSync(path).size / PAGE_BYTES), 28);
    page.fill(0, 32, 40);
    page.fill(2, 18, 20);
    page.copy(page, 92, 24, 28);
    const fd = openSync(mending, 'r+');
    writeSync(fd, page, 0, PAGE_BYTES, 0);
    closeSync(fd);
    const db = openFile(mending);
    return { db, scan: scanLog(db), mending };
  } catch {
    remove(mending);
    return undefined;
  } finally {
    remove(sample);
  }
}
