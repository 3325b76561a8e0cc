/**
 * One resource in the store: reads come from the watch cache, writes go straight to the store. An unknown outcome of the
 * store (it may or may not have happened) is reported to the client as such, and the write is never repeated.
 */
import {
  type QualifiedResource,
  StatusError,
  expired,
  internalError,
  serviceUnavailable,
  timeout,
} from '../../api/index.ts';
import { type Store, type StoreEntry, StoreError, type WriteResult } from '../../store/index.ts';
import { CachedObject, encodeStored } from '../cache/cached-object.ts';
import type { WatchCache } from '../cache/watch-cache.ts';
import { FRESH_READ_TIMEOUT_MS } from '../limits.ts';
import type { ApiObject } from './object.ts';

export interface StorageOptions {
  readonly store: Store;
  readonly cache: WatchCache;
  /** How long objects live after their last write; absent: for ever. */
  readonly ttlMs?: number;
}

export type Written =
  | { readonly ok: true; readonly item: CachedObject }
  | { readonly ok: false; readonly current?: CachedObject };

export class ResourceStorage {
  readonly cache: WatchCache;
  readonly #store: Store;
  readonly #ttl: { readonly ttlMs?: number };
  /** A write of ours ended "unknown": the cache may miss what the store has, until it has caught up. */
  #uncertain = false;

  constructor(options: StorageOptions) {
    this.cache = options.cache;
    this.#store = options.store;
    this.#ttl = options.ttlMs === undefined ? {} : { ttlMs: options.ttlMs };
  }

  /** Waits until the cache shows all our own writes and at least `revision`. Throws 504 when it does not come to it. */
  async fresh(revision = 0): Promise<void> {
    const target = this.#uncertain ? Math.max(revision, await this.#newestRevision()) : revision;
    if (await this.cache.waitFor(target, FRESH_READ_TIMEOUT_MS)) {
      this.#uncertain = false;
      return;
    }
    throw tooLargeResourceVersion(revision, this.cache.revision);
  }

  /**
   * The object in the cache, if the cache has all our own writes: nearly always the newest. Other servers may have written
   * since.
   */
  peek(key: string): CachedObject | undefined {
    return this.#uncertain || !this.cache.isCurrent ? undefined : this.cache.get(key);
  }

  /** From the store itself. Throws 500 for what is there and cannot be read. */
  async read(key: string): Promise<CachedObject | undefined> {
    const { entry } = await guarded('read', async () => {
      try {
        return await this.#store.get(key);
      } catch (error) {
        const seen = this.cache.get(key);
        // It was read before it was damaged.
        if (!(error instanceof StoreError) || error.code !== 'damaged' || seen?.revision !== error.revision)
          throw error;
        return { entry: undefined, seen };
      }
    }).then((found) => ('seen' in found ? { entry: found.seen } : found));
    if (entry instanceof CachedObject) return entry;
    return entry === undefined ? undefined : this.#decode(entry);
  }

  /** Throws 500 when the object under `key` is there and cannot be read: "not found" would be a lie that others act on. */
  refuseDamaged(key: string): void {
    const revision = this.cache.damagedAt(key);
    if (revision !== undefined) throw damagedObject(key, revision);
  }

  /** The revision of an object that cannot be read; undefined: there is none, or it can. */
  async damagedRevision(key: string): Promise<number | undefined> {
    const known = this.cache.damagedAt(key);
    if (known !== undefined) return known;
    try {
      await this.#store.get(key);
      return undefined;
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      return error.code === 'damaged' && this.cache.get(key)?.revision !== error.revision ? error.revision : undefined;
    }
  }

  /** Removes an object that cannot be read, if it is still at that revision. */
  async removeDamaged(key: string, revision: number): Promise<boolean> {
    const result = await this.#write(() => this.#store.delete(key, revision));
    if (result.ok) this.cache.expect(result.entry.revision);
    return result.ok;
  }

  /** Writes if the stored object is still at `expectedRevision` (0: none). */
  async put(key: string, object: ApiObject, expectedRevision: number): Promise<Written> {
    const value = encodeStored(object);
    const result = await this.#write(() => this.#store.put(key, value, expectedRevision, this.#ttl));
    if (!result.ok) return this.#refused(result.current);
    const { revision } = result.entry;
    this.cache.expect(revision);
    return { ok: true, item: CachedObject.written({ key, revision, value }, object) };
  }

