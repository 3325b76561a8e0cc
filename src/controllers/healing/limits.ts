/** Bounds of the healing controllers. */

/** A policy's status is counted at most this often, however many pods come and go. */
export const POLICY_STATUS_PERIOD_MS = 1000;
/** Pods that a condition names. */
export const MAX_NAMED_PODS = 3;
/** Characters of a condition's message. */
export const MAX_CONDITION_MESSAGE = 1024;

/** A finished restart goes after so long, unless it says otherwise. */
export const DEFAULT_RESTART_TTL_S = 3600;

/** A node is avoided for so long where the rung has no window. */
export const DEFAULT_AVOIDANCE_MS = 3_600_000;
/** An eviction that a budget forbids is tried again ever more slowly. */
export const BLOCKED_MOVE_BACK_OFF = { baseMs: 2000, capMs: 60_000 };
/** Others are on their way to the room that a pod wishes for: it is looked at again. */
export const CROWDED_AGAIN_MS = 2000;

/** A container that died this long after a dependency became ready may still have died of its absence. */
export const RECOVERY_AFTERMATH_MS = 30_000;
/** Signals of one pod: not faster than this; some in a row, then ever one in a while. */
export const MIN_SIGNAL_INTERVAL_MS = 2000;
export const SIGNAL_BUCKET = { burst: 20, perSecond: 1 / 30 };
