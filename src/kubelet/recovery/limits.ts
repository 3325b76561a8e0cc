/** Bounds and periods of late recovery. */

/** ConfigMaps, Secrets, claims and images of one pod that are watched for its recovery. */
export const MAX_WATCHED_INPUTS = 64;
/** Addresses dialled at once, of all pods; and the deadline of one dial. */
export const MAX_CONCURRENT_DIALS = 16;
export const DIAL_TIMEOUT_MS = 1000;
/** How often an address that does not answer is dialled while a container waits for it, and one that does. */
export const DIAL_PERIOD_MS = 1000;
export const DIAL_WELL_PERIOD_MS = 5000;
/** How often images and claims that a waiting container needs are looked at. */
export const IMAGE_PERIOD_MS = 2000;
export const CLAIM_PERIOD_MS = 2000;
/** Images, or claims, asked for at once. */
export const MAX_CONCURRENT_LOOKS = 4;
/** An immutable object is not watched, and may have been recreated under its name. */
export const CONFIG_PERIOD_MS = 15_000;
/** Up to this fraction longer, so that pods that failed together do not ask together. */
export const PERIOD_JITTER = 0.25;
/** Deadline of one question to the API server or the runtime. */
export const LOOK_TIMEOUT_MS = 5000;
