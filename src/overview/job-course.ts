/** How jobs stand, and which of a cron job's jobs say how it is. Pure. */
import { controllerOf, findCondition, type Job } from '../api/index.ts';
import { parseTime, visibleLine } from '../lib/index.ts';
import { MAX_WORDS } from './limits.ts';

export interface JobCourse {
  readonly kind: 'going' | 'complete' | 'failed';
  /** Why it failed. */
  readonly why?: string;
}

export function jobCourse({ status }: Job): JobCourse {
  const isTrue = (type: string): boolean => findCondition(status?.conditions, type)?.status === 'True';
  if (isTrue('Complete')) return { kind: 'complete' };
  if (!isTrue('Failed')) return { kind: 'going' };
  const { message, reason } = findCondition(status?.conditions, 'Failed') ?? {};
  const why = (message ?? '') || (reason ?? '');
  return { kind: 'failed', ...(why === '' ? {} : { why: visibleLine(why).slice(0, MAX_WORDS) }) };
}

/** UIDs: all jobs but those of a cron job that a later one has replaced. */
export function jobsThatCount(jobs: readonly Job[]): ReadonlySet<string> {
  const newest = new Map<string, Job>();
  for (const job of jobs) {
    const owner = controllerOf(job)?.uid ?? `alone ${job.metadata?.uid ?? ''}`;
    const before = newest.get(owner);
    if (before === undefined || madeAt(job) > madeAt(before)) newest.set(owner, job);
  }
  const going = jobs.filter((job) => jobCourse(job).kind === 'going');
  return new Set([...newest.values(), ...going].map(({ metadata }) => metadata?.uid ?? ''));
}

/** Of the newest of these jobs; undefined: there are none. */
export function lastCourse(jobs: readonly Job[]): JobCourse | undefined {
  const [last] = jobs.toSorted((a, b) => madeAt(b) - madeAt(a));
  return last === undefined ? undefined : jobCourse(last);
}

function madeAt({ metadata }: Job): number {
  return parseTime(metadata?.creationTimestamp ?? undefined) ?? 0;
}
