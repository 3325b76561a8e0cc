/**
 * The store as a port: a revisioned event log of keys. One revision counter for all keys; every write is one revision and
 * one event. Each call is asynchronous and may reject with `StoreError` "unknown" (it may or may not have taken effect);
 * others may write; only the watch says what happened. Implementations: `sqlite.node.ts` (worker thread), `memory.ts`.
 */
export interface StoreEntry {
  readonly key: string;
  readonly value: Uint8Array;
  /** Revision of the write that made this value. */
  readonly revision: number;
  readonly createRevision: number;
}

export interface StoreEvent {
  readonly type: 'put' | 'delete';
  readonly key: string;
  /** After a put the new value, at a delete the last one. */
  readonly value: Uint8Array;
  readonly revision: number;
  readonly createRevision: number;
}

export interface ListOptions {
  /** Read as of this revision; default: the newest. */
  readonly revision?: number;
  /** At most this many entries. */
  readonly limit?: number;
  /** Only keys greater than this one (next page). */
  readonly after?: string;
}

export interface ListResult {
  readonly entries: readonly StoreEntry[];
  /** The store's revision that the list shows. */
  readonly revision: number;
  readonly more: boolean;
  /** How many entries follow the last one (exact). */
  readonly remaining: number;
  /** Keys of the prefix whose values are damaged: they exist and cannot be read. Absent: none. */
  readonly damaged?: readonly DamagedKey[];
}

/** A key whose newest value was changed or lost on the disk. */
export interface DamagedKey {
  readonly key: string;
  /** The revision of the damaged write. A put or delete that names it replaces or removes the damaged value. */
  readonly revision: number;
}

export type WriteResult =
  | { readonly ok: true; readonly entry: StoreEntry }
  /** The precondition did not hold; `current` is what is there, if anything. */
  | { readonly ok: false; readonly current?: StoreEntry };

export interface WatchBatch {
  /** In order; none: only progress is reported. */
  readonly events: readonly StoreEvent[];
  /** All up to this revision has been delivered. */
  readonly revision: number;
}

/** An event of the past, with what it replaced. */
export interface PastEvent extends StoreEvent {
  /** The value before a put; absent when there was none, or nobody asked for it. */
  readonly previous?: Uint8Array;
}

export interface HistoryOptions {
  /** At most this many events. */
  readonly limit: number;
  /** No further event once the values have this many bytes together; one event is always given. */
  readonly maxBytes: number;
  /** Also the values that puts replaced. */
  readonly previous: boolean;
}

export interface PastBatch {
  /** In order. */
  readonly events: readonly PastEvent[];
  /** These are all events up to this revision. */
  readonly revision: number;
}

export interface Store {
  /** `revision`: the store's newest. Rejects with `StoreError` "damaged" when there is a value and it cannot be read. */
  get(key: string): Promise<{ readonly entry?: StoreEntry; readonly revision: number }>;
  list(prefix: string, options?: ListOptions): Promise<ListResult>;
  /**
   * Writes if the key's revision is `expectedRevision` (0: must not exist). `ttlMs`: the store deletes it (an ordinary
   * delete event) that long after this write. Rejects with "damaged" when what is there cannot be read and
   * `expectedRevision` is not its revision.
   */
  put(
    key: string,
    value: Uint8Array,
    expectedRevision: number,
    options?: { readonly ttlMs?: number },
  ): Promise<WriteResult>;
  /** The entry of a delete that was done is the last value with the revision of the delete. */
  delete(key: string, expectedRevision: number): Promise<WriteResult>;
  /**
   * Every event with a revision greater than `afterRevision` whose key starts with `prefix`, in order, each once, in batches
   * of at least one. `progress` batches (no events) say that all events up to `revision` have been delivered. Rejects with
   * `StoreError` "compacted" when the past is gone, "future" for a revision yet to come, and "overflow" when the reader is
   * too slow. Ends when the signal is aborted.
   */
  watch(prefix: string, afterRevision: number, signal: AbortSignal): AsyncIterable<WatchBatch>;
  /**
   * The first events after `afterRevision` whose key starts with `prefix`, from the log. Rejects with `StoreError` "compacted" when
   * one of them, or what it replaced, cannot be read any more, and "future" for a revision yet to come.
   */
  history(prefix: string, afterRevision: number, options: HistoryOptions): Promise<PastBatch>;
  /** Forgets history up to and including `revision` (current values stay). */
  compact(revision: number): Promise<void>;
  close(): Promise<void>;
}

export class StoreError extends Error {
  override readonly name = 'StoreError';
  readonly code: 'unknown' | 'compacted' | 'future' | 'overflow' | 'full' | 'closed' | 'damaged';
  /** With "damaged": the revision of what is damaged. With "compacted": the oldest one that can be read, where it is known. */
  readonly revision: number | undefined;
  constructor(code: StoreError['code'], message: string, options?: ErrorOptions & { readonly revision?: number }) {
    super(message, options);
    this.code = code;
    this.revision = options?.revision;
  }
}

/** The store could not be opened; `message` names the file and what is wrong with it. */
export class StoreOpenError extends Error {
  override readonly name = 'StoreOpenError';
  /**
   * in-use: another process has it open; newer: written by a newer mendlet; corrupt: not a sound store file; missing: there
   * was one and it is gone; lost: acknowledged writes are not in it; foreign: another cluster's.
   */
  readonly code: 'in-use' | 'newer' | 'corrupt' | 'failed' | 'missing' | 'lost' | 'foreign';
  constructor(code: StoreOpenError['code'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** @param oldest the oldest revision after which history is whole */
export function compactedError(revision: number, oldest: number): StoreError {
  return new StoreError('compacted', `revision ${revision} was compacted (oldest: ${oldest})`, { revision: oldest });
}
