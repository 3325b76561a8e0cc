/** Bounds and periods of volumes. */

/** Pods whose volumes are being set up at once. */
export const MAX_CONCURRENT_SETUPS = 8;
/** Upstream's back-off of a failed mount (goroutinemap/exponentialbackoff). */
export const SETUP_BACK_OFF = { baseMs: 500, capMs: 122_000 };
/** How often the content of ConfigMap, Secret, downward API and projected volumes is compared with its source. */
export const REFRESH_MS = 60_000;
/** Up to this fraction longer, so that pods that started together do not refresh together. */
export const REFRESH_JITTER = 0.5;
/** Deadline of one mount or umount. */
export const MOUNT_TIMEOUT_MS = 30_000;
/** A ConfigMap or Secret is 1 MiB at most; a projected volume may join several. */
export const MAX_PAYLOAD_BYTES = 16 * 1024 * 1024;
export const MAX_MOUNTINFO_BYTES = 16 * 1024 * 1024;
/** Linux: PATH_MAX and NAME_MAX. */
export const MAX_PATH_LENGTH = 4095;
export const MAX_NAME_LENGTH = 255;
/** Service account tokens kept; and after which part of their life they are asked for anew (upstream: 80 %). */
export const MAX_CACHED_TOKENS = 2000;
export const TOKEN_RENEW_FRACTION = 0.8;
