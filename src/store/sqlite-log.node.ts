/** The event log as a table: synchronous reads and writes of one open file. Lives in the store's worker. */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { type Directory, type Head, RowState } from './directory.ts';
import { prefixEnd } from './keys.ts';
import { COLUMNS, type Marks, type VerifiedRow, verifyRow, writeMark } from './log-rows.node.ts';
import { checksumOf } from './row-checksum.node.ts';
import type { Garbage } from './garbage.ts';
import type { ExpiringKey, ExpiryStamp, Written } from './sqlite-messages.ts';
import { closeFile } from './sqlite-open.node.ts';
import { isDamage, sqliteCode } from './sqlite-code.ts';
import {
  compactedError,
  type DamagedKey,
  type HistoryOptions,
  type ListOptions,
  type ListResult,
  type PastBatch,
  type PastEvent,
  type StoreEntry,
  StoreError,
  type StoreEvent,
  type WatchBatch,
} from './store.ts';
import { type Tally, withoutRow, withRow } from './tally.ts';

/** An upper end that no key reaches: U+10FFFF is no character. */
const NO_END = '\u{10ffff}\u{10ffff}';

const ROW = `SELECT ${COLUMNS} FROM log WHERE revision = ?`;
const ROW_BEFORE = `SELECT ${COLUMNS} FROM log WHERE key = ? AND revision <= ? ORDER BY revision DESC LIMIT 1`;
const INSERT = `INSERT INTO log (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`;
const EVENTS = `SELECT ${COLUMNS} FROM log WHERE revision > :after AND key >= :from AND key < :end
  ORDER BY revision LIMIT :limit`;
const REVISIONS = `SELECT revision FROM log WHERE revision > :after AND key >= :from AND key < :end
  ORDER BY revision LIMIT :limit`;

const EMPTY = new Uint8Array(0);

/** All that opening a file found out about its rows. */
export interface OpenedLog {
  readonly db: DatabaseSync;
  readonly directory: Directory;
  readonly garbage: Garbage;
  readonly tally: Tally;
  readonly revision: number;
  readonly marks: Marks;
  /** Rows up to here have damaged ones among them: earlier history is not served. */
  readonly damagedUpTo: number;
}

function toEntry(row: VerifiedRow): StoreEntry {
  const { key, value, revision, createRevision } = row;
  return { key, value, revision, createRevision };
}

export class SqliteLog {
  readonly #db: DatabaseSync;
  readonly #directory: Directory;
  readonly #garbage: Garbage;
  readonly #statements = new Map<string, StatementSync>();
  readonly #damaged = new Map<string, number>();
  readonly identity: string;
  #damageVersion = 0;
  #tally: Tally;
  #revision: number;
  #compacted: number;
  #swept: number;

  constructor({ db, directory, garbage, tally, revision, marks, damagedUpTo }: OpenedLog) {
    this.#db = db;
    this.#directory = directory;
    this.#garbage = garbage;
    this.#tally = tally;
    this.#revision = revision;
    this.identity = marks.identity;
    this.#compacted = Math.max(marks.compacted, Math.min(damagedUpTo, revision));
    this.#swept = marks.swept;
    for (const [key, head] of directory.entries()) {
      if (head.state === RowState.damaged) this.#damaged.set(key, head.revision);
    }
  }

  get revision(): number {
    return this.#revision;
  }

  get compacted(): number {
    return this.#compacted;
  }

  get swept(): number {
    return this.#swept;
  }

  get tally(): Tally {
    return this.#tally;
  }

  get db(): DatabaseSync {
    return this.#db;
  }

  /** Rises whenever `damaged` changes. */
  get damageVersion(): number {
    return this.#damageVersion;
  }

