/**
 * A reflector's cache of one resource: objects by key and by index. Readers get the `Lister`; only the reflector has the
 * `Writer`. The objects are shared and must never be changed.
 */
import type { KubeObject } from '../api/index.ts';

export type Change<T> =
  | { readonly type: 'apply'; readonly key: string; readonly object: T; readonly previous?: T }
  /** `unseen`: the deletion was not seen by the watch, but a list does not contain the object. */
  | { readonly type: 'delete'; readonly key: string; readonly object: T; readonly unseen?: true };

/** Index name → the values under which an object is found. */
export type Indexes<T> = Readonly<Record<string, (object: T) => readonly string[]>>;

export interface Lister<T> {
  get(namespace: string | undefined, name: string): T | undefined;
  getByKey(key: string): T | undefined;
  /** In order of arrival. */
  list(namespace?: string): readonly T[];
  byIndex(index: string, value: string): readonly T[];
  /** True once the first list is complete; before that an object's absence proves nothing. */
  readonly synced: boolean;
  /** Resolves when synced; rejects with the signal's reason. */
  waitForSync(signal?: AbortSignal): Promise<void>;
  /** Whether everything up to this resource version has been seen, for example our own write. */
  reached(resourceVersion: string): boolean;
  /**
   * Calls the listener after each change, and with every object when the first list is complete.
   * @returns a function that ends that
   */
  onChange(listener: (change: Change<T>) => void): () => void;
  /** Calls the listener whenever the result of `reached` may have changed. */
  onProgress(listener: () => void): () => void;
}

export interface Writer<T> {
  init(): void;
  initApply(object: T): void;
  initDone(resourceVersion: string): void;
  apply(object: T): void;
  delete(object: T): void;
  progress(resourceVersion: string): void;
}

/** `namespace/name`, or `name` for an object without a namespace. */
export function objectKey(object: KubeObject): string {
  return keyOf(object.metadata?.namespace, object.metadata?.name ?? '');
}

export function keyOf(namespace: string | undefined, name: string): string {
  return namespace === undefined || namespace === '' ? name : `${namespace}/${name}`;
}

