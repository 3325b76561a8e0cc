/** Bounds of the node lifecycle controller. */

/** Our own heartbeat: this often in a grace period, but never more often than MIN_SELF_PERIOD_MS. */
export const SELF_CHECKS_PER_GRACE = 5;
export const MIN_SELF_PERIOD_MS = 500;
/** While we are not well we look so often in a period. */
export const SELF_CHECKS_WHEN_ILL = 4;
/** Nodes that are judged side by side (upstream: 8 node update workers). */
export const NODE_CONCURRENCY = 8;
/** Asking the server for a node's lease before the verdict. */
export const VERDICT_READ_TIMEOUT_MS = 5_000;
/** Kubelets renew their lease after a quarter of its duration; this much of it must fit into a grace. */
export const RENEWAL_WITH_SLACK = 0.5;
