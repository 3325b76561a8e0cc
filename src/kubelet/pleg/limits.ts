/** Bounds and periods of PLEG. Those with an upstream name are upstream's values (pkg/kubelet/kubelet.go). Relist periods: settings. */

/** genericPlegRelistThreshold; a longer relist period has twice itself (upstream: 10 min for 300 s). */
export const RELIST_THRESHOLD_MS = 180_000;
/** The loop shows that it runs this often; a pause of twice as much was no time of ours. */
export const ACTIVITY_BEAT_MS = 1000;
/** A list call that takes longer is given up and counts as a failed relist. */
export const LIST_TIMEOUT_MS = 30_000;
/** Deadline of one pod's inspection. */
export const INSPECT_TIMEOUT_MS = 10_000;
/** Pods inspected at once. */
export const MAX_INSPECTIONS = 8;
/** The part of these for pods whose last inspection failed: sick pods never take every place. */
export const MAX_SUSPECT_INSPECTIONS = 4;
/**
 * The channel: containers with an event whose status is being read. Further events are counted, and a relist finds the
 * change.
 */
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
/** eventedPlegMaxStreamRetries: after so many failed attempts in a row the mode is Generic; the attempts go on. */
export const MAX_STREAM_RETRIES = 5;
/** Pause before the event stream is opened again: first and longest. */
export const RECONNECT_BASE_MS = 50;
export const RECONNECT_CAP_MS = 5000;
/** A runtime without events is asked again this often: it may have been replaced. */
export const NO_EVENTS_RETRY_MS = 60_000;
/** An attempt that does not stand by then has failed. */
export const STREAM_CONNECT_TIMEOUT_MS = 10_000;
/** A stream that stood this long was a good one: the next pause starts from the base. */
export const RECONNECT_STABLE_MS = 10_000;
/** A relist that begins so long after the stream stood sees nothing that happened before it. Status lags by up to 125 ms. */
export const SILENCE_SETTLE_MS = 2000;
/** How much later than the relist that found a change its event may come. */
export const SILENCE_GRACE_MS = 2000;
/** A check that fires this much late says more about our own loop: events may lie unread. */
export const SILENCE_LATE_TOLERANCE_MS = 100;
/** Containers and sandboxes of which a stream's events are remembered. */
export const MAX_ANNOUNCED = 4096;
/** After a silent stream the next must stand this long, doubling, before the relist slows again. */
export const PROBATION_BASE_MS = 10_000;
export const PROBATION_CAP_MS = 300_000;
/** A stream that stood this long makes up for earlier silent ones. */
export const SILENCE_FORGIVEN_MS = 600_000;
