/**
 * Plans the next step for one job. Pure. The writes are done in the order of the plan's fields; a crash between any two of
 * them leaves a state from which the next plan continues (see job-tally.ts). Upstream: syncJob.
 */
import {
  countJobIndexes,
  findCondition,
  formatJobIndexes,
  hasJobIndex,
  isDeleting,
  type Job,
  type JobCondition,
  jobIndexesOf,
  type JobStatus,
  mergeJobIndexes,
  type Pod,
  type UncountedTerminatedPods,
  uidOf,
} from '../../api/index.ts';
import { formatTime, type Now, parseTime } from '../../lib/index.ts';
import { inheritAvoidedNodes } from '../pods/inherit-avoided-nodes.ts';
import { isPodReady } from '../pods/pod-state.ts';
import type { JobMemory } from './job-memory.ts';
import { hasFailed, hasSucceeded, indexOfPod, isTracked } from './job-pods.ts';
import { type JobTally, tallyJob } from './job-tally.ts';
import { COMPLETED, judgeJob, type JobVerdict, remainingDeadlineMs } from './judge-job.ts';
import { MAX_UNCOUNTED_PODS } from './limits.ts';
import { judgeFailure } from './pod-failure-policy.ts';
import { planJobPods, type PodChanges } from './plan-job-pods.ts';

export interface JobEvent {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
}

export interface JobPlan {
  /** Pods that are given up: let go of, then deleted. */
  readonly giveUp: readonly Pod[];
  readonly create: readonly Pod[];
  /** The state before `create` and `giveUp` change it; the controller counts those in. */
  readonly status: JobStatus;
  /** Events to send once the status is written. */
  readonly events: readonly JobEvent[];
  /** Pods to be deleted because the job ends; they are counted first. */
  readonly end: readonly Pod[];
  /** Pods to be let go of: counted, or of no more interest. */
  readonly release: readonly Pod[];
  /** How the job ended, with this status. */
  readonly finished?: JobVerdict;
  readonly wakeAfterMs?: number;
}

const NO_CHANGES: PodChanges = { create: [], giveUp: [] };

/** @param pods the job's own */
export function planJob(job: Job, pods: readonly Pod[], memory: JobMemory, now: Now): JobPlan {
  const tally = tallyJob(job, pods);
  const judged = judgeJob(tally, memory, now.mono);
  const managed = judged === undefined && !isDeleting(job);
  const changes = managed ? planJobPods(tally, memory, now) : NO_CHANGES;
  const verdict = judged ?? (isCompleted(tally, changes) ? COMPLETED : undefined);
  const { release, status: counts, partial } = planCounts(tally, verdict, new Set(changes.giveUp));
  const suspension = managed && verdict === undefined ? planSuspension(tally, now) : { events: [] };
  const conditions = announce(suspension.conditions ?? tally.status.conditions ?? [], verdict, now);
  const status = withDefined<JobStatus>({
    ...tally.status,
    ...counts,
    ...withStart(tally, suspension.startTime, managed && verdict === undefined, now),
    conditions: conditions.length === 0 ? undefined : [...conditions],
    active: tally.active.length || undefined,
    ready: tally.active.filter(isPodReady).length,
    terminating: tally.terminating.length,
  });
  const nothingLeft = !partial && release.length === 0 && tally.active.length + tally.terminating.length === 0;
  const finished = verdict?.announced === true && nothingLeft && isAllCounted(status) ? verdict : undefined;
  const wakeAfterMs = earliest(
    changes.wakeAfterMs,
    verdict === undefined ? remainingDeadlineMs(tally, memory, now.mono) : undefined,
  );
  return {
    giveUp: changes.giveUp,
    create: changes.create.map((pod) => inheritAvoidedNodes(pod, job, now.wall)),
    status: finished === undefined ? status : withEnd(status, finished, now),
    events: [...suspension.events, ...(finished === undefined ? [] : eventsOfEnd(tally, finished))],
    end: verdict === undefined ? [] : tally.active.filter((pod) => !changes.giveUp.includes(pod)),
    release,
    ...(finished === undefined ? {} : { finished }),
    ...(wakeAfterMs === undefined ? {} : { wakeAfterMs }),
  };
}

/** Everything that was wanted succeeded, and nothing runs any more (but what is just being given up). */
function isCompleted({ spec, succeeded, active }: JobTally, { create, giveUp }: PodChanges): boolean {
  if (active.length > giveUp.length || create.length > 0) return false;
  return spec.completions === undefined ? succeeded > 0 : succeeded >= spec.completions;
}

interface Counts {
  readonly status: Loose<JobStatus>;
  readonly release: readonly Pod[];
  /** There are more than one status holds. */
  readonly partial: boolean;
}

