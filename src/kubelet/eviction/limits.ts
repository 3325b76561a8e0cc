/** Periods and bounds of node-pressure eviction; upstream's values (pkg/kubelet/kubelet.go, eviction_manager.go). */

/** evictionMonitoringPeriod. */
export const MONITOR_PERIOD_MS = 10_000;
/** podCleanupTimeout: how long after an eviction its effect is waited for before another pod is looked at. */
export const CLEANUP_TIMEOUT_MS = 30_000;
/** immediateEvictionGracePeriodSeconds: the grace period of a pod that is evicted for a hard threshold. */
export const HARD_GRACE_SECONDS = 1;
/** Deadline of asking the machine. */
export const PRESSURE_TIMEOUT_MS = 10_000;
