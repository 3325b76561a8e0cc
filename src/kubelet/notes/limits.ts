/** Bounds of the notes on disk. */

/** A note of a pod with 100 containers is about 60 KiB. */
export const MAX_NOTE_BYTES = 1_048_576;
