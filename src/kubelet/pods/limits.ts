/** Bounds of what is known of all pods. */

/** Longest file name of a link, with its suffix (upstream cuts there, too). */
export const MAX_LINK_NAME = 255;

/** A log line longer than this is cut there; runtimes split lines at 16 KiB. */
export const MAX_LOG_LINE_BYTES = 1024 * 1024;
