/** The limits of acts. */

/** How long a pod's agent may take to say that it knows of a pause, and how often it is looked at, ms. */
export const CONFIRM_MS = 3000;
export const CONFIRM_EVERY_MS = 150;
/** Pods that are written to at once. */
export const PODS_AT_ONCE = 8;
/** Characters of the words that an act returns. */
export const MAX_ACT_WORDS = 1000;
/** Pods and containers that are named one by one. */
export const MAX_NAMED = 5;
/** Targets of one command line that are worked on at once. */
export const TARGETS_AT_ONCE = 4;
