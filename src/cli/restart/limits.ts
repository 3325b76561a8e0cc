/** The bounds of `restart`. */

/** Default time limit for one pod. ms */
export const DEFAULT_TIMEOUT_MS = 300_000;
/** A restart that ends within this time prints only its outcome. ms */
export const QUIET_MS = 2_000;
/** Pause between two looks at a running restart, because parts of its text change with time alone. ms */
export const LOOK_EVERY_MS = 1_000;
/** After this time without an agent or controller that takes up the restart, a hint says what may be missing. ms */
export const UNTAKEN_MS = 5_000;
/** Restarts at once. */
export const MAX_PARALLEL = 100;
/** Pods that a report names; the others are counted. */
export const MAX_NAMED = 10;
/** Time after the pod's end within which the restart object may still report its own end. ms */
export const GONE_MS = 5_000;
