/** Bounds of the cri room. */

/** kubelet's runtimeRequestTimeout is 2 min; the port promises the same. */
export const CALL_TIMEOUT_MS = 120_000;

/** How much longer than its command an ExecSync may take before the runtime itself counts as away. */
export const EXEC_MARGIN_MS = 10_000;

/** Largest message the runtime may send (kubelet's 16 MiB). */
export const MAX_MESSAGE_BYTES = 16 << 20;

/** What is kept of each output of an ExecSync. */
export const MAX_EXEC_OUTPUT_BYTES = 16 << 10;

/** An event stream that shows nothing of our own probe event within this time is not standing. */
export const EVENTS_CONNECT_TIMEOUT_MS = 5_000;
