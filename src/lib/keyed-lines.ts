/** Serializes work per key: work of one key runs one after another, work of different keys in parallel. */

export class KeyedLines {
  readonly #tails = new Map<string, Promise<unknown>>();

  /** The number of keys with work that has not ended. */
  get size(): number {
    return this.#tails.size;
  }

  /** Runs `work` when all earlier work of this key has ended, with or without error; without earlier work it begins at once. */
  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.#tails.get(key);
    const result = before === undefined ? startNow(work) : before.then(work);
    const tail = result.then(nothing, nothing);
    this.#tails.set(key, tail);
    try {
      return await result;
    } finally {
      if (this.#tails.get(key) === tail) this.#tails.delete(key);
    }
  }

  /** Resolves when all work so far of this key, or without a key of all keys, has ended. Never rejects. */
  async settled(key?: string): Promise<void> {
    await (key === undefined ? Promise.all(this.#tails.values()) : this.#tails.get(key));
  }
}

/** Turns a synchronous throw into a rejection. */
async function startNow<T>(work: () => Promise<T>): Promise<T> {
  return work();
}

function nothing(): void {}
