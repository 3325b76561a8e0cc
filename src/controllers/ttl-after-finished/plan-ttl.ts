/** When a finished job has outlived its use. Pure. Upstream: ttlafterfinished, timeLeft. */
import { isDeleting, isJobFinished, type Job } from '../../api/index.ts';
import { type Now, parseTime } from '../../lib/index.ts';

/**
 * The time until it is to be deleted, ms; undefined for a job that is not finished, has no such setting, or is being deleted
 * already. A job that finished in the future counts as finished just now.
 */
export function remainingTtlMs(job: Job, now: Now): number | undefined {
  const { ttlSecondsAfterFinished } = job.spec ?? { template: {} };
  if (ttlSecondsAfterFinished === undefined || !isJobFinished(job) || isDeleting(job)) return undefined;
  const end = job.status?.conditions?.find(
    ({ type, status }) => (type === 'Complete' || type === 'Failed') && status === 'True',
  );
  const finished = Math.min(parseTime(end?.lastTransitionTime) ?? now.wall, now.wall);
  return Math.max(0, finished + ttlSecondsAfterFinished * 1000 - now.wall);
}
