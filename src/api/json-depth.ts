/** Bounds nesting: code that walks a body recursively (copying, printing, merging) must not run out of stack. */

/** Far more than any kind needs; upstream's decoder stops at 10,000, which our stack could not print again. */
export const MAX_JSON_DEPTH = 500;

/** Whether lists and objects nest deeper than `maximum`. Doesn't recurse. */
export function exceedsDepth(value: unknown, maximum: number): boolean {
  let level = [value].filter(isContainer);
  for (let depth = 0; level.length > 0; depth++) {
    if (depth === maximum) return true;
    const next: object[] = [];
    for (const container of level) {
      for (const child of Array.isArray(container) ? container : Object.values(container))
        if (isContainer(child)) next.push(child);
    }
    level = next;
  }
  return false;
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
