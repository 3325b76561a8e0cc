/** How many fitting nodes are enough: all of a small cluster, a share of a big one (upstream's percentageOfNodesToScore). Pure. */

const ALL_BELOW = 100;
const LEAST_PERCENT = 5;
const MOST_PERCENT = 50;
/** Each so many nodes take a percent off. */
const NODES_PER_PERCENT = 125;

export function nodesToFind(all: number): number {
  if (all < ALL_BELOW) return all;
  const percent = Math.max(LEAST_PERCENT, MOST_PERCENT - Math.trunc(all / NODES_PER_PERCENT));
  return Math.max(ALL_BELOW, Math.trunc((all * percent) / 100));
}
