/**
 * The log's newest row of each key, in memory and in order. Reads find their rows only through it, never through the file's
 * index.
 */
import { compareKeys, lowerBound, prefixEnd } from './keys.ts';

/** The kind of a row (its column `deleted`): a damaged one takes the place of a value that was lost. */
export const RowState = { live: 0, deleted: 1, damaged: 2 } as const;
export type RowState = (typeof RowState)[keyof typeof RowState];

/** The newest row of a key. */
export interface Head {
  readonly revision: number;
  readonly createRevision: number;
  readonly state: RowState;
  /** The row's place; absent for a row that cannot be read. */
  readonly checksum?: number;
  /** Wall ms; absent: it has no end. */
  readonly expiresAt?: number;
  readonly ttlMs?: number;
}

export class Directory {
  readonly #heads = new Map<string, Head>();
  /** All keys in order; `undefined` until they are needed. */
  #sorted: string[] | undefined;
  /** Heads as they were before the changes since `begin`, oldest first. */
  #undo: { readonly key: string; readonly head: Head | undefined }[] | undefined;

  get(key: string): Head | undefined {
    return this.#heads.get(key);
  }

  entries(): IterableIterator<[string, Head]> {
    return this.#heads.entries();
  }

  /** `undefined` forgets the key. */
  set(key: string, head: Head | undefined): void {
    const before = this.#heads.get(key);
    this.#undo?.push({ key, head: before });
    if (head === undefined) {
      if (before === undefined) return;
      this.#heads.delete(key);
      this.#sorted?.splice(lowerBound(this.#sorted, key), 1);
      return;
    }
    this.#heads.set(key, head);
    if (before === undefined) this.#sorted?.splice(lowerBound(this.#sorted, key), 0, key);
  }

  /** Changes from here on can be taken back. */
  begin(): void {
    this.#undo = [];
  }

  commit(): void {
    this.#undo = undefined;
  }

  rollback(): void {
    const undo = this.#undo ?? [];
    this.#undo = undefined;
    for (const { key, head } of undo.toReversed()) this.set(key, head);
  }

  /** The keys that start with `prefix` and are greater than `after`, in order. */
  *range(prefix: string, after: string | undefined): Generator<string, void, undefined> {
    this.#sorted ??= [...this.#heads.keys()].sort(compareKeys);
    const keys = this.#sorted;
    const past = after !== undefined && compareKeys(after, prefix) >= 0;
    const end = prefixEnd(prefix);
    const to = end === undefined ? keys.length : lowerBound(keys, end);
    for (let index = past ? lowerBound(keys, after, true) : lowerBound(keys, prefix); index < to; index++) {
      const key = keys[index];
      if (key !== undefined) yield key;
    }
  }
}
