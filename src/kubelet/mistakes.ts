/**
 * Tells mistakes in the code from failures of the environment: a mistake is never remembered as an outcome and retried in
 * silence.
 */
import { AssertionFailed } from '../lib/index.ts';

const MISTAKES = [AssertionFailed, TypeError, ReferenceError, RangeError, SyntaxError];

export function isMistake(error: unknown): boolean {
  return MISTAKES.some((kind) => error instanceof kind);
}
