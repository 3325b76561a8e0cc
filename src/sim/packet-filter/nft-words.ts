/** Reads nft's text word by word. Braces, commas, semicolons and ends of lines are words. Pure. */
import { UnknownWord } from './nft-syntax.ts';

const WORD = /"[^"\n]*"|[{};,\n]|[^\s{};,"]+/g;
const QUOTED_AROUND = 8;

export class Words {
  readonly #words: readonly string[];
  #at = 0;

  constructor(text: string) {
    this.#words = text.match(WORD) ?? [];
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#words.length;
  }

  peek(ahead = 0): string {
    return this.#words[this.#at + ahead] ?? '';
  }

  next(): string {
    const word = this.peek();
    this.#at += 1;
    return word;
  }

  /** Takes these words if they are next. */
  take(...wanted: readonly string[]): boolean {
    if (!wanted.every((word, at) => this.peek(at) === word)) return false;
    this.#at += wanted.length;
    return true;
  }

  need(...wanted: readonly string[]): void {
    if (!this.take(...wanted)) throw this.unknown(`wanted "${wanted.join(' ')}"`);
  }

  number(): number {
    const found = Number(this.peek());
    if (this.peek() === '' || !Number.isSafeInteger(found)) throw this.unknown('wanted a number');
    this.#at += 1;
    return found;
  }

  /** Skips ends of lines and semicolons. */
  skipEnds(): void {
    while (this.peek() === '\n' || this.peek() === ';') this.#at += 1;
  }

  /** The words from a place on, for messages. */
  since(mark: number): string {
    return this.#words.slice(mark, this.#at).join(' ');
  }

  get mark(): number {
    return this.#at;
  }

  unknown(why: string): UnknownWord {
    const around = this.#words.slice(Math.max(0, this.#at - QUOTED_AROUND), this.#at + QUOTED_AROUND);
    return new UnknownWord(`${why} at "${this.peek()}" in "${around.join(' ')}"`);
  }
}
