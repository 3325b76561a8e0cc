/**
 * What is to be ended when the server closes: streams, upgrades. To join and to leave costs the same with ten thousand of them as with
 * one; an AbortSignal walks through all its listeners for each. Pure.
 */
export class Endings {
  readonly #ends = new Set<() => void>();
  #reason: Error | undefined;

  /** Why everything was ended; undefined: it was not. */
  get reason(): Error | undefined {
    return this.#reason;
  }

  /** How many there are. */
  get size(): number {
    return this.#ends.size;
  }

  /** Calls `end` once when all is ended: now, if that was before. @returns how to leave, as often as one likes */
  add(end: () => void): () => void {
    if (this.#reason !== undefined) {
      end();
      return () => {};
    }
    // An own function for each: two may come with the same.
    const entry = (): void => end();
    this.#ends.add(entry);
    return () => void this.#ends.delete(entry);
  }

  /** Ends all, and each that comes later. The first reason counts. */
  end(reason: Error): void {
    this.#reason ??= reason;
    const ends = [...this.#ends];
    this.#ends.clear();
    for (const each of ends) each();
  }
}
