/** The event log as a table: synchronous reads and writes of one open file. Lives in the store's worker. */
import type { DatabaseSync, SQLOutputValue, StatementSync } from 'node:sqlite';
import { prefixEnd } from './keys.ts';
import type { ExpiringKey, ExpiryStamp, Written } from './sqlite-messages.ts';
import {
  type ListOptions,
  type ListResult,
  type StoreEntry,
  StoreError,
  type StoreEvent,
  type WatchBatch,
} from './store.ts';

type Row = Record<string, SQLOutputValue>;

/** An upper end that no key reaches: U+10FFFF is no character. */
const NO_END = '\u{10ffff}\u{10ffff}';

// The newest row of each key as of a revision: the index alone finds it, values are read for the rows that are shown.
const NEWEST = `SELECT key, max(revision) AS revision, deleted FROM log
  WHERE key >= :from AND key > :after AND key < :end AND revision <= :revision GROUP BY key`;
const LIST = `SELECT log.key, log.value, log.revision, log.create_revision FROM (${NEWEST}) AS newest
  JOIN log ON log.revision = newest.revision WHERE newest.deleted = 0 ORDER BY newest.key LIMIT :limit`;
const COUNT = `SELECT count(*) AS count FROM (${NEWEST}) WHERE deleted = 0`;
const GET = `SELECT key, value, revision, create_revision, deleted FROM log WHERE key = ? ORDER BY revision DESC LIMIT 1`;
const INSERT = `INSERT INTO log (revision, key, create_revision, previous_revision, deleted, expires_at, ttl_ms, value)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?)`;
const EVENTS = `SELECT log.revision, log.key, log.create_revision, log.deleted, log.value, before.value AS previous
  FROM log LEFT JOIN log AS before ON before.revision = log.previous_revision
  WHERE log.revision > :after AND log.key >= :from AND log.key < :end ORDER BY log.revision LIMIT :limit`;
const EXPIRING = `SELECT log.key, log.revision, log.expires_at, log.ttl_ms FROM
  (SELECT key, max(revision) AS revision, deleted FROM log GROUP BY key) AS newest
  JOIN log ON log.revision = newest.revision WHERE newest.deleted = 0 AND log.expires_at IS NOT NULL`;

const EMPTY = new Uint8Array(0);

function toNumber(value: SQLOutputValue | undefined): number {
  return typeof value === 'number' ? value : Number(value ?? 0);
}

function toText(value: SQLOutputValue | undefined): string {
  return typeof value === 'string' ? value : '';
}

function toBytes(value: SQLOutputValue | undefined): Uint8Array {
  return value instanceof Uint8Array ? value : EMPTY;
}

function toEntry(row: Row): StoreEntry {
  return {
    key: toText(row['key']),
    value: toBytes(row['value']),
    revision: toNumber(row['revision']),
    createRevision: toNumber(row['create_revision']),
  };
}

function toEvent(row: Row): StoreEvent {
  const entry = toEntry(row);
  const previous = row['previous'] instanceof Uint8Array ? row['previous'] : undefined;
  if (row['deleted'] === 1) return { type: 'delete', ...entry, value: previous ?? EMPTY };
  return { type: 'put', ...entry, ...(previous === undefined ? {} : { previous }) };
}

export class SqliteLog {
  readonly #db: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();
  #revision: number;
  #compacted: number;
  #swept: number;

  constructor(db: DatabaseSync) {
    this.#db = db;
    this.#revision = toNumber(this.#sql('SELECT max(revision) AS revision FROM log').get()?.['revision']);
    this.#compacted = this.#mark('compacted');
    this.#swept = this.#mark('swept');
  }

  get revision(): number {
    return this.#revision;
  }

  get compacted(): number {
    return this.#compacted;
  }

