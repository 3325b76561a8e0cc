/** Bounds of reading logs. */

/** Lines at the end of a log that are searched for the decisive one. */
export const MAX_LINES_READ = 400;
/** Characters of a line that are looked at; structured lines are parsed up to the second. */
export const MAX_LINE_CHARACTERS = 1000;
export const MAX_STRUCTURED_CHARACTERS = 32_768;
/** Lines into which one structured line with a stack trace is unfolded. */
export const MAX_UNFOLDED_LINES = 60;
/** Longest decisive line, in characters. */
export const MAX_DECISIVE_CHARACTERS = 400;
/** Lines kept that belong to the decisive one: DETAIL, HINT, causes. */
export const MAX_RELATED_LINES = 4;
/** An error that is so much older than the end of the log is not the cause while there is a younger one, ms. */
export const SAME_BURST_MS = 60_000;
/** Known secrets that are shorter are not masked: they would also match innocent words. */
export const MIN_KNOWN_SECRET_CHARACTERS = 6;
export const MAX_KNOWN_SECRETS = 200;
