/** Bounds of the clean-up of logs. */

/** containerGCPeriod of upstream. */
export const LOG_GC_PERIOD_MS = 60_000;
/** Folders and links looked at in one round; the rest waits for the next. */
export const MAX_LOG_FOLDERS = 10_000;
/** A longer content is no owner's name. */
export const MAX_OWNER_BYTES = 256;
