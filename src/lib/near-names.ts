/** The names that are most like a name that does not exist. Pure. */

const MAX_NEAR = 3;
/** Longer names of strangers are not compared letter by letter. */
const MAX_COMPARED = 63;

/**
 * Those that contain it, are contained in it, or differ in few letters; the nearest first.
 *
 * @param share one letter in so many may differ: fewer where names that have parts in common mean different things
 */
export function nearNames(wanted: string, names: readonly string[], share = 3): readonly string[] {
  return names
    .filter((name) => name.length <= MAX_COMPARED && wanted.length <= MAX_COMPARED)
    .map((name) => ({
      name,
      distance: name.includes(wanted) || wanted.includes(name) ? 1 : editDistance(wanted, name),
    }))
    .filter(({ distance }) => distance <= Math.max(1, Math.floor(wanted.length / share)))
    .toSorted((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1))
    .slice(0, MAX_NEAR)
    .map(({ name }) => name);
}

/** How many letters must be put in, taken away, changed, or swapped with the next one. */
function editDistance(a: string, b: string): number {
  let before: readonly number[] = [];
  let row: readonly number[] = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const changed = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const isSwapped = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swapped = isSwapped ? (before[j - 2] ?? Number.POSITIVE_INFINITY) + 1 : Number.POSITIVE_INFINITY;
      next.push(Math.min(changed, swapped, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    before = row;
    row = next;
  }
  return row[b.length] ?? 0;
}