/** Which pods are named as ended, and let go of once they are. */
function planCounts(tally: JobTally, verdict: JobVerdict | undefined, givenUp: ReadonlySet<Pod>): Counts {
  const { spec, indexed, pods, knownIndexes, failedIndexes } = tally;
  const succeeded = [...tally.uncounted.succeeded];
  const failed = [...tally.uncounted.failed];
  const named = new Set([...succeeded, ...failed]);
  const newIndexes: number[] = [];
  const release: Pod[] = [];
  let partial = false;
  for (const pod of pods) {
    if (!isTracked(pod) || givenUp.has(pod) || !mayBeReleased(tally, pod, verdict)) continue;
    if (newIndexes.length + succeeded.length + failed.length >= MAX_UNCOUNTED_PODS && !named.has(uidOf(pod))) {
      partial = true;
      continue;
    }
    release.push(pod);
    if (named.has(uidOf(pod))) continue;
    const index = indexOfPod(pod, spec.completions);
    if (hasSucceeded(pod)) {
      if (!indexed) succeeded.push(uidOf(pod));
      else if (index !== undefined && !hasJobIndex(knownIndexes, index)) newIndexes.push(index);
      continue;
    }
    if (!countsAsFailed(tally, pod, verdict) || (indexed && index === undefined)) continue;
    if (judgeFailure(spec.podFailurePolicy, pod).action !== 'Ignore') failed.push(uidOf(pod));
  }
  const completed = mergeJobIndexes(knownIndexes, jobIndexesOf(newIndexes));
  const indexCounts = indexed
    ? {
        completedIndexes: formatJobIndexes(completed) || undefined,
        failedIndexes: failedIndexes && formatJobIndexes(failedIndexes),
      }
    : {};
  return {
    release,
    partial,
    status: {
      ...indexCounts,
      succeeded: (indexed ? countJobIndexes(completed) : tally.counted.succeeded) || undefined,
      failed: tally.counted.failed || undefined,
      uncountedTerminatedPods: withDefined<UncountedTerminatedPods>({
        succeeded: succeeded.length === 0 ? undefined : succeeded,
        failed: failed.length === 0 ? undefined : failed,
      }),
    },
  };
}

function mayBeReleased({ job, spec, held }: JobTally, pod: Pod, verdict: JobVerdict | undefined): boolean {
  if (isDeleting(job) || verdict !== undefined || hasSucceeded(pod)) return true;
  if (!hasFailed(pod, spec)) return false;
  return held.get(indexOfPod(pod) ?? -1) !== pod;
}

/** When a job fails, what still runs fails with it; when it succeeds, what still runs is of no interest. */
function countsAsFailed({ spec }: JobTally, pod: Pod, verdict: JobVerdict | undefined): boolean {
  if (verdict?.announcedBy === 'FailureTarget') return true;
  if (verdict?.announced === true) return pod.status?.phase === 'Failed';
  return hasFailed(pod, spec);
}

function isAllCounted({ uncountedTerminatedPods }: JobStatus): boolean {
  const { succeeded = [], failed = [] } = uncountedTerminatedPods ?? {};
  return succeeded.length + failed.length === 0;
}

interface Suspension {
  readonly conditions?: readonly JobCondition[];
  /** A resumed job begins again. */
  readonly startTime?: string;
  readonly events: readonly JobEvent[];
}

function planSuspension({ spec, status }: JobTally, now: Now): Suspension {
  const old = findCondition(status.conditions, 'Suspended');
  const suspend = spec.suspend === true;
  if (old === undefined ? !suspend : (old.status === 'True') === suspend) return { events: [] };
  const word = suspend ? 'Suspended' : 'Resumed';
  const text = word.toLowerCase();
  const next = condition('Suspended', suspend, `Job${word}`, `Job ${text}`, now);
  const others = status.conditions ?? [];
  return {
    conditions: old === undefined ? [...others, next] : others.map((each) => (each === old ? next : each)),
    ...(suspend ? {} : { startTime: formatTime(now.wall) }),
    events: [{ type: 'Normal', reason: word, message: `Job ${text}` }],
  };
}

/** While a job is suspended it has not started (upstream since 1.36). */
function withStart(
  { spec, status }: JobTally,
  resumedAt: string | undefined,
  managed: boolean,
  now: Now,
): { startTime: string | undefined } {
  if (resumedAt !== undefined) return { startTime: resumedAt };
  if (spec.suspend === true) return { startTime: managed ? undefined : status.startTime };
  return { startTime: status.startTime ?? formatTime(now.wall) };
}

function announce(
  conditions: readonly JobCondition[],
  verdict: JobVerdict | undefined,
  now: Now,
): readonly JobCondition[] {
  if (verdict === undefined || verdict.announced) return conditions;
  const { announcedBy, reason, message } = verdict;
  return [...conditions, condition(announcedBy, true, reason, message, now)];
}

function condition(type: string, value: boolean, reason: string, message: string, now: Now): JobCondition {
  const time = formatTime(now.wall);
  return { type, status: value ? 'True' : 'False', lastProbeTime: time, lastTransitionTime: time, reason, message };
}

/** No job ends before it began, whatever the clock did meanwhile; and none ends that never began. */
function withEnd(status: JobStatus, { announcedBy, reason, message }: JobVerdict, now: Now): JobStatus {
  const wall = Math.max(now.wall, parseTime(status.startTime) ?? 0);
  const succeeded = announcedBy === 'SuccessCriteriaMet';
  const end = condition(succeeded ? 'Complete' : 'Failed', true, reason, message, { ...now, wall });
  return {
    ...status,
    startTime: status.startTime ?? formatTime(wall),
    ...(succeeded ? { completionTime: formatTime(wall) } : {}),
    conditions: [...(status.conditions ?? []), end],
  };
}

function eventsOfEnd({ spec, counted }: JobTally, { announcedBy, reason, message }: JobVerdict): readonly JobEvent[] {
  if (announcedBy === 'FailureTarget') return [{ type: 'Warning', reason, message }];
  const completed: JobEvent = { type: 'Normal', reason: 'Completed', message: 'Job completed' };
  if (spec.completions === undefined || counted.succeeded <= spec.completions) return [completed];
  const text = 'Too many succeeded pods running after completion count reached';
  return [{ type: 'Warning', reason: 'TooManySucceededPods', message: text }, completed];
}

function earliest(...delays: readonly (number | undefined)[]): number | undefined {
  const known = delays.filter((delay) => delay !== undefined);
  return known.length === 0 ? undefined : Math.max(0, Math.min(...known));
}

type Loose<T> = { readonly [K in keyof T]?: T[K] | undefined };

/** Without the fields that are undefined: they are not there. */
function withDefined<T extends object>(object: Loose<T>): T {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as T;
}
