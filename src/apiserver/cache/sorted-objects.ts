/** Objects by key and in the order of their keys. A change costs the place of one key, a list of a prefix only what it holds. */
import { SHARED_LISTS } from '../limits.ts';
import type { CachedObject } from './cached-object.ts';

export class SortedObjects {
  readonly #byKey = new Map<string, CachedObject>();
  #sorted: CachedObject[] = [];
  /** Lists by prefix, as long as nothing changes: a thousand readers at once share one. */
  #lists = new Map<string, readonly CachedObject[]>();

  constructor(objects: Iterable<CachedObject> = []) {
    for (const item of objects) this.#byKey.set(item.key, item);
    this.#sorted = [...this.#byKey.values()].sort((a, b) => (a.key < b.key ? -1 : 1));
  }

  get size(): number {
    return this.#byKey.size;
  }

  get(key: string): CachedObject | undefined {
    return this.#byKey.get(key);
  }

  [Symbol.iterator](): Iterator<CachedObject> {
    return this.#sorted.values();
  }

  /** Adds it, or puts it in the place of the one with its key. */
  set(item: CachedObject): void {
    const isKnown = this.#byKey.has(item.key);
    const position = this.#firstFrom(0, (key) => key >= item.key);
    this.#byKey.set(item.key, item);
    this.#sorted.splice(position, isKnown ? 1 : 0, item);
    this.#lists.clear();
  }

  delete(key: string): void {
    if (!this.#byKey.delete(key)) return;
    this.#sorted.splice(
      this.#firstFrom(0, (other) => other >= key),
      1,
    );
    this.#lists.clear();
  }

  /**
   * The objects whose key starts with `keyPrefix` and is greater than `after`, in order. The list never changes later: it is
   * a snapshot.
   */
  list(keyPrefix: string, after = ''): readonly CachedObject[] {
    let all = this.#lists.get(keyPrefix);
    if (all === undefined) {
      const first = this.#firstFrom(0, (key) => key >= keyPrefix);
      all = this.#sorted.slice(
        first,
        this.#firstFrom(first, (key) => !key.startsWith(keyPrefix)),
      );
      if (this.#lists.size >= SHARED_LISTS) this.#lists.clear();
      this.#lists.set(keyPrefix, all);
    }
    return after < keyPrefix ? all : all.slice(firstOf(all, 0, (key) => key > after));
  }

  #firstFrom(from: number, isThere: (key: string) => boolean): number {
    return firstOf(this.#sorted, from, isThere);
  }
}

/** The first position from `from` whose key satisfies the condition; all later ones do, too. The length when there is none. */
function firstOf(items: readonly CachedObject[], from: number, isThere: (key: string) => boolean): number {
  let low = from;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const item = items[middle];
    if (item !== undefined && isThere(item.key)) high = middle;
    else low = middle + 1;
  }
  return low;
}
