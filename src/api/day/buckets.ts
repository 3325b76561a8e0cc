/** The buckets of a day, and the classes of durations. Pure. */

export const BUCKET_MS = 300_000;
export const DAY_BUCKETS = 288;
export const WEEK_BUCKETS = 7 * DAY_BUCKETS;
/** Buckets in one cell of a bar, and cells of a bar. */
export const CELL_BUCKETS = 3;
export const BAR_CELLS = DAY_BUCKETS / CELL_BUCKETS;

/** @param wall ms */
export function bucketOf(wall: number): number {
  return Math.floor(wall / BUCKET_MS);
}

const SHORTEST_MS = 10;
const CLASSES_PER_DOUBLING = 4;
/** The last class has no end; it begins at 39 hours. */
export const LAST_DURATION_CLASS = 96;

/** Class 0 ends at 10 ms; each further one ends at 2^(1/4) of the one before, so that a class is known to within 19 %. */
export function durationClass(ms: number): number {
  if (!(ms > SHORTEST_MS)) return 0;
  return Math.min(LAST_DURATION_CLASS, Math.ceil(Math.log2(ms / SHORTEST_MS) * CLASSES_PER_DOUBLING));
}

/** The end of a class, ms. */
export function classEndMs(durationClass: number): number {
  return SHORTEST_MS * 2 ** (durationClass / CLASSES_PER_DOUBLING);
}
