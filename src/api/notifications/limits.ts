/** Bounds of what people may write about notifications. Durations are milliseconds. */

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

export const MAX_NOTIFICATION_URL_LENGTH = 2048;
export const MAX_NOTIFICATION_HEADERS = 16;
export const MAX_HEADER_NAME_LENGTH = 128;
export const MAX_HEADER_VALUE_LENGTH = 4096;
export const MAX_CLUSTER_NAME_LENGTH = 63;
export const MAX_CA_BUNDLE_LENGTH = 64 * 1024;
/** Troubles that one object keeps in its status. */
export const MAX_NOTICES = 100;
/** Bytes of a trouble's cause there. */
export const MAX_CAUSE_BYTES = 400;
export const MAX_TEST_ID_LENGTH = 128;

export const MIN_PATIENCE_MS = SECOND;
export const MAX_PATIENCE_MS = 24 * HOUR;
export const MAX_GROUP_WAIT_MS = HOUR;
export const MIN_REPEAT_MS = MINUTE;
export const MAX_REPEAT_MS = 30 * 24 * HOUR;
export const MAX_DAMPING_MS = 24 * HOUR;

export const DEFAULT_PATIENCE_MS = 10 * MINUTE;
export const DEFAULT_GROUP_WAIT_MS = 10 * SECOND;
export const DEFAULT_DAMPING_MS = MINUTE;
/** Alertmanager forgets what it is not told again. */
export const DEFAULT_ALERTMANAGER_REPEAT_MS = 5 * MINUTE;
