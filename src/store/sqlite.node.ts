/** The store on disk: SQLite in a worker thread, so that a slow commit never holds up the main loop. */
import { Worker } from 'node:worker_threads';
import type { Clock } from '../lib/index.ts';
import { Compactor } from './compactor.ts';
import { Expiry } from './expiry.ts';
import type { HistoryBounds } from './history-bounds.ts';
import { assertKey } from './keys.ts';
import { MAX_FILE_BYTES, MAX_PENDING_CALLS, SWEEP_REVISIONS } from './limits.ts';
import type {
  ExpiringKey,
  WorkerCall,
  WorkerMessage,
  WorkerOptions,
  WorkerReply,
  WorkerRequest,
  Written,
} from './sqlite-messages.ts';
import {
  type DamagedKey,
  type HistoryOptions,
  type ListOptions,
  type ListResult,
  type PastBatch,
  type Store,
  type StoreEntry,
  StoreError,
  type StoreEvent,
  StoreOpenError,
  type WatchBatch,
  type WriteResult,
} from './store.ts';
import { WatchHub } from './watch-hub.ts';
import { storeWorkerUrl } from './worker-url.node.ts';

/** Bounds of the worker's heap: rows pass through it, nothing stays. */
const WORKER_LIMITS = { maxYoungGenerationSizeMb: 4, maxOldGenerationSizeMb: 256, stackSizeMb: 1 };

/** Whom the store tells what befalls its file. */
export interface StoreListener {
  /** The store broke (worker dead, disk gone) and answers nothing any more: the process should end. */
  readonly onFailure?: (error: StoreError) => void;
  /** Keys whose values cannot be read, at the start (unless there are none) and at each change. */
  readonly onDamage?: (damaged: readonly DamagedKey[]) => void;
  /** The damage of the file that was found and mended: sentences for the log, without content. */
  readonly onNotes?: (notes: readonly string[]) => void;
}

/** How big the store may get, and how it looks after itself; absent: as `limits.ts` says. */
export interface StoreBounds extends HistoryBounds {
  readonly maxFileBytes?: number;
  readonly sweepRevisions?: number;
}

export interface SqliteStoreOptions {
  /** The file; created with mode 0600 if missing, its folder must exist. */
  readonly path: string;
  readonly clock: Clock;
  /** The file of the worker's code. Default: beside this module, `store-worker.js` when bundled. */
  readonly workerUrl?: URL;
  /** The identity of the store; another store's file is refused. Default: none in particular. */
  readonly identity?: string;
  /** False: there was a store here, and a missing or empty file is refused. Default: true. */
  readonly mayBegin?: boolean;
  readonly listener?: StoreListener;
  readonly bounds?: StoreBounds;
}

interface Pending {
  readonly call: WorkerCall;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: StoreError) => void;
}

type Opened = Extract<WorkerMessage, { type: 'opened' }>;

/** The event of a write that was done. */
function toEvent(call: WorkerCall, written: Written): StoreEvent | undefined {
  if (!written.ok) return undefined;
  const { revision, createRevision, previous } = written;
  if (call.op === 'delete') {
    return { type: 'delete', key: call.key, value: previous ?? new Uint8Array(0), revision, createRevision };
  }
  if (call.op !== 'put') return undefined;
  const { key, value } = call;
  return { type: 'put', key, value, revision, createRevision };
}

function toStoreError({ code, message, revision }: Extract<WorkerReply, { ok: false }>): StoreError {
  return new StoreError(code, message, revision === undefined ? {} : { revision });
}

class SqliteStore implements Store {
  readonly #worker: Worker;
  readonly #clock: Clock;
  readonly #hub: WatchHub;
  readonly #expiry: Expiry;
  readonly #compactor: Compactor;
  readonly #listener: StoreListener;
  readonly #pending = new Map<number, Pending>();
  readonly #exited: Promise<void>;
  #nextId = 1;
  #outbox: WorkerRequest[] = [];
  #closed: StoreError | undefined;

