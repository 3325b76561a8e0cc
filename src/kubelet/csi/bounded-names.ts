/** Names from outside as values of a metric's label: the first ones are told apart, and all further ones are one. */
export class BoundedNames {
  readonly #limit: number;
  readonly #known = new Set<string>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** The name, or "other". */
  label(name: string): string {
    if (this.#known.has(name)) return name;
    if (this.#known.size >= this.#limit) return 'other';
    this.#known.add(name);
    return name;
  }
}
