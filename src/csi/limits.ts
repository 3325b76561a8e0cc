/** Bounds of calls to storage plugins. */

/** Upstream: csiTimeout. A driver may format a disk within it. */
export const CALL_TIMEOUT_MS = 120_000;
/** Questions that change nothing: who are you, what can you do, how full is it. */
export const QUESTION_TIMEOUT_MS = 15_000;
/** Largest answer of a plugin (gRPC's own default). */
export const MAX_MESSAGE_BYTES = 4 << 20;
