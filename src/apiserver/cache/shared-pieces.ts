/**
 * The bytes of a whole list in pieces, made by the first reader and shared with all readers of the same list in the same
 * form: two thousand watchers that begin at once get the same bytes.
 */
import type { ByteBudget, Forgetful } from './byte-budget.ts';
import type { CachedObject } from './cached-object.ts';

interface Piece {
  readonly bytes: Uint8Array;
  /** Index of the first item after it. */
  readonly next: number;
}

const byList = new WeakMap<readonly CachedObject[], Map<string, SharedPieces>>();

export class SharedPieces implements Forgetful {
  readonly #items: readonly CachedObject[];
  readonly #budget: ByteBudget;
  #pieces = new Map<number, Piece>();

  private constructor(items: readonly CachedObject[], budget: ByteBudget) {
    this.#items = items;
    this.#budget = budget;
  }

  /** Those of `items`, the very list that the cache hands to all, in the form that `format` names. */
  static of(items: readonly CachedObject[], format: string, budget: ByteBudget): SharedPieces {
    const formats = byList.get(items) ?? new Map<string, SharedPieces>();
    byList.set(items, formats);
    const known = formats.get(format) ?? new SharedPieces(items, budget);
    formats.set(format, known);
    return known;
  }

  /** The piece that begins with item `from`, which is there: as many items as make about `pieceBytes`, at least one. */
  at(from: number, pieceBytes: number, encode: (items: readonly CachedObject[]) => Uint8Array): Piece {
    const known = this.#pieces.get(from);
    if (known !== undefined) return known;
    let bytes = 0;
    let next = from;
    while (next < this.#items.length && (bytes < pieceBytes || next === from)) {
      // Served objects are about as long as stored ones.
      bytes += (this.#items[next]?.bytes ?? 0) + 64;
      next += 1;
    }
    const piece = { bytes: encode(this.#items.slice(from, next)), next };
    this.#pieces.set(from, piece);
    this.#budget.add(this, piece.bytes.length);
    return piece;
  }

  forget(): void {
    this.#pieces = new Map();
  }
}