  /** Deletes if the stored object is still at `expectedRevision`. */
  async delete(key: string, expectedRevision: number): Promise<Written> {
    const result = await this.#write(() => this.#store.delete(key, expectedRevision));
    if (!result.ok) return this.#refused(result.current);
    const { revision } = result.entry;
    // Its last value may have been damaged since it was read.
    const last = result.entry.value.length === 0 ? this.cache.get(key)?.at(revision) : undefined;
    this.cache.expect(revision);
    return { ok: true, item: last ?? this.#decode(result.entry) };
  }

  /** A page of the past in the order of keys, and how many objects follow it. Throws 410 when it is compacted. */
  async listAt(
    prefix: string,
    revision: number,
    after: string,
    limit: number,
  ): Promise<{ readonly items: readonly CachedObject[]; readonly remaining: number }> {
    const { entries, remaining } = await guarded('list', () => this.#store.list(prefix, { revision, after, limit }));
    return { items: entries.map((entry) => this.#decode(entry)), remaining };
  }

  #refused(current: StoreEntry | undefined): Written {
    return current === undefined ? { ok: false } : { ok: false, current: this.#decode(current) };
  }

  /** Throws 500 for bytes that are no object; its parser's own words would quote them. */
  #decode(entry: StoreEntry): CachedObject {
    try {
      return CachedObject.decode(entry, this.cache.read);
    } catch {
      throw damagedObject(entry.key, entry.revision);
    }
  }

  async #write(write: () => Promise<WriteResult>): Promise<WriteResult> {
    try {
      return await guarded('write', write);
    } catch (error) {
      if (error instanceof StatusError && error.code === 504) this.#uncertain = true;
      throw error;
    }
  }

  async #newestRevision(): Promise<number> {
    return (await guarded('read', () => this.#store.list(this.cache.prefix, { limit: 1 }))).revision;
  }
}

/** A failure of the store, thrown as what a client of the API is told. */
export async function guarded<T>(what: 'read' | 'list' | 'write', call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof StoreError) throw storeFailure(error, what);
    throw error;
  }
}

const DAMAGED_HELP = `restore it with "kubectl replace -f FILE", or remove it with "kubectl delete --raw 'PATH?ignoreStoreReadErrorWithClusterBreakingPotential=true'", PATH being that of this request; "mendlet store check" lists all`;

function damagedObject(key: string, revision: number): StatusError {
  return damagedRead(`${key} (revision ${revision}) is damaged on the disk`);
}

/** Upstream: metav1.StatusReasonStoreReadError. */
export const STORE_READ_ERROR = 'StorageReadError';

function damagedRead(what: string): StatusError {
  const message = `${what}: ${DAMAGED_HELP}`;
  return new StatusError({ ...failed, reason: STORE_READ_ERROR, code: 500, message });
}

/** The place of a new object is taken by one that cannot be read (reason as for any other that is there). */
function placeTaken(error: StoreError): StatusError {
  const message = `already exists: ${error.message}: ${DAMAGED_HELP}`;
  return new StatusError({ ...failed, reason: 'AlreadyExists', code: 409, message });
}

const failed = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure' } as const;

function storeFailure(error: StoreError, what: 'read' | 'list' | 'write'): StatusError {
  switch (error.code) {
    case 'unknown':
      if (what !== 'write') return internalError(`the store did not answer: ${error.message}`, { cause: error });
      return timeout(`the outcome of the request is unknown, it may or may not have taken effect: ${error.message}`);
    case 'compacted':
      return expired('The resourceVersion for the provided list is too old.');
    case 'future':
      return timeout(`Too large resource version: ${error.message}`, 1);
    case 'closed':
      return serviceUnavailable('the server is shutting down');
    case 'damaged':
      return what === 'write' ? placeTaken(error) : damagedRead(error.message);
    case 'full':
    case 'overflow':
      return internalError(`the store refused the request: ${error.message}`, { cause: error });
  }
}

/** The client asks for a future that has not come (upstream: NewTooLargeResourceVersionError). */
export function tooLargeResourceVersion(asked: number, current: number): StatusError {
  const text = asked > current ? `Too large resource version: ${asked}, current: ${current}` : 'the cache is not ready';
  const { status } = timeout(text, 1);
  const causes = [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }];
  return new StatusError({ ...status, details: { ...status.details, causes } });
}

/** `details` of an answer about one object. */
export function aboutObject(
  resource: QualifiedResource,
  object: ApiObject,
): { name: string; group?: string; kind: string; uid?: string } {
  const { name = '', uid } = object.metadata;
  return {
    name,
    ...(resource.group === '' ? {} : { group: resource.group }),
    kind: resource.resource,
    ...(uid === undefined ? {} : { uid }),
  };
}
