/** Bounds of what people may write about healing. Durations are milliseconds. */

const SECOND = 1000;
const HOUR = 3_600_000;

/** Attempts of one rung. */
export const MAX_RUNG_ATTEMPTS = 100;
/** A rung's window, and how long all containers must be well (or one container run) before a ladder (or a curve) is reset. */
export const MIN_HEALING_WINDOW_MS = SECOND;
export const MAX_HEALING_WINDOW_MS = 24 * HOUR;

/** The shortest wait before a second restart: whatever a policy says, nothing loops hot. */
export const MIN_BACK_OFF_MS = 100;
export const MAX_BACK_OFF_MS = HOUR;
export const MAX_BACK_OFF_FACTOR = 10;

export const MAX_HEALING_RULES = 32;
/** Exit codes of a rule, as in upstream's restartPolicyRules; and names of containers or volumes in one list. */
export const MAX_RULE_VALUES = 255;
/** How long a node must be silent before a policy gives its volumes up. */
export const MIN_GIVE_UP_MS = 10 * SECOND;
export const MAX_GIVE_UP_MS = 30 * 24 * HOUR;
export const MAX_POLICY_POD_RESTARTS = 10_000;

/** Longest annotation with a policy that is read. */
export const MAX_POLICY_BYTES = 32 * 1024;
export const MAX_RESTART_REQUEST_BYTES = 4096;
/** Characters of a restart's reason, of its id, and of its requester's name. */
export const MAX_RESTART_REASON_LENGTH = 1024;
/** … and of that reason in an event. */
export const MAX_QUOTED_REASON_LENGTH = 200;
export const MAX_RESTART_ID_LENGTH = 128;
export const MAX_REQUESTER_LENGTH = 512;
/** emptyDirs named one by one; "*" is all of them. */
export const MAX_EMPTY_DIRS = 32;

/** Dependencies that one pod may name in `mendlet.dev/depends-on`; and characters of that annotation. */
export const MAX_DEPENDENCIES = 8;
export const MAX_DEPENDS_ON_LENGTH = 4096;
/** Characters of a recovery's id and of its cause. */
export const MAX_RECOVERY_ID_LENGTH = 512;
export const MAX_RECOVERY_CAUSE_LENGTH = 512;