  /** Keys whose newest value cannot be read. */
  get damaged(): readonly DamagedKey[] {
    return [...this.#damaged].map(([key, revision]) => ({ key, revision }));
  }

  /** Runs `work` in one transaction, durable when this returns; when it throws, nothing of it happened. */
  transaction<T>(work: () => T): T {
    const before = {
      revision: this.#revision,
      compacted: this.#compacted,
      swept: this.#swept,
      tally: this.#tally,
      damaged: new Map(this.#damaged),
    };
    this.#directory.begin();
    this.#garbage.begin();
    try {
      this.#db.exec('BEGIN IMMEDIATE');
      const result = work();
      this.#db.exec('COMMIT');
      this.#directory.commit();
      this.#garbage.commit();
      return result;
    } catch (error) {
      // SQLite has rolled back by itself after some errors.
      if (this.#db.isTransaction) this.#db.exec('ROLLBACK');
      this.#directory.rollback();
      this.#garbage.rollback();
      this.#revision = before.revision;
      this.#compacted = before.compacted;
      this.#swept = before.swept;
      this.#tally = before.tally;
      this.#damaged.clear();
      for (const [key, revision] of before.damaged) this.#damaged.set(key, revision);
      throw error;
    }
  }

  /** @throws StoreError "damaged" */
  get(key: string): StoreEntry | undefined {
    const head = this.#directory.get(key);
    if (head === undefined || head.state === RowState.deleted) return undefined;
    const row = this.#rowOf(key, head);
    if (row === undefined) throw damagedError(key, head.revision);
    return toEntry(row);
  }

  list(prefix: string, options: ListOptions): ListResult {
    const revision = options.revision ?? this.#revision;
    if (revision > this.#revision) throw new StoreError('future', `revision ${revision} is yet to come`);
    if (revision < this.#compacted) throw new StoreError('compacted', `revision ${revision} was compacted`);
    const limit = options.limit ?? Number.POSITIVE_INFINITY;
    const entries: StoreEntry[] = [];
    const damaged: DamagedKey[] = [];
    let remaining = 0;
    for (const key of this.#directory.range(prefix, options.after)) {
      const head = this.#directory.get(key);
      if (head === undefined) continue;
      if (entries.length >= limit) {
        if (this.#isThereAt(key, head, revision)) remaining += 1;
        continue;
      }
      const found = this.#rowAt(key, head, revision);
      if (found === 'damaged') damaged.push({ key, revision: head.revision });
      else if (found !== undefined) entries.push(toEntry(found));
    }
    return { entries, revision, more: remaining > 0, remaining, ...(damaged.length > 0 && { damaged }) };
  }

  put(key: string, value: Uint8Array, expected: number, expiry?: ExpiryStamp): Written {
    const head = this.#directory.get(key);
    const refused = this.#refuse(key, head, expected);
    if (refused !== undefined) return refused;
    const revision = this.#revision + 1;
    const createRevision = head === undefined || head.state === RowState.deleted ? revision : head.createRevision;
    const { expiresAt = null, ttlMs = null } = expiry ?? {};
    this.#append({
      revision,
      key,
      createRevision,
      previousRevision: expected,
      deleted: RowState.live,
      expiresAt,
      ttlMs,
      value,
    });
    return { ok: true, revision, createRevision };
  }

  delete(key: string, expected: number): Written {
    const head = this.#directory.get(key);
    if (head === undefined || head.state === RowState.deleted) return { ok: false };
    const refused = this.#refuse(key, head, expected);
    if (refused !== undefined) return refused;
    const previous = this.#rowOf(key, head)?.value;
    const revision = this.#revision + 1;
    const { createRevision } = head;
    this.#append({
      revision,
      key,
      createRevision,
      previousRevision: expected,
      deleted: RowState.deleted,
      expiresAt: null,
      ttlMs: null,
      value: EMPTY,
    });
    return { ok: true, revision, createRevision, ...(previous === undefined ? {} : { previous }) };
  }

  /** See `EventLog.readEvents`. */
  events(prefix: string, after: number, limit: number): WatchBatch {
    if (after < this.#compacted) throw new StoreError('compacted', `revision ${after} was compacted`);
    const range = { ':from': prefix, ':end': prefixEnd(prefix) ?? NO_END, ':after': after, ':limit': limit };
    const rows = this.#readRange(range);
    const events = rows.map((row) => this.#toEvent(row));
    const last = events.at(-1);
    return { events, revision: last !== undefined && events.length === limit ? last.revision : this.#revision };
  }

  /** See `Store.history`. Rows are read one by one, so that large values do not lie in memory beyond the bound. */
  history(prefix: string, after: number, { limit, maxBytes, previous }: HistoryOptions): PastBatch {
    if (after > this.#revision) throw new StoreError('future', `revision ${after} is yet to come`);
    if (after < this.#compacted) throw compactedError(after, this.#compacted);
    const range = { ':from': prefix, ':end': prefixEnd(prefix) ?? NO_END, ':after': after, ':limit': limit };
    const events: PastEvent[] = [];
    let bytes = 0;
    for (const found of this.#sql(REVISIONS).all(range)) {
      const revision = Number(found['revision']);
      const event = this.#pastEvent(revision, previous);
      if (event === undefined) {
        this.#compacted = Math.max(this.#compacted, revision);
        throw compactedError(after, this.#compacted);
      }
      events.push(event);
      bytes += event.value.length + (event.previous?.length ?? 0);
      if (events.length === limit || bytes >= maxBytes) return { events, revision };
    }
    return { events, revision: this.#revision };
  }

  /** The keys that have an end, however near. */
  expiring(): ExpiringKey[] {
    const found: ExpiringKey[] = [];
    for (const [key, { state, revision, expiresAt, ttlMs }] of this.#directory.entries()) {
      if (state !== RowState.live || expiresAt === undefined || ttlMs === undefined) continue;
      found.push({ key, revision, expiry: { expiresAt, ttlMs } });
    }
    return found;
  }

  /** Forgets history up to `revision`; the rows go by and by (`sweep`). */
  compact(revision: number): void {
    if (revision > this.#revision) throw new StoreError('future', `revision ${revision} is yet to come`);
    if (revision <= this.#compacted) return;
    writeMark(this.#db, 'compacted', revision);
    this.#compacted = revision;
  }

  /**
   * Deletes rows that cannot be read any more: those that a row up to "compacted" replaced, and tombstones. Looks at up to
   * `limit` revisions; false when nothing is left to do. The newest row always stays, because it carries the counter. So does
   * the row before a damaged value: it may be the last one that is left of it.
   */
  sweep(limit: number): boolean {
    const target = Math.min(this.#compacted, this.#revision - 1);
    if (this.#swept >= target) return false;
    const to = Math.min(target, this.#swept + limit);
    const remove = this.#sql('DELETE FROM log WHERE revision = ?');
    for (const { key, revision, checksum } of this.#garbage.takeUpTo(to)) {
      if (remove.run(revision).changes === 0) continue;
      if (checksum !== undefined) this.#tally = withoutRow(this.#tally, checksum);
      const head = this.#directory.get(key);
      if (head?.revision === revision && head.state === RowState.deleted) this.#directory.set(key, undefined);
    }
    writeMark(this.#db, 'swept', to);
    this.#swept = to;
    return to < target;
  }

  close(): void {
    this.#statements.clear();
    closeFile(this.#db);
  }

  /** `undefined`: the write may go on. @throws StoreError "damaged" */
  #refuse(key: string, head: Head | undefined, expected: number): Written | undefined {
    const there = head === undefined || head.state === RowState.deleted ? 0 : head.revision;
    if (there === expected) return undefined;
    const current = this.get(key);
    return current === undefined ? { ok: false } : { ok: false, current };
  }

  #append(row: Parameters<typeof checksumOf>[0]): void {
    const { revision, key, createRevision, expiresAt, ttlMs } = row;
    const checksum = checksumOf(row);
    const state = row.deleted === RowState.live ? RowState.live : RowState.deleted;
    this.#sql(INSERT).run(
      ...([revision, key, createRevision, row.previousRevision, row.deleted, expiresAt, ttlMs] as const),
      row.value,
      checksum,
    );
    const before = this.#directory.get(key);
    const times = expiresAt === null || ttlMs === null ? {} : { expiresAt, ttlMs };
    this.#directory.set(key, { revision, createRevision, state, checksum, ...times });
    this.#garbage.replaced(key, before, { revision, state, checksum });
    this.#tally = withRow(this.#tally, checksum);
    this.#revision = revision;
    if (this.#damaged.delete(key)) this.#damageVersion += 1;
  }

  #isThereAt(key: string, head: Head, revision: number): boolean {
    if (head.revision <= revision) return head.state === RowState.live;
    const row = this.#rowAt(key, head, revision);
    return row !== undefined && row !== 'damaged';
  }

  /** The value of `key` as of `revision`; `undefined`: there was none. */
  #rowAt(key: string, head: Head, revision: number): VerifiedRow | 'damaged' | undefined {
    if (head.revision <= revision) {
      if (head.state === RowState.deleted) return undefined;
      return this.#rowOf(key, head) ?? 'damaged';
    }
    const raw = this.#sql(ROW_BEFORE).get(key, revision);
    if (raw === undefined) return undefined;
    const row = verifyRow(raw);
    if (row === undefined) throw new StoreError('compacted', `history at revision ${revision} is damaged`);
    return row.deleted === RowState.live ? row : undefined;
  }

  /** The row of a head that is there; `undefined`: it is damaged, which is remembered. */
  #rowOf(key: string, head: Head): VerifiedRow | undefined {
    if (head.state === RowState.damaged) return undefined;
    const row = this.#read(head.revision);
    if (row?.key === key) return row;
    this.#directory.set(key, { ...head, state: RowState.damaged });
    this.#damaged.set(key, head.revision);
    this.#damageVersion += 1;
    return undefined;
  }

  /** @throws StoreError "unknown" when the file itself cannot be read */
  #read(revision: number): VerifiedRow | undefined {
    try {
      const raw = this.#sql(ROW).get(revision);
      return raw === undefined ? undefined : verifyRow(raw);
    } catch (error) {
      // A number that no column of ours can hold, or a page that is none: not what was written.
      if (sqliteCode(error) === undefined || isDamage(error)) return undefined;
      throw error;
    }
  }

  /** Rows of history; one that is damaged ends it, as if it had been compacted: readers list again. */
  #readRange(range: Record<':from' | ':end' | ':after' | ':limit', string | number>): readonly VerifiedRow[] {
    try {
      const rows = this.#sql(EVENTS).all(range).map(verifyRow);
      if (rows.every((row) => row !== undefined)) return rows;
    } catch (error) {
      if (sqliteCode(error) !== undefined && !isDamage(error)) throw error;
    }
    const damaged = this.#lastDamaged(range);
    this.#compacted = Math.max(this.#compacted, damaged);
    throw new StoreError('compacted', `history up to revision ${damaged} is damaged`);
  }

  #lastDamaged(range: Record<':from' | ':end' | ':after' | ':limit', string | number>): number {
    try {
      const revisions = this.#sql(REVISIONS)
        .all(range)
        .map((row) => Number(row['revision']));
      return revisions.findLast((revision) => this.#read(revision) === undefined) ?? this.#revision;
    } catch {
      return this.#revision;
    }
  }

  /** Undefined: it, or what it replaced, is damaged or gone. */
  #pastEvent(revision: number, withPrevious: boolean): PastEvent | undefined {
    const row = this.#read(revision);
    if (row === undefined) return undefined;
    const entry = toEntry(row);
    const isDelete = row.deleted === RowState.deleted;
    const isNew = row.createRevision === row.revision;
    if (!isDelete && (isNew || !withPrevious)) return { type: 'put', ...entry };
    const before = this.#read(row.previousRevision);
    if (before?.key !== row.key) return undefined;
    return isDelete
      ? { type: 'delete', ...entry, value: before.value }
      : { type: 'put', ...entry, previous: before.value };
  }

  #toEvent(row: VerifiedRow): StoreEvent {
    const entry = toEntry(row);
    if (row.deleted !== RowState.deleted) return { type: 'put', ...entry };
    const last = this.#read(row.previousRevision);
    return { type: 'delete', ...entry, value: last?.key === row.key ? last.value : EMPTY };
  }

  #sql(text: string): StatementSync {
    let statement = this.#statements.get(text);
    if (statement === undefined) {
      statement = this.#db.prepare(text);
      this.#statements.set(text, statement);
    }
    return statement;
  }
}

/** @param key named in the message; its content is not */
export function damagedError(key: string, revision: number): StoreError {
  return new StoreError('damaged', `${key} (revision ${revision}) is damaged on the disk`, { revision });
}
