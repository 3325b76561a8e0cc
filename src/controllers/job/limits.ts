/** Bounds of the job controllers; upstream's unless said otherwise. */

/** After a failure of a pod the next one waits, longer with each failure in a row. */
export const POD_FAILURE_BACK_OFF = { baseMs: 10_000, capMs: 600_000 };

/** More failures in a row make the delay no longer. */
export const REMEMBERED_FAILURES = 8;

/** Pods that one status names as ended and not counted yet. */
export const MAX_UNCOUNTED_PODS = 500;

/** Pods created or deleted in one reconcile. */
export const MAX_POD_CHANGES = 500;
