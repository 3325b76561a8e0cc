/** Orders namespaces by how likely they are those of the same people. Pure. */

/** Those whose names begin most as one of these do come first: "shop-data" before "billing", for "shop". */
export function nearestNamespaces(all: readonly string[], own: readonly string[]): readonly string[] {
  const score = (name: string): number => Math.max(0, ...own.map((each) => sameLetters(name, each)));
  return all.toSorted((a, b) => score(b) - score(a) || (a < b ? -1 : 1));
}

function sameLetters(a: string, b: string): number {
  let count = 0;
  while (count < a.length && a[count] === b[count]) count += 1;
  return count;
}
