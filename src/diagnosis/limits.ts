/** Bounds and windows of diagnoses. */

const MINUTE = 60_000;

/** A container that died within this time is asked about; upstream's back-off forgets after the same. */
export const RECENT_DEATH_MS = 10 * MINUTE;
/** So many deaths of one container within a day are a matter of now, however well it runs at the moment. */
export const MANY_DEATHS = 3;
export const MANY_DEATHS_WINDOW_MS = 24 * 60 * MINUTE;
/** What begins may take so long before anybody asks why: to be scheduled, created, ready. */
export const NORMAL_START_MS = 30_000;
/** An init container that runs for so long keeps the others waiting. */
export const LONG_INIT_MS = 5 * MINUTE;
/** A pod whose deletion is so late is stuck. Its deletion time already holds its grace period. */
export const LATE_DELETION_MS = 30_000;
/**
 * Failures of a probe that did not (yet) kill: so many, the last within this time. Recorders tell of one pod once in five
 * minutes when it has told much.
 */
export const PROBE_TROUBLE_COUNT = 3;
export const PROBE_TROUBLE_MS = 15 * MINUTE;
/** On average they are no further apart: what fails once an hour has other causes. */
export const PROBE_TROUBLE_GAP_MS = 5 * MINUTE;
/** Who lived for so long answered its probes: an overloaded machine kills late, but not by minutes. */
export const PROVING_LIFE_MS = 5 * MINUTE;
/** Share of periods in which a container wanted to run and was not let. */
export const THROTTLED_SHARE = 0.25;
export const THROTTLED_MIN_PERIODS = 20;
/** Of a life that a probe ended: there are no more of a short one. */
export const THROTTLED_MIN_PERIODS_OF_DEATH = 10;
/** Pods of one owner that a probe killed within this time of each other fell together. */
export const CASCADE_WINDOW_MS = MINUTE;
export const CASCADE_MIN_PODS = 3;

/** Lines at the end of a log in which a cause is looked for. */
export const LOG_LINES_SEARCHED = 30;
/** Longest quotation, in characters. */
export const MAX_QUOTE_LENGTH = 400;
/** Findings of one diagnosis, and pieces of evidence of one finding. */
export const MAX_FINDINGS = 20;
export const MAX_QUOTES = 6;
/** Names listed in one sentence. */
export const MAX_NAMES = 10;
