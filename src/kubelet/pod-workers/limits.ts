/** Bounds of the pod workers. */

/** Passes at once; each is short, but one may wait for a slow inspection. */
export const MAX_CONCURRENT_PASSES = 64;
/** A pass that broke or could not observe is tried again after this, doubling (upstream's sync back-off is 10 s). */
export const PASS_RETRY = { baseMs: 100, capMs: 10_000 };
/** How often a pod is looked at whose admission waits for a fresh read of the node. */
export const ADMISSION_WAIT_MS = 50;
/** While PLEG or a source is not synced, pods wait and are looked at this often. */
export const SYNC_WAIT_MS = 50;
/** How often a pod is looked at that nobody wants, and of which the server has not said that it is gone. */
export const ABSENCE_WAIT_MS = 10_000;
/** How often a pod is looked at that waits for the end of another pod of the same name. */
export const NAMESAKE_WAIT_MS = 200;
