/** Bounds of the cri room. */

/** kubelet's runtimeRequestTimeout is 2 min; the port promises the same. */
export const CALL_TIMEOUT_MS = 120_000;

/** How much longer than its command an ExecSync may take before the runtime itself counts as away. */
export const EXEC_MARGIN_MS = 10_000;

/** Largest message the runtime may send (kubelet's 16 MiB). */
export const MAX_MESSAGE_BYTES = 16 << 20;

/** The bytes that are kept of each output of an ExecSync. */
export const MAX_EXEC_OUTPUT_BYTES = 16 << 10;

/** An event stream that shows nothing of our own probe event within this time is not standing. */
export const EVENTS_CONNECT_TIMEOUT_MS = 5_000;

/**
 * Commands in containers whose streams mendlet holds, including those that outlive their client; further ones go the
 * runtime's own way.
 */
export const MAX_OWN_EXECS = 300;

/**
 * How long processes that a command left behind may keep its outputs open after its end (containerd's
 * drain_exec_sync_io_timeout has no bound by default; a stream may be idle for as long).
 */
export const EXEC_DRAIN_MS = 4 * 3600_000;

/**
 * How often the question "has it ended?" is repeated after a lost answer, and the pauses between: containerd may be
 * restarting.
 */
export const EXEC_WAIT_TRIES = 60;
export const EXEC_WAIT_RETRY_MS = 1_000;
