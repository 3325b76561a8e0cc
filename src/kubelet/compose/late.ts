/** A part that others are given before it is made: a circle of parts is closed here, and nowhere else. */
import { assert } from '../../lib/index.ts';

export class Late<T extends object> {
  readonly #name: string;
  #part: T | undefined;

  /** `name` appears in the error when the part is used too early. */
  constructor(name: string) {
    this.#name = name;
  }

  /** The part is made; once. @returns it */
  is(part: T): T {
    assert(this.#part === undefined, `${this.#name} was made twice`);
    this.#part = part;
    return part;
  }

  /** The part. Using it while the parts are still being put together is a mistake. */
  get it(): T {
    assert(this.#part !== undefined, `${this.#name} was asked before it was made`);
    return this.#part;
  }
}
