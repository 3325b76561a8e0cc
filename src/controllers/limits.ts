/** Bounds of the controllers. */

/** Reconciles at once, per controller. */
export const RECONCILE_CONCURRENCY = 4;

/** All rate-limited retries of one controller together (client-go's default controller rate limiter). */
export const RETRY_BUCKET = { burst: 100, perSecond: 10 };

/** Deletes at once while a namespace is emptied. */
export const NAMESPACE_DELETE_CONCURRENCY = 8;

/** A pod is orphaned when its node's object has been gone for so long (upstream's pod GC quarantine). */
export const ORPHAN_QUARANTINE_MS = 40_000;

/** Operations of one reconcile under way at once (slow start). */
export const MAX_BATCH = 64;
