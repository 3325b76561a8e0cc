/** A hash of everything that happened: two runs of a seed are equal if their traces are. */
export class Trace {
  #low = 0x811c9dc5;
  #high = 0x01000193;
  #count = 0;
  readonly #lines: string[] | undefined;
  readonly #sink: ((line: string) => void) | undefined;

  /** `keep`: the number of last lines that are kept for a failure's report. `sink`: receives every line. */
  constructor(options: { readonly keep?: number; readonly sink?: (line: string) => void } = {}) {
    this.#keep = options.keep ?? 0;
    this.#lines = this.#keep > 0 ? [] : undefined;
    this.#sink = options.sink;
  }

  readonly #keep: number;

  add(mono: number, text: string): void {
    const line = `${mono.toFixed(3)} ${text}`;
    let low = this.#low;
    let high = this.#high;
    for (let i = 0; i < line.length; i += 1) {
      const unit = line.charCodeAt(i);
      low = Math.imul(low ^ unit, 0x01000193);
      high = Math.imul(high ^ unit, 0x85ebca6b) ^ (high >>> 13);
    }
    this.#low = low;
    this.#high = high;
    this.#count += 1;
    this.#sink?.(line);
    if (this.#lines === undefined) return;
    this.#lines.push(line);
    if (this.#lines.length > this.#keep * 2) this.#lines.splice(0, this.#lines.length - this.#keep);
  }

  /** 16 hex digits over all lines so far. */
  get hash(): string {
    return [this.#high, this.#low].map((part) => (part >>> 0).toString(16).padStart(8, '0')).join('');
  }

  get count(): number {
    return this.#count;
  }

  lastLines(): readonly string[] {
    return (this.#lines ?? []).slice(-this.#keep);
  }
}
