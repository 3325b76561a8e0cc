/** Ranges of sizes and costs, from the least to the most, which end where upstream's 64 bits do. Pure. */

export interface Range {
  readonly min: number;
  readonly max: number;
}

/** Where upstream's numbers end; exact numbers of this size do not matter. */
export const MOST = 2 ** 64;

export const NOTHING: Range = { min: 0, max: 0 };
export const ONE: Range = { min: 1, max: 1 };
export const UNKNOWN: Range = { min: 0, max: MOST };

export function exactly(count: number): Range {
  return { min: count, max: count };
}

export function plus(...ranges: readonly Range[]): Range {
  let min = 0;
  let max = 0;
  for (const range of ranges) {
    min = Math.min(MOST, min + range.min);
    max = Math.min(MOST, max + range.max);
  }
  return { min, max };
}

export function times(one: Range, other: Range): Range {
  return { min: product(one.min, other.min), max: product(one.max, other.max) };
}

function product(one: number, other: number): number {
  return one === 0 || other === 0 ? 0 : Math.min(MOST, one * other);
}

/** Rounded up. */
export function scaled(range: Range, factor: number): Range {
  return { min: Math.min(MOST, Math.ceil(range.min * factor)), max: Math.min(MOST, Math.ceil(range.max * factor)) };
}

export function union(one: Range, other: Range): Range {
  return { min: Math.min(one.min, other.min), max: Math.max(one.max, other.max) };
}
