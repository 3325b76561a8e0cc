/** Bounds and constants of planning. */

/** CrashLoopBackOff (upstream: MaxContainerBackOff, containerBackOffPeriod). */
export const CRASH_BACK_OFF_INITIAL_MS = 10_000;
export const CRASH_BACK_OFF_CAP_MS = 300_000;
/** An exit this long after the last restart decision starts a fresh curve (upstream: backOffRecoveryDuration). */
export const CRASH_BACK_OFF_RESET_MS = 600_000;

/** Retries of a failed start or job: never slower than upstream's 10 s sync back-off. */
export const RETRY_BASE_MS = 500;
export const RETRY_CAP_MS = 10_000;

/** A resize that the node had no room for is looked at again. */
export const RESIZE_RETRY_MS = 10_000;

/** Upstream: MaxPodTerminationMessageLogLength. */
export const MAX_POD_TERMINATION_MESSAGE_BYTES = 12 * 1024;

/** Ends remembered per container: `lastState` needs two. */
export const MAX_DEATHS_REMEMBERED = 2;

/** Upstream: minimumGracePeriodInSeconds, here only after a preStop hook has used the grace up, as documented. */
export const GRACE_EXTENSION_SECONDS = 2;

export const DEFAULT_GRACE_PERIOD_SECONDS = 30;
/** The grace period of a pod without an object whose own grace period is unknown (upstream: 1 s for orphans). */
export const ORPHAN_GRACE_PERIOD_SECONDS = 1;

/** Fewer older dead containers of one name than this wait while a start is under way; more are removed beside it. */
export const MAX_DEAD_IN_WAITING = 4;

/**
 * A death is not reported without its termination message while that is being read, for at most this time, since the runtime
 * may hang.
 */
export const MESSAGE_HOLD_MS = 10_000;

/** Answers of the ladder remembered per pod: more than any window may count. */
export const MAX_LADDER_ATTEMPTS = 128;
/** Restarts for volumes are counted within this by a policy that does not bound restarts of the pod. */
export const VOLUME_RESTARTS_WINDOW_MS = 3_600_000;
/** Longest text of a condition about volumes. */
export const MAX_VOLUMES_TEXT = 2048;
/** Parsed policies that are remembered, of all pods of the node. */
export const MAX_POLICIES_READ = 256;
/** If a request to leave the node is not answered for this long, the pod continues here, and asks again at its next death. */
export const MOVE_ANSWER_MS = 300_000;

/** Longest text in an event about who asked for a restart, and why. */
export const MAX_RESTART_TEXT_BYTES = 640;
/** A restart asked for a time to come is looked at again at least so often. */
export const MAX_RESTART_WAIT_MS = 300_000;

/** Parsed texts of `mendlet.dev/depends-on` that are remembered, of all pods of the node. */
export const MAX_DEPENDS_ON_READ = 256;
/** A container that died this long after a recovery may still have died of the old problem: it had to notice it, and to end. */
export const RECOVERY_AFTERMATH_MS = 30_000;
/** Recoveries of one pod that end waits: not faster than this, and not more than so many within a window. */
export const MIN_EARLY_END_INTERVAL_MS = 2000;
export const MAX_EARLY_ENDS = 20;
export const EARLY_ENDS_WINDOW_MS = 600_000;
/** The note's time of a problem that persists is refreshed when it is this old. */
export const TROUBLE_REFRESH_MS = 10_000;
/** Causes of one recovery that are named. */
export const MAX_CAUSES_TOLD = 3;

/** The longest wait between the withdrawal of a pod from routing and its signal. */
export const MAX_WITHDRAWAL_WAIT_MS = 2_000;
/** The part of the grace that the wait may take. */
export const WITHDRAWAL_SHARE_OF_GRACE = 0.1;
/** The time after the slices showed the end, for other nodes and for requests that were under way. */
export const WITHDRAWAL_SETTLE_MS = 300;
/** A pod with this grace or less gets its signal at once. */
export const MIN_GRACE_FOR_WITHDRAWAL_SECONDS = 1;
