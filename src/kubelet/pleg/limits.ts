/** Bounds and periods of PLEG. Those with an upstream name are upstream's values (pkg/kubelet/kubelet.go). */

/** genericPlegRelistPeriod. */
export const RELIST_PERIOD_MS = 1000;
/** genericPlegRelistThreshold. */
export const RELIST_THRESHOLD_MS = 180_000;
/** A list call that takes longer is given up and counts as a failed relist. */
export const LIST_TIMEOUT_MS = 30_000;
/** Deadline of one pod's inspection. */
export const INSPECT_TIMEOUT_MS = 10_000;
/** Pods inspected at once. */
export const MAX_INSPECTIONS = 8;
/** Of these, pods whose last inspection failed: the sick never take every place. */
export const MAX_SUSPECT_INSPECTIONS = 4;
/** Containers with an event whose status is being read; further ones wait for the relist. */
export const MAX_EVENT_READS = 1000;
/** Status reads for events at once. */
export const MAX_CONCURRENT_EVENT_READS = 32;
/** Deadline of one status read for an event. */
export const EVENT_READ_TIMEOUT_MS = 2000;
/** First pause before a status read is repeated. */
export const EVENT_REREAD_BASE_MS = 5;
/** Pauses stay short while the runtime is known to lag behind its own events (containerd: 33 to 125 ms). */
export const EVENT_REREAD_DENSE_MS = 10;
export const EVENT_REREAD_DENSE_UNTIL_MS = 150;
/** A status that does not show what was announced by then is left to the relist. */
export const EVENT_REREAD_TOTAL_MS = 1000;
/** Pause before the event stream is opened again: first and longest. */
export const RECONNECT_BASE_MS = 50;
export const RECONNECT_CAP_MS = 5000;
/** A stream that stood this long was a good one: the next pause starts from the base. */
export const RECONNECT_STABLE_MS = 10_000;