  /** Runs `work` in one transaction, durable when this returns; when it throws, nothing of it happened. */
  transaction<T>(work: () => T): T {
    const before = { revision: this.#revision, compacted: this.#compacted, swept: this.#swept };
    try {
      this.#db.exec('BEGIN IMMEDIATE');
      const result = work();
      this.#db.exec('COMMIT');
      return result;
    } catch (error) {
      // SQLite has rolled back by itself after some errors.
      if (this.#db.isTransaction) this.#db.exec('ROLLBACK');
      this.#revision = before.revision;
      this.#compacted = before.compacted;
      this.#swept = before.swept;
      throw error;
    }
  }

  get(key: string): StoreEntry | undefined {
    const row = this.#sql(GET).get(key);
    return row === undefined || row['deleted'] === 1 ? undefined : toEntry(row);
  }

  list(prefix: string, options: ListOptions): ListResult {
    const revision = options.revision ?? this.#revision;
    if (revision > this.#revision) throw new StoreError('future', `revision ${revision} is yet to come`);
    if (revision < this.#compacted) throw new StoreError('compacted', `revision ${revision} was compacted`);
    const range = { ':from': prefix, ':end': prefixEnd(prefix) ?? NO_END, ':revision': revision };
    const limit = options.limit ?? -1;
    const rows = this.#sql(LIST).all({ ...range, ':after': options.after ?? '', ':limit': limit });
    const entries = rows.map(toEntry);
    const full = limit >= 0 && entries.length === limit;
    const last = entries.at(-1)?.key ?? options.after ?? '';
    const remaining = full ? toNumber(this.#sql(COUNT).get({ ...range, ':after': last })?.['count']) : 0;
    return { entries, revision, more: remaining > 0, remaining };
  }

  put(key: string, value: Uint8Array, expected: number, expiry?: ExpiryStamp): Written {
    const current = this.get(key);
    if ((current?.revision ?? 0) !== expected) return current === undefined ? { ok: false } : { ok: false, current };
    const revision = this.#revision + 1;
    const createRevision = current?.createRevision ?? revision;
    const { expiresAt = null, ttlMs = null } = expiry ?? {};
    this.#sql(INSERT).run(revision, key, createRevision, expected, 0, expiresAt, ttlMs, value);
    this.#revision = revision;
    return { ok: true, revision, createRevision, ...(current === undefined ? {} : { previous: current.value }) };
  }

  delete(key: string, expected: number): Written {
    const current = this.get(key);
    if (current === undefined) return { ok: false };
    if (current.revision !== expected) return { ok: false, current };
    const revision = this.#revision + 1;
    const { createRevision } = current;
    this.#sql(INSERT).run(revision, key, createRevision, expected, 1, null, null, EMPTY);
    this.#revision = revision;
    return { ok: true, revision, createRevision, previous: current.value };
  }

  /** See `EventLog.readEvents`. */
  events(prefix: string, after: number, limit: number): WatchBatch {
    if (after < this.#compacted) throw new StoreError('compacted', `revision ${after} was compacted`);
    const range = { ':from': prefix, ':end': prefixEnd(prefix) ?? NO_END, ':after': after, ':limit': limit };
    const events = this.#sql(EVENTS).all(range).map(toEvent);
    const last = events.at(-1);
    return { events, revision: last !== undefined && events.length === limit ? last.revision : this.#revision };
  }

  /** The keys that have an end, however near. */
  expiring(): ExpiringKey[] {
    return this.#sql(EXPIRING)
      .all()
      .map((row) => ({
        key: toText(row['key']),
        revision: toNumber(row['revision']),
        expiry: { expiresAt: toNumber(row['expires_at']), ttlMs: toNumber(row['ttl_ms']) },
      }));
  }

  /** Forgets history up to `revision`; the rows go by and by (`sweep`). */
  compact(revision: number): void {
    if (revision > this.#revision) throw new StoreError('future', `revision ${revision} is yet to come`);
    if (revision <= this.#compacted) return;
    this.#setMark('compacted', revision);
    this.#compacted = revision;
  }

  /**
   * Deletes rows that nobody can read any more: what a row up to "compacted" replaced, and tombstones. Looks at up to
   * `limit` revisions; false when nothing is left to do. The newest row stays whatever it is: it carries the counter.
   */
  sweep(limit: number): boolean {
    const target = Math.min(this.#compacted, this.#revision - 1);
    if (this.#swept >= target) return false;
    const to = Math.min(target, this.#swept + limit);
    const range = { ':from': this.#swept, ':to': to };
    this.#sql(`DELETE FROM log WHERE revision IN
      (SELECT previous_revision FROM log WHERE revision > :from AND revision <= :to)`).run(range);
    this.#sql('DELETE FROM log WHERE revision > :from AND revision <= :to AND deleted = 1').run(range);
    this.#setMark('swept', to);
    this.#swept = to;
    return to < target;
  }

  close(): void {
    this.#statements.clear();
    if (this.#db.isOpen) this.#db.close();
  }

  #mark(name: string): number {
    return toNumber(this.#sql('SELECT revision FROM marks WHERE name = ?').get(name)?.['revision']);
  }

  #setMark(name: string, revision: number): void {
    this.#sql('UPDATE marks SET revision = ? WHERE name = ?').run(revision, name);
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
