/** Trials of the programs that are held out. */
import type { Trial } from '../trial.ts';

export const HELD_OUT_TRIALS: readonly Trial[] = [];
