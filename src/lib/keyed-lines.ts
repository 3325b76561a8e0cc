/** Work that must not overlap with other work of the same key: one line of waiting work per key, and the lines go side by side. */

export class KeyedLines {
  readonly #tails = new Map<string, Promise<unknown>>();

  /** How many keys have work that has not ended. */
  get size(): number {
    return this.#tails.size;
  }

  /** Runs `work` when everything begun earlier under this key has ended, however it ended; alone, it begins at once. */
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

  /** Resolves when all that was begun so far, under this key or (absent) under any, has ended. Never rejects. */
  async settled(key?: string): Promise<void> {
    await (key === undefined ? Promise.all(this.#tails.values()) : this.#tails.get(key));
  }
}

/** Work that throws at once rejects as any other. */
async function startNow<T>(work: () => Promise<T>): Promise<T> {
  return work();
}

function nothing(): void {}