  constructor(worker: Worker, opened: Opened, { clock, listener = {}, bounds = {} }: SqliteStoreOptions) {
    this.#worker = worker;
    this.#clock = clock;
    this.#listener = listener;
    const { revision, compacted } = opened;
    this.#hub = new WatchHub({
      clock,
      log: { readEvents: (prefix, after, limit) => this.#call<WatchBatch>({ op: 'events', prefix, after, limit }) },
      revision,
      compacted,
      ...(bounds.ringMaxEvents === undefined ? {} : { maxEvents: bounds.ringMaxEvents }),
    });
    this.#expiry = new Expiry({ clock, expire: (key, at) => this.delete(key, at) });
    this.#compactor = new Compactor({
      clock,
      revision,
      compacted,
      compact: (at) => this.compact(at),
      ...(bounds.compactionIntervalMs === undefined ? {} : { intervalMs: bounds.compactionIntervalMs }),
      ...(bounds.maxHistoryRevisions === undefined ? {} : { maxRevisions: bounds.maxHistoryRevisions }),
    });
    this.#expect(opened.expiring);
    if (opened.notes.length > 0) listener.onNotes?.(opened.notes);
    if (opened.damaged.length > 0) listener.onDamage?.(opened.damaged);
    worker.on('message', (message: WorkerMessage) => this.#receive(message));
    worker.on('error', (error) => this.#fail(new StoreError('closed', `the store's worker died: ${String(error)}`)));
    this.#exited = new Promise((resolve) =>
      worker.on('exit', () => {
        this.#fail(new StoreError('closed', "the store's worker ended"));
        resolve();
      }),
    );
  }

  async get(key: string): Promise<{ readonly entry?: StoreEntry; readonly revision: number }> {
    assertKey(key);
    const { entry, revision } = await this.#call<{ entry?: StoreEntry; revision: number }>({ op: 'get', key });
    return entry === undefined ? { revision } : { entry, revision };
  }

  list(prefix: string, options: ListOptions = {}): Promise<ListResult> {
    return this.#call<ListResult>({ op: 'list', prefix, options });
  }

  async put(
    key: string,
    value: Uint8Array,
    expectedRevision: number,
    options?: { readonly ttlMs?: number },
  ): Promise<WriteResult> {
    assertKey(key);
    const ttlMs = options?.ttlMs;
    const expiry = ttlMs === undefined ? {} : { expiry: { ttlMs, expiresAt: this.#clock.now().wall + ttlMs } };
    const written = await this.#call<Written>({ op: 'put', key, value, expected: expectedRevision, ...expiry });
    if (!written.ok) return written;
    const { revision, createRevision } = written;
    return { ok: true, entry: { key, value, revision, createRevision } };
  }

  async delete(key: string, expectedRevision: number): Promise<WriteResult> {
    assertKey(key);
    const written = await this.#call<Written>({ op: 'delete', key, expected: expectedRevision });
    if (!written.ok) return written;
    const { revision, createRevision, previous } = written;
    return { ok: true, entry: { key, value: previous ?? new Uint8Array(0), revision, createRevision } };
  }

  watch(prefix: string, afterRevision: number, signal: AbortSignal): AsyncIterable<WatchBatch> {
    return this.#hub.watch(prefix, afterRevision, signal);
  }

  history(prefix: string, after: number, options: HistoryOptions): Promise<PastBatch> {
    return this.#call<PastBatch>({ op: 'history', prefix, after, options });
  }

  async compact(revision: number): Promise<void> {
    await this.#call<null>({ op: 'compact', revision });
    this.#hub.setCompacted(revision);
    this.#compactor.compacted(revision);
  }

  async close(): Promise<void> {
    if (this.#closed === undefined) {
      const flushed = this.#call<null>({ op: 'close' });
      this.#stop(new StoreError('closed', 'the store was closed'));
      await flushed.catch(() => {});
    }
    await this.#exited;
  }

  #call<T>(call: WorkerCall): Promise<T> {
    if (this.#closed !== undefined) return Promise.reject(this.#closed);
    if (this.#pending.size >= MAX_PENDING_CALLS && call.op !== 'close') {
      return Promise.reject(new StoreError('overflow', `${MAX_PENDING_CALLS} calls wait for the disk already`));
    }
    const id = this.#nextId++;
    return new Promise<T>((resolve, reject) => {
      // The worker answers each kind of call with the type that its sender expects.
      this.#pending.set(id, { call, resolve: (result) => resolve(result as T), reject });
      this.#send({ ...call, id });
    });
  }

  /**
   * Waking the worker costs more than what it is told, and its transaction more than a row: all calls that one event of the loop leads
   * to go together, when nothing is left to do for it.
   */
  #send(request: WorkerRequest): void {
    this.#outbox.push(request);
    if (this.#outbox.length > 1) return;
    process.nextTick(() => {
      const requests = this.#outbox;
      this.#outbox = [];
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker, not a window
      this.#worker.postMessage(requests);
    });
  }

  #receive(message: WorkerMessage): void {
    if (message.type === 'replies') this.#settle(message.replies);
    else if (message.type === 'recovered') {
      this.#publish(message.events);
      this.#expect(message.expiring);
    } else if (message.type === 'damaged') this.#listener.onDamage?.(message.damaged);
    else if (message.type === 'notes') this.#listener.onNotes?.(message.notes);
    else if (message.type === 'failed') this.#fail(new StoreError('closed', message.message));
  }

  /** Maps the wall times of the file to our own clock, once. */
  #expect(expiring: readonly ExpiringKey[]): void {
    const { wall } = this.#clock.now();
    for (const { key, revision, expiry } of expiring) {
      this.#expiry.set(key, revision, Math.min(expiry.ttlMs, expiry.expiresAt - wall));
    }
  }

  /** Events are sent before the callers are answered: a caller that knows a revision finds it in the watch. */
  #settle(replies: readonly WorkerReply[]): void {
    const events: StoreEvent[] = [];
    for (const reply of replies) {
      const call = this.#pending.get(reply.id)?.call;
      if (!reply.ok || (call?.op !== 'put' && call?.op !== 'delete')) continue;
      const event = toEvent(call, reply.result as Written);
      if (event === undefined) continue;
      events.push(event);
      if (call.op === 'put' && call.expiry !== undefined) this.#expiry.set(call.key, event.revision, call.expiry.ttlMs);
      else this.#expiry.clear(call.key);
    }
    this.#publish(events);
    for (const reply of replies) {
      const pending = this.#pending.get(reply.id);
      this.#pending.delete(reply.id);
      if (reply.ok) pending?.resolve(reply.result);
      else pending?.reject(toStoreError(reply));
    }
  }

  #publish(events: readonly StoreEvent[]): void {
    if (events.length === 0 || this.#closed !== undefined) return;
    this.#hub.publish(events);
    this.#compactor.advanced(this.#hub.revision);
  }

  /** The worker is gone: it is unknown whether the calls under way took effect. */
  #fail(error: StoreError): void {
    const unexpected = this.#closed === undefined;
    this.#stop(error);
    const pending = [...this.#pending.values()];
    this.#pending.clear();
    for (const { reject } of pending) reject(new StoreError('unknown', error.message));
    if (unexpected) this.#listener.onFailure?.(error);
  }

  #stop(error: StoreError): void {
    this.#closed ??= error;
    this.#expiry.close();
    this.#compactor.close();
    this.#hub.close(this.#closed);
  }
}

