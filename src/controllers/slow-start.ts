/**
 * Many like operations at once without a storm of the same error: one, then two, then four … at a time, and none after a
 * batch in which one failed (upstream: slowStartBatch, SlowStartInitialBatchSize).
 */
import { MAX_BATCH } from './limits.ts';

export interface SlowStartResult {
  /** How many ended well. */
  readonly done: number;
  /** The errors of the items that were tried and failed, in order. */
  readonly errors: readonly unknown[];
  /** Never tried, since an earlier batch had an error. */
  readonly skipped: number;
}

/** Runs `work` for each item; never rejects for what `work` rejects with. */
export async function slowStart<T>(items: readonly T[], work: (item: T) => Promise<unknown>): Promise<SlowStartResult> {
  let done = 0;
  let at = 0;
  const errors: unknown[] = [];
  for (let size = 1; at < items.length && errors.length === 0; size = Math.min(size * 2, MAX_BATCH)) {
    const batch = items.slice(at, at + size);
    at += batch.length;
    for (const outcome of await Promise.allSettled(batch.map((item) => work(item)))) {
      if (outcome.status === 'fulfilled') done += 1;
      else errors.push(outcome.reason);
    }
  }
  return { done, errors, skipped: items.length - at };
}
