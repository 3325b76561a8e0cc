/** Bounds of status delivery and termination messages. */

/** Deliveries under way at once. */
export const MAX_CONCURRENT_DELIVERIES = 10;
/** Back-off of one pod's delivery while the server is away or refuses. */
export const DELIVERY_BACK_OFF = { baseMs: 100, capMs: 30_000 };
/** Deadline of one call. */
export const DELIVERY_TIMEOUT_MS = 20_000;
/** kubelet's MaxContainerTerminationMessageLength and its log fallback. */
export const MAX_TERMINATION_MESSAGE_BYTES = 4096;
export const MAX_FALLBACK_LOG_BYTES = 2048;
export const MAX_FALLBACK_LOG_LINES = 80;
/** What is read of the end of a log to find those lines: each carries a CRI prefix. */
export const FALLBACK_READ_BYTES = 16 * 1024;
