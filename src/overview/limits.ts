/** The limits of the overview. */

/** A pod that died and runs again counts as healed lately for this long. */
export const HEALED_LATELY_MS = 60 * 60_000;
/** A node whose lease is older is told with its age, even before the cluster calls it lost. */
export const SILENT_NODE_MS = 15_000;
/** The most characters of a program's own words in a row. */
export const MAX_WORDS = 200;
/** Troubled workloads that the verdict names. */
export const MAX_NAMED = 3;
/** A requested restart is over at most so long after a container of it has started, ms. */
export const REQUESTED_START_MS = 30_000;
/** A pod that became ready so long after a container's start was not ready because of that start, ms. */
export const READY_AFTER_MS = 5 * 60_000;
/** A pod with so many restarts, that came up so shortly ago, may be in a crash loop, ms. */
export const MANY_RESTARTS = 3;
export const STAYS_UP_MS = 60_000;
