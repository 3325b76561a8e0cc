/**
 * Order of merged lists. The patch's elements stand in the patch's order, the server's own in the server's; an element of the
 * server comes before one of the patch only where the server knows both and has them so.
 */

/** Identity of an element: the value of its merge key, or itself in a primitive list. */
export type Identify = (element: unknown) => unknown;

/**
 * @param patchOrder identities in the order that the patch asks for
 * @param serverOrder identities as the server had them
 */
export function orderMerged(
  merged: readonly unknown[],
  patchOrder: readonly unknown[],
  serverOrder: readonly unknown[],
  identify: Identify,
): unknown[] {
  const patchRank = ranks(patchOrder);
  const serverRank = ranks(serverOrder);
  const fromPatch: Ranked[] = [];
  const serverOnly: Ranked[] = [];
  for (const element of merged) {
    const identity = identify(element);
    const inPatch = patchRank.get(identity);
    const inServer = serverRank.get(identity);
    if (inPatch === undefined) serverOnly.push({ element, rank: inServer ?? Infinity, inServer });
    else fromPatch.push({ element, rank: inPatch, inServer });
  }
  const result: unknown[] = [];
  const patches = fromPatch.toSorted(byRank);
  let next = 0;
  for (const { element, rank } of serverOnly.toSorted(byRank)) {
    for (; next < patches.length && !((patches[next]?.inServer ?? -1) > rank); next++)
      result.push(patches[next]?.element);
    result.push(element);
  }
  for (; next < patches.length; next++) result.push(patches[next]?.element);
  return result;
}

interface Ranked {
  readonly element: unknown;
  /** Its place in the list that it is sorted by. */
  readonly rank: number;
  /** Its place in the server's list, if it is there. */
  readonly inServer: number | undefined;
}

/** Two that no list knows stay as they are: the difference of two infinities is no number. */
function byRank(a: Ranked, b: Ranked): number {
  return a.rank - b.rank || 0;
}

function ranks(identities: readonly unknown[]): ReadonlyMap<unknown, number> {
  const first = new Map<unknown, number>();
  identities.forEach((identity, position) => {
    if (!first.has(identity)) first.set(identity, position);
  });
  return first;
}
