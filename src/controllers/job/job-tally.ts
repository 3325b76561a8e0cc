/**
 * Combines job and pods: which pods ended, which are counted, which are still to be counted. Pure.
 *
 *   pod ends, has the finalizer ─► its UID in `uncountedTerminatedPods` ─► finalizer off ─► a counter goes up, the UID goes
 *        (new)                          (uncounted)                          (settled)
 *
 * Each arrow is one write; after a crash between two of them the pod is at the same place again, so each is counted
 * once. The successes of indexed jobs need no UIDs: an index counts once. Upstream: trackJobStatusAndRemoveFinalizers.
 */
import {
  countJobIndexes,
  hasJobIndex,
  isIndexedJob,
  type Job,
  type JobIndexes,
  jobIndexesOf,
  type JobSpec,
  type JobStatus,
  mergeJobIndexes,
  parseJobIndexes,
  type Pod,
  uidOf,
} from '../../api/index.ts';
import { isPodActive, isPodTerminating } from '../pods/pod-state.ts';
import { endOfPod, failuresBefore, hasFailed, hasSucceeded, indexOfPod, isTracked } from './job-pods.ts';
import { judgeFailure } from './pod-failure-policy.ts';

export interface JobTally {
  readonly job: Job;
  readonly spec: JobSpec;
  readonly status: JobStatus;
  readonly indexed: boolean;
  /** All pods of the job; those of indexed jobs in the order of their indexes. */
  readonly pods: readonly Pod[];
  readonly active: readonly Pod[];
  readonly terminating: readonly Pod[];
  /** UIDs named by the status whose pods still have the finalizer. */
  readonly uncounted: { readonly succeeded: readonly string[]; readonly failed: readonly string[] };
  /** The counters of the status together with what is settled. */
  readonly counted: { readonly succeeded: number; readonly failed: number };
  /** All successes and failures, those too that are not counted yet. */
  readonly succeeded: number;
  readonly failed: number;
  /** For indexed jobs: the indexes in the status, and new ones. */
  readonly knownIndexes: JobIndexes;
  readonly succeededIndexes: JobIndexes;
  /** With a back-off limit for each index. */
  readonly failedIndexes: JobIndexes | undefined;
  /** By index: the failed pod that stays until the next one of its index is there to carry its count on. */
  readonly held: ReadonlyMap<number, Pod>;
}

export function tallyJob(job: Job, given: readonly Pod[]): JobTally {
  const { spec = { template: {} }, status = {} } = job;
  const indexed = isIndexedJob(spec);
  const pods = indexed ? given.toSorted((a, b) => (indexOfPod(a) ?? -1) - (indexOfPod(b) ?? -1)) : given;
  const tracked = pods.filter(isTracked);
  const trackedUids = new Set(tracked.map(uidOf));
  const { succeeded: namedSucceeded = [], failed: namedFailed = [] } = status.uncountedTerminatedPods ?? {};
  const uncounted = {
    succeeded: namedSucceeded.filter((uid) => trackedUids.has(uid)),
    failed: namedFailed.filter((uid) => trackedUids.has(uid)),
  };
  const counted = {
    succeeded: (status.succeeded ?? 0) + namedSucceeded.length - uncounted.succeeded.length,
    failed: (status.failed ?? 0) + namedFailed.length - uncounted.failed.length,
  };
  const named = new Set([...uncounted.succeeded, ...uncounted.failed]);
  const valid = (pod: Pod): boolean => !indexed || indexOfPod(pod, spec.completions) !== undefined;
  const fresh = tracked.filter((pod) => !named.has(uidOf(pod)) && valid(pod));
  const newFailed = fresh.filter(
    (pod) => hasFailed(pod, spec) && judgeFailure(spec.podFailurePolicy, pod).action !== 'Ignore',
  );
  const indexes = indexed ? tallyIndexes(spec, status, tracked) : undefined;
  const active = pods.filter(isPodActive);
  const newSucceeded = fresh.filter(hasSucceeded).length;
  return {
    job,
    spec,
    status,
    indexed,
    pods,
    active,
    terminating: pods.filter(isPodTerminating),
    uncounted,
    counted,
    succeeded:
      indexes === undefined
        ? counted.succeeded + uncounted.succeeded.length + newSucceeded
        : countJobIndexes(indexes.succeeded),
    failed: counted.failed + uncounted.failed.length + newFailed.length,
    knownIndexes: indexes?.known ?? [],
    succeededIndexes: indexes?.succeeded ?? [],
    failedIndexes: indexes?.failed,
    held:
      indexes?.failed === undefined ? new Map() : heldPods(spec, tracked, active, indexes.succeeded, indexes.failed),
  };
}

interface IndexTally {
  readonly known: JobIndexes;
  readonly succeeded: JobIndexes;
  readonly failed: JobIndexes | undefined;
}

function tallyIndexes(spec: JobSpec, status: JobStatus, tracked: readonly Pod[]): IndexTally {
  const { completions = 0, backoffLimitPerIndex } = spec;
  const indexesOf = (pods: readonly Pod[]): JobIndexes =>
    jobIndexesOf(pods.flatMap((pod) => indexOfPod(pod, completions) ?? []));
  const known = parseJobIndexes(status.completedIndexes, completions);
  const succeeded = mergeJobIndexes(known, indexesOf(tracked.filter(hasSucceeded)));
  if (backoffLimitPerIndex === undefined) return { known, succeeded, failed: undefined };
  // An index that succeeded did not fail, whatever another pod of it did.
  const newFailed = tracked.filter((pod) => {
    const index = indexOfPod(pod, completions);
    return index !== undefined && !hasJobIndex(succeeded, index) && failsItsIndex(spec, backoffLimitPerIndex, pod);
  });
  const failed = mergeJobIndexes(parseJobIndexes(status.failedIndexes, completions), indexesOf(newFailed));
  return { known, succeeded, failed };
}

function failsItsIndex(spec: JobSpec, limit: number, pod: Pod): boolean {
  if (!hasFailed(pod, spec)) return false;
  const { action } = judgeFailure(spec.podFailurePolicy, pod);
  return action === 'FailIndex' || (action !== 'Ignore' && failuresBefore(pod).counted >= limit);
}

function heldPods(
  spec: JobSpec,
  tracked: readonly Pod[],
  active: readonly Pod[],
  succeeded: JobIndexes,
  failed: JobIndexes,
): ReadonlyMap<number, Pod> {
  const running = new Set(active.map((pod) => indexOfPod(pod)));
  const held = new Map<number, Pod>();
  for (const pod of tracked) {
    const index = indexOfPod(pod, spec.completions);
    if (index === undefined || !hasFailed(pod, spec) || running.has(index)) continue;
    if (hasJobIndex(succeeded, index) || hasJobIndex(failed, index)) continue;
    const other = held.get(index);
    if (other === undefined || !isOlder(pod, other)) held.set(index, pod);
  }
  return held;
}

function isOlder(pod: Pod, other: Pod): boolean {
  const [a, b] = [failuresBefore(pod), failuresBefore(other)];
  return a.counted + a.ignored < b.counted + b.ignored || endOfPod(pod) < endOfPod(other);
}
