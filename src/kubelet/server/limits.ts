/** Bounds of the kubelet's own API. */

/** Read from a log file at once. */
export const LOG_CHUNK_BYTES = 64 * 1024;
/** A log line longer than this is cut there; runtimes split lines at 16 KiB. */
export const MAX_LOG_LINE_BYTES = 1024 * 1024;
/** How often a followed log is looked at where no file event comes (upstream: stateCheckPeriod 5 s). */
export const FOLLOW_POLL_MS = 1000;
/** A container that ended may still have its last lines on their way: one more look after this. */
export const FOLLOW_DRAIN_MS = 100;
/** Ordinary requests under way at once, followed logs included; further ones are told to come again. */
export const MAX_CONCURRENT_REQUESTS = 500;
