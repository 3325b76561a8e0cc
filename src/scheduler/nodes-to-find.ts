/** The number of fitting nodes after which a search ends (upstream's percentageOfNodesToScore). Pure. */

const ALL_BELOW = 100;
const LEAST_PERCENT = 5;
const MOST_PERCENT = 50;
/** The share falls by one percent for each group of this many nodes. */
const NODES_PER_PERCENT = 125;

/** All nodes of a small cluster, a share of a big one, but never fewer than a small cluster has. */
export function nodesToFind(all: number): number {
  if (all < ALL_BELOW) return all;
  const percent = Math.max(LEAST_PERCENT, MOST_PERCENT - Math.trunc(all / NODES_PER_PERCENT));
  return Math.max(ALL_BELOW, Math.trunc((all * percent) / 100));
}
