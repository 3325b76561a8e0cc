/**
 * Work that is done in steps: a long patch stops between two of them, so that whoever drives it can let others go first. Pure: who
 * drives it decides what a stop means.
 */

/** Stops at each `yield`; its result comes at the end. */
export type Steps<T> = Generator<undefined, T, undefined>;

/** Elements of a list, or operations, of one step: about a millisecond's work. */
export const STEP_SIZE = 256;

/** The result, without a stop. Throws what the work throws. */
export function allSteps<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}
