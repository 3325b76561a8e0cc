/** The messages between the main thread and the store's worker. Plain data: they are cloned on their way. */
import type { DamagedKey, HistoryOptions, ListOptions, StoreEntry, StoreEvent, StoreOpenError } from './store.ts';

export interface WorkerOptions {
  readonly path: string;
  readonly maxFileBytes: number;
  readonly sweepRevisions: number;
  /** The identity of the store: another store's file is refused. */
  readonly identity: string;
  /** There has never been a store here: a missing file is created. */
  readonly mayBegin: boolean;
  /** Lost data is given up; everything else is repaired. */
  readonly acceptLoss?: boolean;
}

export type WorkerCall =
  | { readonly op: 'get'; readonly key: string }
  | { readonly op: 'list'; readonly prefix: string; readonly options: ListOptions }
  | {
      readonly op: 'put';
      readonly key: string;
      readonly value: Uint8Array;
      readonly expected: number;
      readonly expiry?: ExpiryStamp;
    }
  | { readonly op: 'delete'; readonly key: string; readonly expected: number }
  | { readonly op: 'events'; readonly prefix: string; readonly after: number; readonly limit: number }
  | { readonly op: 'history'; readonly prefix: string; readonly after: number; readonly options: HistoryOptions }
  | { readonly op: 'compact'; readonly revision: number }
  | { readonly op: 'close' };

export interface ExpiryStamp {
  /** Wall ms. */
  readonly expiresAt: number;
  /** The whole time to live, in ms: no wait is longer, whatever the wall clock does. */
  readonly ttlMs: number;
}

/** A key that has an end. */
export interface ExpiringKey {
  readonly key: string;
  readonly revision: number;
  readonly expiry: ExpiryStamp;
}

/** The worker is sent lists of these: those of the same moment. */
export type WorkerRequest = WorkerCall & { readonly id: number };

/** The result of a write; the value of a put is left out, since the main thread has it. `previous`: the deleted value. */
export type Written =
  | { readonly ok: true; readonly revision: number; readonly createRevision: number; readonly previous?: Uint8Array }
  | { readonly ok: false; readonly current?: StoreEntry };

export type WorkerReply =
  | { readonly id: number; readonly ok: true; readonly result: unknown }
  | {
      readonly id: number;
      readonly ok: false;
      readonly code: FailureCode;
      readonly message: string;
      readonly revision?: number;
    };

export type FailureCode = 'unknown' | 'compacted' | 'future' | 'full' | 'damaged';

export type WorkerMessage =
  /** The answers to one batch, in the order of the calls; sent after its commit. */
  | { readonly type: 'replies'; readonly replies: readonly WorkerReply[] }
  /** After an I/O error and a reopening: writes whose callers were told "unknown" and which are in the file after all. */
  | { readonly type: 'recovered'; readonly events: readonly StoreEvent[]; readonly expiring: readonly ExpiringKey[] }
  /** The first message, when all is well. */
  | {
      readonly type: 'opened';
      readonly revision: number;
      readonly compacted: number;
      readonly expiring: readonly ExpiringKey[];
      readonly damaged: readonly DamagedKey[];
      /** The repairs, for the log. */
      readonly notes: readonly string[];
    }
  /** All keys that are damaged now, whenever that changes; sent before the answers that show it. */
  | { readonly type: 'damaged'; readonly damaged: readonly DamagedKey[] }
  | { readonly type: 'notes'; readonly notes: readonly string[] }
  | { readonly type: 'failed'; readonly code: StoreOpenError['code']; readonly message: string };
