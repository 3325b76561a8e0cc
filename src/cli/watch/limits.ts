/** The limits of `watch`. */

/** The shortest time between two pictures, ms: a busy cluster changes more often than anybody can read. */
export const REPAINT_MS = 250;
/** Countdowns go on at this pace, ms. */
export const TICK_MS = 1000;
/** A server that does not answer is asked at least so often, ms. */
export const KNOCK_MS = 5000;
/** How long the first lists may take before the rows are shown without what is missing, ms. */
export const FIRST_LISTS_MS = 5000;
/** Containers whose last words are remembered, and how many nodes are asked at once. */
export const MAX_SAID = 500;
export const SAID_AT_ONCE = 4;
/** The most lines and characters of an answer that is shown in place of the rows. */
export const MAX_PANE_LINES = 2000;
export const MAX_PANE_CHARACTERS = 400_000;
/** Lines of a log that are shown. */
export const LOG_LINES = 500;
