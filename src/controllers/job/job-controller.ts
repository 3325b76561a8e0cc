/** The controller of Jobs. The plan decides (plan-job.ts); this file carries it out and remembers when things happened. */
import {
  controllerOf,
  isJobFinished,
  type Job,
  JOB_CONTROLLER,
  JOB_TRACKING_FINALIZER,
  JOBS,
  type JobStatus,
  labelSelectorOf,
  matchesLabels,
  nameOf,
  namespaceOf,
  type Pod,
  PODS,
  SelectorError,
  uidOf,
} from '../../api/index.ts';
import { type EventRecorder, type KubeClient, type Lister, referenceTo, type Informers } from '../../client/index.ts';
import { type Clock, errorMessage } from '../../lib/index.ts';
import { BY_CONTROLLER } from '../indexes.ts';
import type { Operation } from '../operation.ts';
import { claim } from '../ownership/claim.ts';
import { isPodReady } from '../pods/pod-state.ts';
import { type Controller, type ReconcileContext, source, TerminalError } from '../controller.ts';
import { slowStart, type SlowStartResult } from '../slow-start.ts';
import { type JobMemory, remember } from './job-memory.ts';
import { isTracked } from './job-pods.ts';
import type { JobMetrics } from './job-metrics.ts';
import { isSameStatus } from '../status-patch.ts';
import { type JobPlan, planJob } from './plan-job.ts';

export interface JobControllerOptions {
  readonly informers: Informers;
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly events: EventRecorder;
  readonly metrics: JobMetrics;
}

/** Keys are jobs. */
export function jobController(options: JobControllerOptions): Controller {
  const { informers, client, clock, events, metrics } = options;
  const jobs = informers.lister(JOBS);
  const pods = informers.lister(PODS);
  const memories = new Map<string, JobMemory>();
  return {
    name: 'job',
    sources: [
      source(JOBS, ({ key }) => [key]),
      source(PODS, (change) => {
        const { object } = change;
        const previous = change.type === 'apply' ? change.previous : undefined;
        return [...new Set([...jobsOfPod(object, jobs), ...(previous === undefined ? [] : jobsOfPod(previous, jobs))])];
      }),
    ],
    reconcile: async (key, context) => {
      const job = jobs.getByKey(key);
      if (job === undefined || isJobFinished(job) || !isOurs(job)) {
        memories.delete(key);
        return undefined;
      }
      const { owned, pending } = await claim({
        client,
        context,
        ownerResource: JOBS,
        owner: job,
        selector: selectorOf(job),
        resource: PODS,
        candidates: candidatesOf(job, pods),
        finalizer: JOB_TRACKING_FINALIZER,
      });
      // Adopted and released pods are seen at the next look.
      if (pending) return undefined;
      const now = clock.now();
      const memory = remember(memories.get(key), job, owned, now);
      const plan = planJob(job, owned, memory, now);
      memories.set(key, memory);
      const written = await carryOut(job, plan, { context, events, metrics });
      if (written !== undefined && written.status?.startTime !== job.status?.startTime) {
        const text = written.status?.startTime;
        if (text !== undefined) memories.set(key, { ...memory, start: { text, mono: now.mono } });
      }
      return plan.wakeAfterMs === undefined ? undefined : { requeueAfterMs: plan.wakeAfterMs };
    },
  };
}

/** Its pods, and pods of its namespace without a controller. */
function candidatesOf(job: Job, pods: Lister<Pod>): readonly Pod[] {
  const namespace = namespaceOf(job);
  const free = pods.byIndex(BY_CONTROLLER, '').filter((pod) => namespaceOf(pod) === namespace);
  return [...pods.byIndex(BY_CONTROLLER, uidOf(job)), ...free];
}

/** Not a job that another controller manages (KEP-4368). */
export function isOurs({ spec }: Job): boolean {
  return spec?.managedBy === undefined || spec.managedBy === JOB_CONTROLLER;
}

function selectorOf(job: Job): ReturnType<typeof labelSelectorOf> {
  try {
    return labelSelectorOf(job.spec?.selector);
  } catch (error) {
    if (error instanceof SelectorError) throw new TerminalError(`selector: ${error.message}`);
    throw error;
  }
}

