/** The bounds of `doctor`. */

/** A node tries for six seconds at most, one caller after the other. */
export const NODE_TIMEOUT_MS = 30_000;
/** The same for a node that is not ready, which will probably never answer. */
export const UNREADY_NODE_TIMEOUT_MS = 5_000;
export const NODES_AT_ONCE = 8;
export const MAX_ANSWER_BYTES = 1024 * 1024;
/** Steps of one node that are read; a node of ours has some ten. */
export const MAX_STEPS = 100;
