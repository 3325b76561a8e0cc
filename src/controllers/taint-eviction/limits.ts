/** Bounds of taint eviction. */

/** Pods sent away side by side (upstream: 8 pod workers). */
export const EVICTION_CONCURRENCY = 8;
