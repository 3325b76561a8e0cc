/** Periods and thresholds of the node's own objects; upstream's defaults unless said otherwise. */

/** Until the node is Ready for the first time the status is looked at this often, for this long (nodeReadyGracePeriod). */
export const FAST_STATUS_PERIOD_MS = 100;
export const FAST_STATUS_MS = 120_000;
/** The lease is renewed after this part of its duration (nodeLeaseRenewIntervalFraction). */
export const LEASE_PERIOD_FRACTION = 0.25;
export const LEASE_JITTER = 0.04;
/** Back-off of registration and of a failed lease renewal. */
export const RETRY_BACK_OFF = { baseMs: 200, capMs: 7000 };
export const CALL_TIMEOUT_MS = 10_000;
/** Deadline of asking the machine or the runtime for what the status shows. */
export const FACTS_TIMEOUT_MS = 5000;
/** Write conflicts in a row before the next period. */
export const MAX_CONFLICTS = 5;
/** nodeStatusMaxImages, MaxNamesPerImageInNodeStatus. */
export const MAX_IMAGES = 50;
export const MAX_NAMES_PER_IMAGE = 5;
