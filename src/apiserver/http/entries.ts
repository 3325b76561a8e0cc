/**
 * Bounds the number of entries in a decoded body. The limit on bytes alone lets hundreds of thousands of keys through, and
 * code that walks them for a second makes all others wait for that long.
 */
import { requestEntityTooLarge, type StatusError } from '../../api/index.ts';
import { MAX_BODY_ENTRIES, MAX_LIST_ENTRIES } from '../limits.ts';

/** Throws 413 for a value with too many entries in one map or list, or in all. `value` must be a tree, as JSON is. */
export function refuseTooManyEntries(value: unknown): void {
  const waiting: unknown[] = [value];
  let total = 0;
  while (waiting.length > 0) {
    const next = waiting.pop();
    if (typeof next !== 'object' || next === null) continue;
    const children: readonly unknown[] = Array.isArray(next) ? next : Object.values(next);
    total += children.length;
    if (children.length > MAX_LIST_ENTRIES || total > MAX_BODY_ENTRIES)
      throw tooManyEntries({ widest: children.length });
    for (const child of children) if (typeof child === 'object' && child !== null) waiting.push(child);
  }
}

/** 413: one map or list has `widest` entries, or as many as were counted; or there are too many in all. */
export function tooManyEntries({ widest }: { readonly widest: number }): StatusError {
  return requestEntityTooLarge(
    widest > MAX_LIST_ENTRIES
      ? `one map or list has more than ${MAX_LIST_ENTRIES} entries`
      : `more than ${MAX_BODY_ENTRIES} entries in all`,
  );
}
