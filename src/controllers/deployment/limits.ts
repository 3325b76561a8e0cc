/** Bounds of deployments. */

/** Characters of a replica set's list of earlier revisions; the oldest go first (upstream: maxRevHistoryLengthInChars). */
export const MAX_REVISION_HISTORY_LENGTH = 2000;

/** Checks of progress come a little after the deadline, ms: times in the API are whole seconds. */
export const PROGRESS_CHECK_SLACK_MS = 1000;

/** "No deadline", "no limit" (upstream: math.MaxInt32). */
export const UNLIMITED = 2 ** 31 - 1;
