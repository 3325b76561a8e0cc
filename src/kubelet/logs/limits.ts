/** Bounds of log rotation. */

/** containerLogMaxWorkers of upstream is 1; rotation is cheap, compression is not. */
export const MAX_ROTATIONS_AT_ONCE = 2;
/** Deadline of one gzip; a 10 MiB log takes well below a second. */
export const COMPRESS_TIMEOUT_MS = 120_000;
export const REOPEN_TIMEOUT_MS = 30_000;
