/** The store in memory: for the simulator, for tests, and as the model that the one on disk is compared with. */
import type { Clock } from '../lib/index.ts';
import { Compactor } from './compactor.ts';
import { Expiry } from './expiry.ts';
import type { HistoryBounds } from './history-bounds.ts';
import { assertKey, compareKeys, lowerBound, prefixEnd } from './keys.ts';
import {
  type HistoryOptions,
  type ListOptions,
  type ListResult,
  type PastBatch,
  type PastEvent,
  type Store,
  type StoreEntry,
  StoreError,
  type StoreEvent,
  type WatchBatch,
  type WriteResult,
  compactedError,
} from './store.ts';
import { WatchHub } from './watch-hub.ts';

interface Version {
  readonly revision: number;
  /** Absent: deleted at this revision. */
  readonly entry?: StoreEntry;
}

export interface MemoryStoreOptions extends HistoryBounds {
  readonly clock: Clock;
}

class MemoryStore implements Store {
  readonly #hub: WatchHub;
  readonly #expiry: Expiry;
  readonly #compactor: Compactor;
  /** Per key, oldest first; the last is the current one. */
  readonly #versions = new Map<string, Version[]>();
  /** All keys of `#versions`, sorted. */
  readonly #keys: string[] = [];
  /** The events after `#compacted`. */
  #events: StoreEvent[] = [];
  #revision = 0;
  #compacted = 0;
  #closed = false;