/**
 * Opens (or creates) the store in `path`. Rejects with `StoreOpenError`, its message naming the file.
 */
export async function openSqliteStore(options: SqliteStoreOptions): Promise<Store> {
  const { path, bounds = {} } = options;
  const workerData: WorkerOptions = {
    path,
    maxFileBytes: bounds.maxFileBytes ?? MAX_FILE_BYTES,
    sweepRevisions: bounds.sweepRevisions ?? SWEEP_REVISIONS,
    identity: options.identity ?? '',
    mayBegin: options.mayBegin ?? true,
  };
  const worker = new Worker(options.workerUrl ?? storeWorkerUrl(), {
    name: 'store',
    workerData,
    resourceLimits: WORKER_LIMITS,
    // Flags of the main thread (a loader, an inspector) are not the worker's.
    execArgv: [],
  });
  const opened = await new Promise<Opened>((resolve, reject) => {
    worker.once('message', (message: WorkerMessage) => {
      if (message.type === 'opened') resolve(message);
      else if (message.type === 'failed') reject(new StoreOpenError(message.code, message.message));
    });
    worker.once('error', (error) => reject(new StoreOpenError('failed', `${path}: ${String(error)}`)));
    worker.once('exit', () => reject(new StoreOpenError('failed', `${path}: the store's worker ended`)));
  });
  return new SqliteStore(worker, opened, options);
}
