/** Cron jobs: jobs at the times of a schedule. The plan decides (plan-cron-job.ts), this carries it out. */
import {
  controllerOf,
  CRON_JOBS,
  type CronJob,
  type CronJobStatus,
  isAlreadyExists,
  isControlledBy,
  type Job,
  JOBS,
  nameOf,
  namespaceOf,
  type ObjectReference,
  uidOf,
} from '../../api/index.ts';
import { type EventRecorder, type KubeClient, referenceTo, type Informers } from '../../client/index.ts';
import { type Clock, errorMessage, formatTime } from '../../lib/index.ts';
import { BY_CONTROLLER } from '../indexes.ts';
import { type Controller, type ReconcileContext, source } from '../controller.ts';
import { jobOfCronJob } from './job-of-cron-job.ts';
import { MAX_WAIT_MS, SLACK_MS } from './limits.ts';
import { isSameStatus } from '../status-patch.ts';
import { type CronJobPlan, planCronJob, referenceToJob } from './plan-cron-job.ts';

export interface CronJobControllerOptions {
  readonly informers: Informers;
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly events: EventRecorder;
}

/** Keys are cron jobs. */
export function cronJobController({ informers, client, clock, events }: CronJobControllerOptions): Controller {
  const cronJobs = informers.lister(CRON_JOBS);
  const jobs = informers.lister(JOBS);
  /** Cron job → a report that was made once and still holds. */
  const told = new Map<string, ReadonlySet<string>>();
  /** Cron job → its schedule as last seen, and when it was seen to change or to begin again. */
  const schedules = new Map<string, { readonly text: string; readonly changed?: number }>();
  return {
    name: 'cronjob',
    sources: [
      source(CRON_JOBS, ({ key }) => [key]),
      source(JOBS, ({ object }) => {
        const controller = controllerOf(object);
        return controller?.kind === 'CronJob' ? [`${namespaceOf(object)}/${controller.name}`] : [];
      }),
    ],
    reconcile: async (key, context) => {
      const cronJob = cronJobs.getByKey(key);
      if (cronJob === undefined) {
        told.delete(key);
        schedules.delete(key);
        return undefined;
      }
      const now = clock.now().wall;
      const text = `${uidOf(cronJob)} ${cronJob.spec?.timeZone} ${cronJob.spec?.schedule}`;
      const known = schedules.get(key);
      const isChanged = known !== undefined && known.text !== text && known.text.startsWith(uidOf(cronJob));
      const schedule = known?.text === text ? known : { text, ...(isChanged ? { changed: now } : {}) };
      schedules.set(key, schedule);
      const plan = planCronJob(cronJob, jobs.byIndex(BY_CONTROLLER, uidOf(cronJob)), now, schedule.changed);
      if (plan.beginsAnew === true) schedules.set(key, { text, changed: now });
      const before = told.get(key);
      for (const { type, reason, message, once } of plan.events) {
        if (once === undefined || before?.has(once) !== true) events.event(referenceTo(cronJob), type, reason, message);
      }
      told.set(key, new Set(plan.events.flatMap(({ once }) => once ?? [])));
      await carryOut(cronJob, plan, { client, context, events });
      if (plan.next === undefined) return undefined;
      return { requeueAfterMs: Math.min(MAX_WAIT_MS, Math.max(0, plan.next - now) + SLACK_MS) };
    },
  };
}

interface Hands {
  readonly client: KubeClient;
  readonly context: ReconcileContext;
  readonly events: EventRecorder;
}

/** Rejects with what went wrong, once the rest is written down. */
async function carryOut(cronJob: CronJob, plan: CronJobPlan, hands: Hands): Promise<void> {
  const errors: unknown[] = [];
  for (const job of plan.replace) await deleteJob(cronJob, job, hands);
  let made: Job | undefined;
  if (plan.create !== undefined) {
    try {
      made = await createJob(cronJob, plan.create, hands);
    } catch (error) {
      errors.push(error);
    }
  }
  const written = statusAfter(cronJob.status, plan, made);
  if (!isSameStatus(CRON_JOBS, written, cronJob.status)) {
    const object: CronJob = { ...cronJob, status: written };
    await hands.context.write({ verb: 'update', resource: CRON_JOBS, subresource: 'status', object });
  }
  for (const job of plan.forget) await deleteJob(cronJob, job, hands);
  if (errors.length > 0) throw errors[0];
}

function statusAfter(before: CronJobStatus | undefined, plan: CronJobPlan, made: Job | undefined): CronJobStatus {
  const active: readonly ObjectReference[] = made === undefined ? plan.active : [...plan.active, referenceToJob(made)];
  const last = made === undefined ? plan.lastScheduleTime : plan.create;
  const { active: _, ...kept } = before ?? {};
  return {
    ...kept,
    ...(active.length === 0 ? {} : { active: [...active] }),
    ...(last === undefined ? {} : { lastScheduleTime: formatTime(last) }),
    ...(plan.lastSuccessfulTime === undefined ? {} : { lastSuccessfulTime: formatTime(plan.lastSuccessfulTime) }),
  };
}

/** Undefined when nothing is to be created any more: the namespace is being deleted, or the name is taken. */
async function createJob(
  cronJob: CronJob,
  scheduled: number,
  { client, context, events }: Hands,
): Promise<Job | undefined> {
  const object = jobOfCronJob(cronJob, scheduled);
  try {
    const made = await context.write({ verb: 'create', resource: JOBS, object }, { ownName: true });
    if (made !== undefined)
      events.event(referenceTo(cronJob), 'Normal', 'SuccessfulCreate', `Created job ${nameOf(made)}`);
    return made;
  } catch (error) {
    if (isAlreadyExists(error)) {
      const there = await client.get(JOBS, namespaceOf(cronJob), nameOf(object), context.signal);
      if (isControlledBy(there, cronJob)) return there;
    }
    events.event(referenceTo(cronJob), 'Warning', 'FailedCreate', `Error creating job: ${errorMessage(error)}`);
    if (isAlreadyExists(error)) return undefined;
    throw error;
  }
}

/** With its pods. */
async function deleteJob(cronJob: CronJob, job: Job, { context, events }: Hands): Promise<void> {
  const options = { uid: uidOf(job), propagationPolicy: 'Background' as const };
  try {
    await context.write({ verb: 'delete', resource: JOBS, namespace: namespaceOf(job), name: nameOf(job), options });
  } catch (error) {
    events.event(referenceTo(cronJob), 'Warning', 'FailedDelete', `Deleted job: ${errorMessage(error)}`);
    throw error;
  }
  events.event(referenceTo(cronJob), 'Normal', 'SuccessfulDelete', `Deleted job ${nameOf(job)}`);
}
