/** Bounds and periods of image pulling. */

/** Back-off after a failed pull of an image for a pod: MaxImageBackOff and its base. */
export const PULL_BACK_OFF = { baseMs: 10_000, capMs: 300_000 };
/** Failures longer ago than this are forgotten: twice the cap. */
export const PULL_BACK_OFF_EXPIRY_MS = 600_000;
/** How long a pod shows ErrImagePull before it shows ImagePullBackOff; less than the shortest back-off. */
export const SHOW_PULL_ERROR_MS = 3000;
/** When the runtime could not be asked, or an image that may not be pulled may have been imported meanwhile. */
export const LOOK_AGAIN_MS = 5000;
/** Credentials of one registry tried for one pull. */
export const MAX_CREDENTIALS_TRIED = 5;
/** Back-off records kept; the oldest go first. */
export const MAX_BACK_OFF_RECORDS = 5000;
/** ImageGCPeriod; and the deadline of one call while collecting. */
export const GC_PERIOD_MS = 300_000;
export const GC_CALL_TIMEOUT_MS = 120_000;
