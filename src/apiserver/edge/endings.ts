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

/**
 * The outcome of `promise`, or 'ended' if that comes first. In a loop `Promise.race` with one promise that outlives the loop's rounds
 * would keep the outcome of each of them: everything that was ever read or sent, until the other side leaves.
 */
export function unlessEnded<T>(promise: Promise<T>, endings: Endings): Promise<T | 'ended'> {
  return new Promise((resolve, reject) => {
    const leave = endings.add(() => resolve('ended'));
    void promise.then(resolve, reject).finally(leave);
  });
}
