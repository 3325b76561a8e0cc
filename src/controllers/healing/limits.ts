/** Bounds of the healing controllers. */

/** A policy's status is counted anew at most so often, however many pods come and go. */
export const POLICY_STATUS_PERIOD_MS = 1000;
/** Pods that a condition names. */
export const MAX_NAMED_PODS = 3;
/** Characters of a condition's message. */
export const MAX_CONDITION_MESSAGE = 1024;

/** A finished restart goes after so long, unless it says otherwise. */
export const DEFAULT_RESTART_TTL_S = 3600;
