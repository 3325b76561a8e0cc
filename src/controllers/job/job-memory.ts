/**
 * The memory of the job controller about one job, all of which it can read again from job and pods. It keeps times on the
 * monotonic clock, so that a step of the wall clock neither fails a job nor shortens a back-off. Times of other machines are
 * mapped once, when first seen; one in the future counts as now.
 */
import { isDeleting, type Job, type Pod, uidOf } from '../../api/index.ts';
import { type Now, parseTime } from '../../lib/index.ts';
import { endOfPod, hasFailed, hasSucceeded, isTracked } from './job-pods.ts';
import { REMEMBERED_FAILURES } from './limits.ts';

export interface PodEnd {
  /** As reported, wall ms: for the order of ends. */
  readonly wall: number;
  readonly mono: number;
}

export interface JobMemory {
  /** UID of the job. */
  readonly uid: string;
  /** `status.startTime`, and when that was. */
  readonly start?: { readonly text: string; readonly mono: number };
  /** Ends of failed pods by UID: of existing pods, and the last ones of deleted pods. */
  readonly failures: ReadonlyMap<string, PodEnd>;
  /** The end of the last pod that succeeded, wall ms. */
  readonly lastSuccess?: number;
}

/** The memory after a look at the job and its pods. `before` is dropped when it is another job's. */
export function remember(before: JobMemory | undefined, job: Job, pods: readonly Pod[], now: Now): JobMemory {
  const known = before?.uid === uidOf(job) ? before : undefined;
  const failures = new Map<string, PodEnd>();
  const present = new Set(pods.map(uidOf));
  const gone = [...(known?.failures ?? [])].filter(([uid]) => !present.has(uid));
  for (const [uid, end] of gone.toSorted(([, a], [, b]) => a.wall - b.wall).slice(-REMEMBERED_FAILURES))
    failures.set(uid, end);
  let lastSuccess = known?.lastSuccess;
  const spec = job.spec ?? { template: {} };
  for (const pod of pods) {
    const uid = uidOf(pod);
    if (hasSucceeded(pod)) {
      lastSuccess = Math.max(lastSuccess ?? Number.NEGATIVE_INFINITY, endOfPod(pod));
      continue;
    }
    const seen = known?.failures.get(uid);
    // One that the job itself gave up was let go before it ended: no failure.
    const failed = hasFailed(pod, spec) && (isTracked(pod) || !isDeleting(pod));
    if (seen !== undefined) failures.set(uid, seen);
    else if (failed) failures.set(uid, toMono(endOfPod(pod), now));
  }
  const start = rememberStart(known, job, now);
  return {
    uid: uidOf(job),
    failures,
    ...(start === undefined ? {} : { start }),
    ...(lastSuccess === undefined ? {} : { lastSuccess }),
  };
}

function rememberStart(known: JobMemory | undefined, job: Job, now: Now): JobMemory['start'] {
  const text = job.status?.startTime;
  const wall = parseTime(text);
  if (text === undefined || wall === undefined) return undefined;
  return known?.start?.text === text ? known.start : { text, mono: toMono(wall, now).mono };
}

function toMono(wall: number, now: Now): PodEnd {
  return { wall, mono: now.mono - Math.max(0, now.wall - wall) };
}
