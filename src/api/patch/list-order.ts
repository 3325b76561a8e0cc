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
  const rankIn = (rank: ReadonlyMap<unknown, number>) => (a: unknown, b: unknown) =>
    (rank.get(identify(a)) ?? Infinity) - (rank.get(identify(b)) ?? Infinity) || 0;
  const fromPatch = merged.filter((element) => patchRank.has(identify(element))).toSorted(rankIn(patchRank));
  const serverOnly = merged.filter((element) => !patchRank.has(identify(element))).toSorted(rankIn(serverRank));
  const result: unknown[] = [];
  let next = 0;
  for (const element of serverOnly) {
    const own = serverRank.get(identify(element)) ?? Infinity;
    while (next < fromPatch.length && !((serverRank.get(identify(fromPatch[next])) ?? -1) > own))
      result.push(fromPatch[next++]);
    result.push(element);
  }
  return [...result, ...fromPatch.slice(next)];
}

function ranks(identities: readonly unknown[]): ReadonlyMap<unknown, number> {
  const first = new Map<unknown, number>();
  identities.forEach((identity, position) => {
    if (!first.has(identity)) first.set(identity, position);
  });
  return first;
}
