/** Work that must not overlap with other work of the same name: what one request gives out, no other may. */

/** One line of waiting requests per name; those of different names go side by side. */
export class Exclusive {
  readonly #tails = new Map<string, Promise<unknown>>();

  /** Runs `work` when everything begun earlier under this name has ended, however it ended. */
  async run<T>(name: string, work: () => Promise<T>): Promise<T> {
    const before = this.#tails.get(name) ?? Promise.resolve();
    const result = before.then(work, work);
    const tail = result.catch(() => {});
    this.#tails.set(name, tail);
    try {
      return await result;
    } finally {
      if (this.#tails.get(name) === tail) this.#tails.delete(name);
    }
  }
}
