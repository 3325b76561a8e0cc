/** The limits of the live page. */

/** Lines of a log that the page keeps; the oldest go first. */
export const MAX_LOG_LINES = 5_000;
/** Lines that are drawn together and go together. */
export const LOG_CHUNK_LINES = 100;
/** Characters of a log line that are shown. */
export const MAX_LOG_LINE = 8_192;
/** Characters of one message of the stream: 500 workloads with 50 pods each are a fifth of it. */
export const MAX_MESSAGE = 32 * 1024 * 1024;
/** Characters of a name or a text that are shown. */
export const MAX_TEXT = 4_096;
/** Beats that may be missing before the page calls its data stale. */
export const MISSED_BEATS = 2;
/** What a beat may be late. */
export const BEAT_SLACK_MS = 1_000;
/** The waits between tries to reach the server again. */
export const FIRST_RETRY_MS = 500;
export const LAST_RETRY_MS = 30_000;
/** Rights that were asked for are good for this long. */
export const RIGHTS_KEPT_MS = 30_000;
/** How long an answer to a click is shown. */
export const NOTICE_MS = 6_000;
/** How often a tab that nobody sees looks. Browsers let its timers fire once a minute. */
export const GLANCE_MS = 60_000;
