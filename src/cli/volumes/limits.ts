/** The bounds of `volumes`. */

/** Between two looks at the claim, ms. */
export const LOOK_MS = 250;
export const MAX_EVENTS = 500;
