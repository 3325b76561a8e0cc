/** Bounds of `history` and `logs --death`. */

/** One answer: some lives of a pod, each of half a MiB at most. */
export const MAX_ANSWER_BYTES = 64 * 1024 * 1024;
/** Nodes asked at once for a pod that is gone, where the server does not ask them itself. */
export const NODES_AT_ONCE = 8;
/** Width of the column WHY where there is no terminal to fit into. */
export const WHY_CHARACTERS = 80;
export const LEAST_WHY_CHARACTERS = 24;
