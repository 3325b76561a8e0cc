/** A line that may be the decisive one. Types alone. */
import type { RoledLine } from './traces.ts';

export interface Candidate {
  readonly line: RoledLine;
  readonly position: number;
  readonly score: number;
  readonly firm: boolean;
}
