/** Bounds of the sources of pods: the API server, the manifest folder and mirror pods. */

/** A pod that is in no list, and of which the server does not say that it is gone, is asked for again after this. */
export const ABSENCE_RETRY_MS = 10_000;

/** Upstream: maxConfigLength. */
export const MAX_MANIFEST_BYTES = 10 * 1024 * 1024;
/** Files that are looked at in one folder. */
export const MAX_MANIFEST_FILES = 1000;
/** Mirror pods are compared with their static pods this often, beside every change. */
export const MIRROR_PERIOD_MS = 20_000;
export const MIRROR_BACK_OFF = { baseMs: 200, capMs: 10_000 };
export const MIRROR_CALL_TIMEOUT_MS = 10_000;
