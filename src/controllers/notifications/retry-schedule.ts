/** When a target that failed is tried again. Pure but for the jitter's source. */
import { exponentialDelay, jitterAround, type Random } from '../../lib/index.ts';
import { MAX_RETRY_AFTER_MS, RETRY_BACK_OFF, RETRY_JITTER } from './limits.ts';

/**
 * @param failures in a row, this one included
 * @param retryAfterMs what the target asks for
 * @returns ms
 */
export function retryDelay(failures: number, retryAfterMs: number | undefined, random: Random): number {
  const own = jitterAround(exponentialDelay(RETRY_BACK_OFF, failures), RETRY_JITTER, random);
  return Math.max(own, Math.min(retryAfterMs ?? 0, MAX_RETRY_AFTER_MS));
}