export function splitKey(key: string): { readonly namespace?: string; readonly name: string } {
  const slash = key.indexOf('/');
  return slash === -1 ? { name: key } : { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
}

/** Resource versions are decimal numbers of any length (KEP-5504); negative: `a` is older. */
export function compareResourceVersions(a: string, b: string): number {
  if (a.length !== b.length) return a.length - b.length;
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

class Index<T> {
  readonly #valuesOf: (object: T) => readonly string[];
  readonly #keys = new Map<string, Set<string>>();

  constructor(valuesOf: (object: T) => readonly string[]) {
    this.#valuesOf = valuesOf;
  }

  replace(key: string, previous: T | undefined, next: T | undefined): void {
    const before = previous === undefined ? [] : this.#valuesOf(previous);
    const after = next === undefined ? [] : this.#valuesOf(next);
    for (const value of before) {
      if (after.includes(value)) continue;
      const keys = this.#keys.get(value);
      keys?.delete(key);
      if (keys?.size === 0) this.#keys.delete(value);
    }
    for (const value of after) {
      const keys = this.#keys.get(value);
      if (keys === undefined) this.#keys.set(value, new Set([key]));
      else keys.add(key);
    }
  }

  keys(value: string): Iterable<string> {
    return this.#keys.get(value) ?? [];
  }
}

export class ObjectCache<T extends KubeObject> implements Lister<T>, Writer<T> {
  readonly #objects = new Map<string, T>();
  readonly #indexes = new Map<string, Index<T>>();
  readonly #byNamespace: Index<T>;
  readonly #changeListeners = new Set<(change: Change<T>) => void>();
  readonly #progressListeners = new Set<() => void>();
  readonly #syncWaiters = new Set<() => void>();
  #incoming: Map<string, T> | undefined;
  #synced = false;
  #resourceVersion = '';

  constructor(indexes: Indexes<T> = {}) {
    for (const [name, valuesOf] of Object.entries(indexes)) this.#indexes.set(name, new Index(valuesOf));
    this.#byNamespace = new Index<T>((object) => [object.metadata?.namespace ?? '']);
  }

  get(namespace: string | undefined, name: string): T | undefined {
    return this.#objects.get(keyOf(namespace, name));
  }

  getByKey(key: string): T | undefined {
    return this.#objects.get(key);
  }

  list(namespace?: string): readonly T[] {
    return namespace === undefined ? [...this.#objects.values()] : this.#pick(this.#byNamespace.keys(namespace));
  }

  byIndex(index: string, value: string): readonly T[] {
    return this.#pick(this.#indexes.get(index)?.keys(value) ?? []);
  }

  get synced(): boolean {
    return this.#synced;
  }

  waitForSync(signal?: AbortSignal): Promise<void> {
    if (this.#synced) return Promise.resolve();
    signal?.throwIfAborted();
    return new Promise((resolve, reject) => {
      const onSync = (): void => {
        signal?.removeEventListener('abort', onAbort);
        resolve();
      };
      const onAbort = (): void => {
        this.#syncWaiters.delete(onSync);
        reject(signal?.reason);
      };
      this.#syncWaiters.add(onSync);
      signal?.addEventListener('abort', onAbort, { once: true });
    });
  }

  reached(resourceVersion: string): boolean {
    return this.#synced && compareResourceVersions(this.#resourceVersion, resourceVersion) >= 0;
  }

  onChange(listener: (change: Change<T>) => void): () => void {
    this.#changeListeners.add(listener);
    return () => this.#changeListeners.delete(listener);
  }

  onProgress(listener: () => void): () => void {
    this.#progressListeners.add(listener);
    return () => this.#progressListeners.delete(listener);
  }

  init(): void {
    this.#incoming = new Map();
  }

  initApply(object: T): void {
    this.#incoming?.set(objectKey(object), object);
  }

  /** Ends a list: objects that it does not contain are deleted. */
  initDone(resourceVersion: string): void {
    const incoming = this.#incoming ?? new Map<string, T>();
    this.#incoming = undefined;
    this.#synced = true;
    this.#resourceVersion = resourceVersion;
    for (const [key, object] of this.#objects) if (!incoming.has(key)) this.#remove(key, object, true);
    for (const [key, object] of incoming) this.#put(key, object);
    for (const waiter of this.#syncWaiters) waiter();
    this.#syncWaiters.clear();
    this.#tellProgress();
  }

  apply(object: T): void {
    this.#advance(object.metadata?.resourceVersion);
    this.#put(objectKey(object), object);
    this.#tellProgress();
  }

  delete(object: T): void {
    this.#advance(object.metadata?.resourceVersion);
    this.#remove(objectKey(object), object);
    this.#tellProgress();
  }

  progress(resourceVersion: string): void {
    this.#advance(resourceVersion);
    this.#tellProgress();
  }

  /** Replaces each object by the result of `keep`. Listeners are not called, because nothing changed for them. */
  rewrite(keep: (object: T) => T): void {
    for (const [key, object] of this.#objects) {
      const kept = keep(object);
      this.#objects.set(key, kept);
      this.#reindex(key, object, kept);
    }
    for (const [key, object] of this.#incoming ?? []) this.#incoming?.set(key, keep(object));
  }

  #put(key: string, object: T): void {
    const previous = this.#objects.get(key);
    const recreated = previous !== undefined && previous.metadata?.uid !== object.metadata?.uid;
    // A different object of the same name: the deletion of its predecessor was missed, so listeners are told now.
    if (recreated) this.#remove(key, previous);
    else if (previous?.metadata?.resourceVersion === object.metadata?.resourceVersion && previous !== undefined) return;
    this.#objects.set(key, object);
    const before = recreated ? undefined : previous;
    this.#reindex(key, before, object);
    this.#tell({ type: 'apply', key, object, ...(before === undefined ? {} : { previous: before }) });
  }

  #remove(key: string, object: T, unseen = false): void {
    const previous = this.#objects.get(key);
    if (previous === undefined) return;
    this.#objects.delete(key);
    this.#reindex(key, previous, undefined);
    this.#tell({ type: 'delete', key, object, ...(unseen && { unseen }) });
  }

  #reindex(key: string, previous: T | undefined, next: T | undefined): void {
    this.#byNamespace.replace(key, previous, next);
    for (const index of this.#indexes.values()) index.replace(key, previous, next);
  }

  #pick(keys: Iterable<string>): readonly T[] {
    const found: T[] = [];
    for (const key of keys) {
      const object = this.#objects.get(key);
      if (object !== undefined) found.push(object);
    }
    return found;
  }

  #advance(resourceVersion: string | undefined): void {
    if (resourceVersion === undefined || resourceVersion === '') return;
    if (compareResourceVersions(resourceVersion, this.#resourceVersion) > 0) this.#resourceVersion = resourceVersion;
  }

  #tell(change: Change<T>): void {
    for (const listener of this.#changeListeners) listener(change);
  }

  #tellProgress(): void {
    for (const listener of this.#progressListeners) listener();
  }
}
