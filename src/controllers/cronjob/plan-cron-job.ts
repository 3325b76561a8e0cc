/** Plans the next step for one cron job. Pure. Upstream: syncCronJob, cleanupFinishedJobs. */
import {
  type CronJob,
  type CronSchedule,
  CronScheduleError,
  isDeleting,
  isJobComplete,
  isJobFailed,
  isJobFinished,
  isTimeZone,
  type Job,
  nameOf,
  namespaceOf,
  type ObjectReference,
  parseCronSchedule,
  uidOf,
} from '../../api/index.ts';
import { parseTime } from '../../lib/index.ts';
import { type DueTime, dueTime } from './due-time.ts';
import { jobNameAt } from './job-of-cron-job.ts';
import { MAX_TIME_AHEAD_MS } from './limits.ts';

export interface CronJobEvent {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
  /** Reported once for each value: a state that lasts for a while. */
  readonly once?: string;
}

export interface CronJobPlan {
  readonly events: readonly CronJobEvent[];
  /** Jobs that still run and make room for the next one. */
  readonly replace: readonly Job[];
  /** The time for which a job is to be created, wall ms. */
  readonly create?: number;
  /** Finished jobs beyond the limits of the history. */
  readonly forget: readonly Job[];
  /** The jobs that run, without the one to be made. */
  readonly active: readonly ObjectReference[];
  /** Wall ms. */
  readonly lastScheduleTime?: number;
  readonly lastSuccessfulTime?: number;
  /** The next time of the schedule, wall ms. */
  readonly next?: number;
  /** The last schedule time comes from a wrong clock: the schedule begins again, as if it had just changed. */
  readonly beginsAnew?: true;
}

/**
 * @param jobs the cron job's own
 * @param now wall ms
 * @param changed when its schedule was seen to change, or to begin again, wall ms: earlier times are not owed
 */
export function planCronJob(cronJob: CronJob, jobs: readonly Job[], now: number, changed?: number): CronJobPlan {
  const seen = lookAtJobs(cronJob, jobs);
  const past = {
    ...seen,
    forget: planHistory(cronJob, jobs),
    replace: [],
    ...defined('lastScheduleTime', parseTime(cronJob.status?.lastScheduleTime)),
  };
  if (isDeleting(cronJob)) return { ...past, forget: [] };
  const schedule = readSchedule(cronJob);
  if ('reason' in schedule) return { ...past, events: [...seen.events, schedule] };
  if (cronJob.spec?.suspend === true) return past;
  return planNext(cronJob, jobs, past, schedule, {
    now,
    ...(changed === undefined || changed > now ? {} : { changed }),
  });
}

function planNext(
  cronJob: CronJob,
  jobs: readonly Job[],
  past: CronJobPlan,
  schedule: CronSchedule,
  { now, changed }: { readonly now: number; readonly changed?: number },
): CronJobPlan {
  const { startingDeadlineSeconds, concurrencyPolicy } = cronJob.spec ?? {};
  const deadlineMs = startingDeadlineSeconds === undefined ? undefined : startingDeadlineSeconds * 1000;
  const { served, beginsAnew, events: doubts } = servedUntil(cronJob, now, changed);
  const due = dueTime(schedule, served, deadlineMs, now);
  const { scheduled } = due;
  const plan: CronJobPlan = {
    ...past,
    events: [...past.events, ...doubts],
    ...defined('beginsAnew', beginsAnew),
    ...defined('next', due.next),
  };
  if (scheduled === undefined) return plan;
  const tell = (...events: readonly CronJobEvent[]): CronJobPlan => ({
    ...plan,
    events: [...plan.events, ...warningsOf(due), ...events],
  });
  // Made before a crash, and not written down.
  const made = jobs.find((job) => nameOf(job) === jobNameAt(cronJob, scheduled));
  if (made !== undefined) {
    const isKnown = plan.active.some(({ uid }) => uid === uidOf(made));
    const active = isJobFinished(made) || isKnown ? plan.active : [...plan.active, referenceToJob(made)];
    return { ...plan, active, lastScheduleTime: scheduled };
  }
  if (deadlineMs !== undefined && scheduled + deadlineMs < now) {
    const message = `Missed scheduled time to start a job: ${formatRfc1123(scheduled)}`;
    return tell({ type: 'Warning', reason: 'MissSchedule', message, once: `missed ${scheduled}` });
  }
  if (concurrencyPolicy === 'Forbid' && plan.active.length > 0) {
    const message = 'Not starting job because prior execution is running and concurrency policy is Forbid';
    return tell({ type: 'Normal', reason: 'JobAlreadyActive', message, once: `active ${scheduled}` });
  }
  if (concurrencyPolicy !== 'Replace') return { ...tell(), create: scheduled };
  const running = new Set(plan.active.map(({ uid }) => uid));
  return { ...tell(), create: scheduled, replace: jobs.filter((job) => running.has(uidOf(job))), active: [] };
}

interface Served {
  /** Wall ms; times up to this one are done with. */
  readonly served: number;
  readonly beginsAnew?: true;
  readonly events: readonly CronJobEvent[];
}

