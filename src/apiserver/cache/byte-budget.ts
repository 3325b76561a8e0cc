/** A bound on bytes that are kept only to spare work: the oldest go first. */

/** Something with bytes of its own that can be made again. */
export interface Forgetful {
  /** Drops them. */
  forget(): void;
}

export class ByteBudget {
  readonly #maxBytes: number;
  readonly #kept = new Map<Forgetful, number>();
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** The bytes that are kept now. */
  get bytes(): number {
    return this.#bytes;
  }

  /** `owner` keeps so many bytes more; others, and at last itself, may have to forget theirs for it. */
  add(owner: Forgetful, bytes: number): void {
    this.#kept.set(owner, (this.#kept.get(owner) ?? 0) + bytes);
    this.#bytes += bytes;
    for (const [oldest] of this.#kept) {
      if (this.#bytes <= this.#maxBytes) return;
      oldest.forget();
      this.release(oldest);
    }
  }

  /** `owner` keeps nothing any more. */
  release(owner: Forgetful): void {
    const bytes = this.#kept.get(owner);
    if (bytes === undefined) return;
    this.#kept.delete(owner);
    this.#bytes -= bytes;
  }
}
