/** Bounds of `history` and `logs --death`. */

/** The size of one answer, which holds some lives of a pod, each of half a MiB at most. */
export const MAX_ANSWER_BYTES = 64 * 1024 * 1024;
/** Nodes asked at once for a pod that is gone, where the server does not ask them itself. */
export const NODES_AT_ONCE = 8;
export const NODE_TIMEOUT_MS = 10_000;
/** The same limits for nodes that are not ready, of which most will never answer; the time is for all of them together. */
export const UNREADY_NODES_AT_ONCE = 32;
export const UNREADY_NODE_TIMEOUT_MS = 3_000;
/** Width of the column WHY where there is no terminal to fit into. */
export const WHY_CHARACTERS = 80;
export const LEAST_WHY_CHARACTERS = 24;
/** Pods of a workload whose deaths are read: those that are there first, then those gone last. */
export const MAX_GROUP_PODS = 100;
/** Deaths and rollouts in the table of a workload, the newest. */
export const MAX_GROUP_ROWS = 200;
/** The size of a node's list of the pods that it remembers. */
export const MAX_INDEX_BYTES = 8 * 1024 * 1024;
/** Objects of a kind in one list. */
export const MAX_GROUP_LISTED = 1000;
