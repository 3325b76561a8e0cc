/** The bounds of the store. */

/** Events kept in memory for watchers; one that falls further behind is cut off with "overflow". */
export const RING_MAX_EVENTS = 4096;
export const RING_MAX_BYTES = 8 * 1024 * 1024;
/** Events that a watcher is given at once, and rows that one read of the log returns. */
export const WATCH_BATCH_EVENTS = 500;
/** The longest time until a waiting watcher is told that the store moved on without events of its own. */
export const PROGRESS_INTERVAL_MS = 5000;
/** History is kept this long at least (the interval upstream's API server compacts etcd in) … */
export const COMPACTION_INTERVAL_MS = 5 * 60 * 1000;
/** … unless there is more of it than this. */
export const HISTORY_MAX_REVISIONS = 20_000;
export const MAX_KEY_LENGTH = 4096;
/** Calls that wait for the worker; more are refused at once, having had no effect. */
export const MAX_PENDING_CALLS = 10_000;
/** Calls that share one transaction. */
export const MAX_BATCH_CALLS = 512;
/** The file's greatest size; reaching it is "full". etcd's default quota is the same. */
export const MAX_FILE_BYTES = 2 * 1024 * 1024 * 1024;
/** Revisions that one transaction of the sweeper looks at, so that writes never wait long for it. */
export const SWEEP_REVISIONS = 1000;
/** Expired keys that are deleted at once. */
export const EXPIRY_BATCH = 100;
/** A delete that failed (disk full) is tried again this much later. */
export const EXPIRY_RETRY_MS = 10_000;