  constructor(options: MemoryStoreOptions) {
    this.#hub = new WatchHub({
      clock: options.clock,
      log: { readEvents: async (prefix, after, limit) => this.#readEvents(prefix, after, limit) },
      revision: 0,
      compacted: 0,
      ...(options.ringMaxEvents === undefined ? {} : { maxEvents: options.ringMaxEvents }),
    });
    this.#expiry = new Expiry({ clock: options.clock, expire: (key, revision) => this.delete(key, revision) });
    this.#compactor = new Compactor({
      clock: options.clock,
      revision: 0,
      compacted: 0,
      compact: (revision) => this.compact(revision),
      ...(options.compactionIntervalMs === undefined ? {} : { intervalMs: options.compactionIntervalMs }),
      ...(options.maxHistoryRevisions === undefined ? {} : { maxRevisions: options.maxHistoryRevisions }),
    });
  }

  async get(key: string): Promise<{ readonly entry?: StoreEntry; readonly revision: number }> {
    this.#begin(key);
    const entry = this.#current(key);
    return { revision: this.#revision, ...(entry === undefined ? {} : { entry }) };
  }

  async list(prefix: string, options: ListOptions = {}): Promise<ListResult> {
    this.#begin();
    const revision = options.revision ?? this.#revision;
    if (revision > this.#revision) throw new StoreError('future', `revision ${revision} is yet to come`);
    if (revision < this.#compacted) throw new StoreError('compacted', `revision ${revision} was compacted`);
    const end = prefixEnd(prefix);
    const from =
      options.after !== undefined && compareKeys(options.after, prefix) >= 0
        ? lowerBound(this.#keys, options.after, true)
        : lowerBound(this.#keys, prefix);
    const to = end === undefined ? this.#keys.length : lowerBound(this.#keys, end);
    const entries: StoreEntry[] = [];
    let remaining = 0;
    for (let index = from; index < to; index++) {
      const entry = this.#entryAt(this.#keys[index] ?? '', revision);
      if (entry === undefined) continue;
      if (entries.length < (options.limit ?? Number.POSITIVE_INFINITY)) entries.push(entry);
      else remaining += 1;
    }
    return { entries, revision, more: remaining > 0, remaining };
  }

  async put(
    key: string,
    value: Uint8Array,
    expectedRevision: number,
    options?: { readonly ttlMs?: number },
  ): Promise<WriteResult> {
    this.#begin(key);
    const current = this.#current(key);
    if ((current?.revision ?? 0) !== expectedRevision) return refused(current);
    const revision = this.#revision + 1;
    const entry: StoreEntry = { key, value, revision, createRevision: current?.createRevision ?? revision };
    this.#append({ revision, entry }, { type: 'put', ...entry });
    if (options?.ttlMs === undefined) this.#expiry.clear(key);
    else this.#expiry.set(key, revision, options.ttlMs);
    return { ok: true, entry };
  }

  async delete(key: string, expectedRevision: number): Promise<WriteResult> {
    this.#begin(key);
    const current = this.#current(key);
    if (current === undefined || current.revision !== expectedRevision) return refused(current);
    const entry: StoreEntry = { ...current, revision: this.#revision + 1 };
    this.#append({ revision: entry.revision }, { type: 'delete', ...entry });
    this.#expiry.clear(key);
    return { ok: true, entry };
  }

  watch(prefix: string, afterRevision: number, signal: AbortSignal): AsyncIterable<WatchBatch> {
    return this.#hub.watch(prefix, afterRevision, signal);
  }

  async history(prefix: string, after: number, { limit, maxBytes, previous }: HistoryOptions): Promise<PastBatch> {
    this.#begin();
    if (after > this.#revision) throw new StoreError('future', `revision ${after} is yet to come`);
    if (after < this.#compacted) throw compactedError(after, this.#compacted);
    const events: PastEvent[] = [];
    let bytes = 0;
    for (const event of this.#events.slice(after - this.#compacted)) {
      if (!event.key.startsWith(prefix)) continue;
      const before = previous && event.type === 'put' ? this.#entryAt(event.key, event.revision - 1) : undefined;
      events.push(before === undefined ? event : { ...event, previous: before.value });
      bytes += event.value.length + (before?.value.length ?? 0);
      if (events.length === limit || bytes >= maxBytes) return { events, revision: event.revision };
    }
    return { events, revision: this.#revision };
  }

  async compact(revision: number): Promise<void> {
    this.#begin();
    if (revision > this.#revision) throw new StoreError('future', `revision ${revision} is yet to come`);
    if (revision <= this.#compacted) return;
    for (const event of this.#events.slice(0, revision - this.#compacted)) this.#forget(event.key, revision);
    this.#events = this.#events.slice(revision - this.#compacted);
    this.#compacted = revision;
    this.#compactor.compacted(revision);
    this.#hub.setCompacted(revision);
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#expiry.close();
    this.#compactor.close();
    this.#hub.close(new StoreError('closed', 'the store was closed'));
  }

  #begin(key?: string): void {
    if (this.#closed) throw new StoreError('closed', 'the store was closed');
    if (key !== undefined) assertKey(key);
  }

  #current(key: string): StoreEntry | undefined {
    return this.#versions.get(key)?.at(-1)?.entry;
  }

  #entryAt(key: string, revision: number): StoreEntry | undefined {
    return this.#versions.get(key)?.findLast((version) => version.revision <= revision)?.entry;
  }

  #append(version: Version, event: StoreEvent): void {
    this.#revision = version.revision;
    const versions = this.#versions.get(event.key);
    if (versions === undefined) {
      this.#versions.set(event.key, [version]);
      this.#keys.splice(lowerBound(this.#keys, event.key), 0, event.key);
    } else {
      versions.push(version);
    }
    this.#events.push(event);
    this.#hub.publish([event]);
    this.#compactor.advanced(this.#revision);
  }

  #readEvents(prefix: string, after: number, limit: number): WatchBatch {
    if (after < this.#compacted) throw new StoreError('compacted', `revision ${after} was compacted`);
    const events: StoreEvent[] = [];
    for (const event of this.#events.slice(after - this.#compacted)) {
      if (!event.key.startsWith(prefix)) continue;
      events.push(event);
      if (events.length === limit) return { events, revision: event.revision };
    }
    return { events, revision: this.#revision };
  }

  /** Drops the versions of a key that cannot be read any more. */
  #forget(key: string, revision: number): void {
    const versions = this.#versions.get(key);
    if (versions === undefined) return;
    const seen = versions.findLastIndex((version) => version.revision <= revision);
    const keepFrom = seen >= 0 && versions[seen]?.entry === undefined ? seen + 1 : Math.max(seen, 0);
    versions.splice(0, keepFrom);
    if (versions.length > 0) return;
    this.#versions.delete(key);
    this.#keys.splice(lowerBound(this.#keys, key), 1);
  }
}

function refused(current: StoreEntry | undefined): WriteResult {
  return current === undefined ? { ok: false } : { ok: false, current };
}

/** An empty store. Values are kept by reference, and must not be changed. */
export function createMemoryStore(options: MemoryStoreOptions): Store {
  return new MemoryStore(options);
}
