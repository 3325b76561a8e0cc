/** Counts per topology domain, e.g. per zone. */
export class TopologyCounts {
  /** Topology key → value → count; never 0. */
  readonly #counts = new Map<string, Map<string, number>>();

  get empty(): boolean {
    return this.#counts.size === 0;
  }

  get(key: string, value: string | undefined): number {
    return value === undefined ? 0 : (this.#counts.get(key)?.get(value) ?? 0);
  }

  /** A node without the label is not counted. */
  add(key: string, labels: Readonly<Record<string, string>>, by: number): void {
    const value = labels[key];
    if (value === undefined) return;
    let values = this.#counts.get(key);
    if (values === undefined) {
      values = new Map();
      this.#counts.set(key, values);
    }
    const next = (values.get(value) ?? 0) + by;
    if (next === 0) values.delete(value);
    else values.set(value, next);
    if (values.size === 0) this.#counts.delete(key);
  }

  keys(): Iterable<string> {
    return this.#counts.keys();
  }
}
