/** Bounds of the cron job controller. */

/** This many missed times cause a warning (upstream). */
export const MANY_MISSED = 100;

/** No wait is longer: timers know nothing of a wall clock that is put forward meanwhile, and schedules are wall time. */
export const MAX_WAIT_MS = 60_000;

/** Timers may fire a little before the wall clock shows their time; upstream waits so much longer, too. */
export const SLACK_MS = 100;

/** A last time that lies further ahead than this is the word of a clock that was wrong: it is not waited for. */
export const MAX_TIME_AHEAD_MS = 24 * 3_600_000;
