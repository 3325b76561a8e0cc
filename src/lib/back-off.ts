/** Exponential delays; the caller keeps the state. */
import type { Random } from './random.ts';

export interface BackOffShape {
  /** Delay after the first failure, ms. */
  readonly baseMs: number;
  /** No delay is longer, ms. */
  readonly capMs: number;
  /** Growth per failure; 2 when absent. */
  readonly factor?: number;
}

/**
 * The delay after the `failures`-th failure in a row (1 is the first): base, base × factor, … up to the cap.
 * 0 failures wait 0 ms. Large counts are safe: the result never leaves the cap.
 */
export function exponentialDelay(shape: BackOffShape, failures: number): number {
  if (failures <= 0) return 0;
  const delay = shape.baseMs * (shape.factor ?? 2) ** (failures - 1);
  return Math.min(delay, shape.capMs);
}

/** Between `ms` and `ms × (1 + fraction)`, as upstream's `wait.Jitter`. */
export function jitterUp(ms: number, fraction: number, random: Random): number {
  return ms * (1 + fraction * random.next());
}

/** Between `ms × (1 − fraction)` and `ms × (1 + fraction)`. */
export function jitterAround(ms: number, fraction: number, random: Random): number {
  return ms * (1 + fraction * (2 * random.next() - 1));
}