/** The job that controls a pod, else those that may adopt it. */
function jobsOfPod(pod: Pod, jobs: Lister<Job>): readonly string[] {
  const controller = controllerOf(pod);
  const namespace = namespaceOf(pod);
  if (controller !== undefined) return controller.kind === 'Job' ? [`${namespace}/${controller.name}`] : [];
  const { labels } = pod.metadata ?? {};
  if (labels === undefined) return [];
  return jobs.list(namespace).flatMap((job) => {
    if (isJobFinished(job)) return [];
    const { matchLabels = {}, matchExpressions = [] } = job.spec?.selector ?? {};
    if (Object.keys(matchLabels).length + matchExpressions.length === 0) return [];
    return matchesLabels(selectorOf(job) ?? [], labels) ? [`${namespace}/${nameOf(job)}`] : [];
  });
}

interface Hands {
  readonly context: ReconcileContext;
  readonly events: EventRecorder;
  readonly metrics: JobMetrics;
}

/** Resolves to the job as written, if its status changed. Rejects with the first error; completed writes stay. */
async function carryOut(job: Job, plan: JobPlan, hands: Hands): Promise<Job | undefined> {
  const { context, events, metrics } = hands;
  const errors: unknown[] = [];
  const keep = ({ errors: more }: SlowStartResult): void => void errors.push(...more);
  const givenUp = new Set<Pod>();
  keep(
    await slowStart(plan.giveUp, async (pod) => {
      if (isTracked(pod)) await context.write(letGo(pod));
      await deletePod(job, pod, hands);
      givenUp.add(pod);
    }),
  );
  let created = 0;
  keep(
    await slowStart(plan.create, async (pod) => {
      if (await createPod(job, pod, hands)) created += 1;
    }),
  );
  const status = counting(plan.status, created, [...givenUp]);
  const object: Job = { ...job, status };
  const written: Job | undefined = isSameStatus(JOBS, status, job.status)
    ? undefined
    : await context.write({ verb: 'update', resource: JOBS, subresource: 'status', object });
  for (const { type, reason, message } of plan.events) events.event(referenceTo(job), type, reason, message);
  if (written !== undefined) metrics.count(job, written, plan.finished);
  if (errors.length === 0) keep(await slowStart(plan.end, (pod) => deletePod(job, pod, hands)));
  // A pod that could not be deleted must not be released: it would go on without a known owner.
  if (errors.length === 0) keep(await context.writeAll(plan.release.map(letGo)));
  if (errors.length > 0) throw errors[0];
  return written;
}

/** The status with what was just created and given up. */
function counting(status: JobStatus, created: number, givenUp: readonly Pod[]): JobStatus {
  const { active: before = 0, ...rest } = status;
  const active = before + created - givenUp.length;
  return {
    ...(active === 0 ? {} : { active }),
    ...rest,
    ready: (status.ready ?? 0) - givenUp.filter(isPodReady).length,
    // One without a node is gone at once.
    terminating: (status.terminating ?? 0) + givenUp.filter(({ spec }) => spec?.nodeName !== undefined).length,
  };
}

async function createPod(job: Job, pod: Pod, { context, events, metrics }: Hands): Promise<boolean> {
  try {
    const written = await context.write({ verb: 'create', resource: PODS, object: pod });
    if (written === undefined) return false;
    events.event(referenceTo(job), 'Normal', 'SuccessfulCreate', `Created pod: ${nameOf(written)}`);
    metrics.created('succeeded');
    return true;
  } catch (error) {
    events.event(referenceTo(job), 'Warning', 'FailedCreate', `Error creating: ${errorMessage(error)}`);
    metrics.created('failed');
    throw error;
  }
}

async function deletePod(job: Job, pod: Pod, { context, events }: Hands): Promise<void> {
  const options = { uid: uidOf(pod) };
  const operation: Operation = {
    verb: 'delete',
    resource: PODS,
    namespace: namespaceOf(pod),
    name: nameOf(pod),
    options,
  };
  try {
    await context.write(operation);
    events.event(referenceTo(job), 'Normal', 'SuccessfulDelete', `Deleted pod: ${nameOf(pod)}`);
  } catch (error) {
    events.event(referenceTo(job), 'Warning', 'FailedDelete', `Error deleting: ${errorMessage(error)}`);
    throw error;
  }
}

/** Takes the tracking finalizer off. */
export function letGo(pod: Pod): Operation {
  return {
    verb: 'patch',
    resource: PODS,
    namespace: namespaceOf(pod),
    name: nameOf(pod),
    type: 'strategic',
    patch: { metadata: { uid: uidOf(pod), '$deleteFromPrimitiveList/finalizers': [JOB_TRACKING_FINALIZER] } },
  };
}
