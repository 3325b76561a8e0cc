/** How long the next pod of a job waits after failures. Pure. Upstream: backoff_utils.go. */
import { type Pod, uidOf } from '../../api/index.ts';
import { exponentialDelay } from '../../lib/index.ts';
import type { JobMemory, PodEnd } from './job-memory.ts';
import { failuresBefore } from './job-pods.ts';
import { POD_FAILURE_BACK_OFF } from './limits.ts';

/** For the job as a whole, ms: by its failures in a row since the last success. */
export function remainingBackOffMs({ failures, lastSuccess }: JobMemory, mono: number): number {
  const inARow = [...failures.values()].filter(({ wall }) => lastSuccess === undefined || wall > lastSuccess);
  const last = inARow.reduce<PodEnd | undefined>((a, b) => (a === undefined || b.mono > a.mono ? b : a), undefined);
  return remaining(inARow.length, last, mono);
}

/** For one index, ms, after `failed`, the last failed pod of that index. */
export function remainingBackOffOfIndexMs({ failures }: JobMemory, failed: Pod, mono: number): number {
  const { counted, ignored } = failuresBefore(failed);
  return remaining(counted + ignored + 1, failures.get(uidOf(failed)), mono);
}

function remaining(count: number, last: PodEnd | undefined, mono: number): number {
  if (last === undefined) return 0;
  return Math.max(0, last.mono + exponentialDelay(POD_FAILURE_BACK_OFF, count) - mono);
}
