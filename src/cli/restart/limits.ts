/** The bounds of `restart`. */

/** How long one pod may take, if nothing else is said. ms */
export const DEFAULT_TIMEOUT_MS = 300_000;
/** A restart that ends sooner tells only how it ended. ms */
export const QUIET_MS = 2_000;
/** What goes on is looked at so often, as some of it changes with time alone. ms */
export const LOOK_EVERY_MS = 1_000;
/** So long a restart is not taken up by anybody: then it is said what may be missing. ms */
export const UNTAKEN_MS = 5_000;
/** At most so many at once. */
export const MAX_PARALLEL = 100;
/** Pods that a report names, the others are counted. */
export const MAX_NAMED = 10;
/** So long after its pod a restart may still tell its end by itself. */
export const GONE_MS = 5_000;
