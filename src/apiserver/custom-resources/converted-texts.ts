/** Objects that were converted, by the version and the text that they had; bounded in number and size, the oldest go first. */
import { MAX_REMEMBERED_CHARACTERS, MAX_REMEMBERED_CONVERSIONS } from '../limits.ts';
import type { ApiObject } from '../registry/object.ts';

export class ConvertedTexts {
  readonly #objects = new Map<string, ApiObject>();
  #characters = 0;

  get(key: string): ApiObject | undefined {
    return this.#objects.get(key);
  }

  /** The newest stays, whatever its size: the write that asked for it reads it next. */
  set(key: string, object: ApiObject): void {
    this.#forget(key);
    this.#objects.set(key, object);
    this.#characters += weightOf(key);
    for (const oldest of this.#objects.keys()) {
      if (oldest === key || !this.#isFull) return;
      this.#forget(oldest);
    }
  }

  get #isFull(): boolean {
    return this.#objects.size > MAX_REMEMBERED_CONVERSIONS || this.#characters > MAX_REMEMBERED_CHARACTERS;
  }

  #forget(key: string): void {
    if (this.#objects.delete(key)) this.#characters -= weightOf(key);
  }
}

/** What an object was made from counts for it, too: they are about as long. */
function weightOf(key: string): number {
  return key.length * 2;
}
