/**
 * Bounds the size of a decoded value with its shared parts written out. YAML's aliases let a few hundred bytes stand for
 * gigabytes, and later code would walk all of them.
 */

/**
 * Whether `value` counts more than `maximum`: one for each value in it, and the characters of its texts and field names.
 * Takes at most about `maximum` steps, also when the value contains itself.
 */
export function exceedsSize(value: unknown, maximum: number): boolean {
  const waiting: unknown[] = [value];
  let size = 1;
  while (waiting.length > 0) {
    const next = waiting.pop();
    if (typeof next === 'string') size += next.length;
    else if (Array.isArray(next)) size += next.length;
    else if (typeof next === 'object' && next !== null) for (const name of Object.keys(next)) size += 1 + name.length;
    // Before the parts are listed: the list of them is as long as what they count.
    if (size > maximum) return true;
    if (typeof next === 'object' && next !== null) for (const child of Object.values(next)) waiting.push(child);
  }
  return false;
}
