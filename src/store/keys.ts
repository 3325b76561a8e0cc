/** Keys: their order (that of their UTF-8 bytes, so that every implementation lists alike) and ranges. */
import { assert } from '../lib/index.ts';
import { MAX_KEY_LENGTH } from './limits.ts';

const SURROGATES_START = 0xd800;
const SURROGATES_END = 0xe000;
const MAX_CODE_POINT = 0x10ffff;

/** Keys come from our own code, so a malformed one is a programmer's error. */
export function assertKey(key: string): void {
  assert(key.length > 0 && key.length <= MAX_KEY_LENGTH, `key of ${key.length} characters`);
  assert(key.isWellFormed() && !key.includes('\0'), 'key with a lone surrogate or NUL');
}

/** Orders by code points: UTF-16 units order astral characters before U+E000, UTF-8 bytes after it. */
export function compareKeys(left: string, right: string): number {
  const length = Math.min(left.length, right.length);
  for (let index = 0; index < length; index++) {
    const a = left.charCodeAt(index);
    const b = right.charCodeAt(index);
    if (a === b) continue;
    const aSurrogate = a >= SURROGATES_START && a < SURROGATES_END;
    const bSurrogate = b >= SURROGATES_START && b < SURROGATES_END;
    if (aSurrogate === bSurrogate) return a - b;
    return aSurrogate ? 1 : -1;
  }
  return left.length - right.length;
}

/** The least key that is greater than every key starting with `prefix`; `undefined`: there is none. */
export function prefixEnd(prefix: string): string | undefined {
  const points = Array.from(prefix, (char) => char.codePointAt(0) ?? 0);
  for (let last = points.pop(); last !== undefined; last = points.pop()) {
    if (last === MAX_CODE_POINT) continue;
    const next = last + 1 === SURROGATES_START ? SURROGATES_END : last + 1;
    return String.fromCodePoint(...points, next);
  }
  return undefined;
}

/** The index of the first of the sorted `keys` that is ≥ `key` (> `key` when `past`). */
export function lowerBound(keys: readonly string[], key: string, past = false): number {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const order = compareKeys(keys[middle] ?? '', key);
    if (order < 0 || (past && order === 0)) low = middle + 1;
    else high = middle;
  }
  return low;
}
