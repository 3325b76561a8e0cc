/** Bounds of probing. */

/** Probe attempts under way at once on this node; further ones wait for a place, and their time-out begins then. */
export const MAX_CONCURRENT_PROBES = 64;
/** maxProbeRetries: tries of one attempt that ends in an error (never in a failure). */
export const MAX_PROBE_TRIES = 3;
/** A time-out that our own loop noticed this much too late says nothing about the container. */
export const LATE_TOLERANCE_MS = 100;
/** How long past its own time-out an attempt may go on before it is given up as an error. */
export const ATTEMPT_OVERRUN_MS = 10_000;
/** Probe output quoted in an event. */
export const MAX_OUTPUT_LENGTH = 1000;

export const DEFAULT_PERIOD_SECONDS = 10;
export const DEFAULT_TIMEOUT_SECONDS = 1;
export const DEFAULT_SUCCESS_THRESHOLD = 1;
export const DEFAULT_FAILURE_THRESHOLD = 3;