/** Nothing before its creation, or before its schedule changed; nothing twice. */
function servedUntil(cronJob: CronJob, now: number, changed = 0): Served {
  const last = parseTime(cronJob.status?.lastScheduleTime);
  const created = Math.min(parseTime(cronJob.metadata?.creationTimestamp) ?? now, now);
  if (last === undefined || last <= now) return { served: Math.max(last ?? created, changed), events: [] };
  const wrong = last - now > MAX_TIME_AHEAD_MS;
  const then = wrong ? 'the schedule begins anew now' : 'nothing is started until then';
  const message = `The clock is behind the last schedule time ${formatRfc1123(last)}: ${then}`;
  const events: readonly CronJobEvent[] = [{ type: 'Warning', reason: 'ClockSetBack', message, once: `ahead ${last}` }];
  if (!wrong) return { served: last, events };
  return changed > 0 ? { served: changed, events } : { served: now, beginsAnew: true, events };
}

function warningsOf({ manyMissed, scheduled }: DueTime): readonly CronJobEvent[] {
  if (!manyMissed) return [];
  const message = 'too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew';
  return [{ type: 'Warning', reason: 'TooManyMissedTimes', message, once: `many ${scheduled}` }];
}

function readSchedule({ spec }: CronJob): CronSchedule | CronJobEvent {
  const { schedule = '', timeZone } = spec ?? {};
  if (timeZone !== undefined && !isTimeZone(timeZone)) {
    const message = `invalid timeZone: ${JSON.stringify(timeZone)}: unknown time zone ${timeZone}`;
    return { type: 'Warning', reason: 'UnknownTimeZone', message, once: timeZone };
  }
  try {
    return parseCronSchedule(schedule, timeZone);
  } catch (error) {
    if (!(error instanceof CronScheduleError)) throw error;
    const message = `unparseable schedule: ${JSON.stringify(schedule)} : ${error.message}`;
    return { type: 'Warning', reason: 'UnparseableSchedule', message, once: schedule };
  }
}

interface SeenJobs {
  readonly active: readonly ObjectReference[];
  readonly lastSuccessfulTime?: number;
  readonly events: readonly CronJobEvent[];
}

/** The results of the jobs since the last look. */
function lookAtJobs(cronJob: CronJob, jobs: readonly Job[]): SeenJobs {
  const { active: before = [], lastSuccessfulTime } = cronJob.status ?? {};
  const known = new Set(before.map(({ uid }) => uid));
  const byUid = new Map(jobs.map((job) => [uidOf(job), job]));
  const events: CronJobEvent[] = [];
  let successful = parseTime(lastSuccessfulTime);
  const due = parseTime(cronJob.status?.lastScheduleTime) ?? 0;
  for (const job of jobs) {
    const name = nameOf(job);
    const completed = isJobComplete(job) ? parseTime(job.status?.completionTime) : undefined;
    if (completed !== undefined && completed > (successful ?? Number.NEGATIVE_INFINITY)) successful = completed;
    if (known.has(uidOf(job))) {
      if (!isJobFinished(job)) continue;
      const message = `Saw completed job: ${name}, condition: ${isJobComplete(job) ? 'Complete' : 'Failed'}`;
      events.push({ type: 'Normal', reason: 'SawCompletedJob', message });
    } else if (!isJobFinished(job) && !isNewerOwn(cronJob, job, due)) {
      const message = `Saw a job that the controller did not create or forgot: ${name}`;
      events.push({ type: 'Warning', reason: 'UnexpectedJob', message, once: `unexpected ${uidOf(job)}` });
    }
  }
  for (const { uid, name } of before) {
    if (byUid.has(uid ?? '')) continue;
    events.push({ type: 'Normal', reason: 'MissingJob', message: `Active job went missing: ${name}` });
  }
  const active = before.filter(({ uid }) => {
    const job = byUid.get(uid ?? '');
    return job !== undefined && !isJobFinished(job);
  });
  return { active, events, ...defined('lastSuccessfulTime', successful) };
}

/** Made by us for a time after the last one that is written down: a crash came between the two. */
function isNewerOwn(cronJob: CronJob, job: Job, last: number): boolean {
  const minutes = Number(nameOf(job).slice(nameOf(cronJob).length + 1));
  return Number.isInteger(minutes) && minutes * 60_000 > last && nameOf(job) === jobNameAt(cronJob, minutes * 60_000);
}

function planHistory({ spec }: CronJob, jobs: readonly Job[]): readonly Job[] {
  const { successfulJobsHistoryLimit, failedJobsHistoryLimit } = spec ?? {};
  return [
    ...oldest(jobs.filter(isJobComplete), successfulJobsHistoryLimit),
    ...oldest(jobs.filter(isJobFailed), failedJobsHistoryLimit),
  ];
}

/** Those beyond the limit, by their start; those that are going already count for nothing. */
function oldest(jobs: readonly Job[], limit: number | undefined): readonly Job[] {
  const there = jobs.filter((job) => !isDeleting(job));
  if (limit === undefined || there.length <= limit) return [];
  const startOf = ({ status }: Job): number => parseTime(status?.startTime) ?? Number.POSITIVE_INFINITY;
  return there
    .toSorted((a, b) => startOf(a) - startOf(b) || (nameOf(a) < nameOf(b) ? -1 : 1))
    .slice(0, there.length - limit);
}

export function referenceToJob(job: Job): ObjectReference {
  const { resourceVersion } = job.metadata ?? {};
  return {
    kind: 'Job',
    namespace: namespaceOf(job),
    name: nameOf(job),
    uid: uidOf(job),
    apiVersion: 'batch/v1',
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
  };
}

/** "Mon, 02 Jan 2006 15:04:05 +0000" */
function formatRfc1123(wall: number): string {
  return new Date(wall).toUTCString().replace('GMT', '+0000');
}

function defined<K extends string, V>(name: K, value: V | undefined): { readonly [P in K]?: V } {
  return (value === undefined ? {} : { [name]: value }) as { readonly [P in K]?: V };
}
