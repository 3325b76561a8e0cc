/** Questions of a job about its pods. Pure. */
import {
  isDeleting,
  JOB_COMPLETION_INDEX,
  JOB_INDEX_FAILURE_COUNT,
  JOB_INDEX_IGNORED_FAILURE_COUNT,
  JOB_TRACKING_FINALIZER,
  type JobSpec,
  type Pod,
} from '../../api/index.ts';
import { parseTime } from '../../lib/index.ts';

/** A pod that carries it has not been counted yet. */
export function isTracked({ metadata }: Pod): boolean {
  return metadata?.finalizers?.includes(JOB_TRACKING_FINALIZER) === true;
}

/** Its completion index; undefined for none, and for one that an indexed job of so many completions has not. */
export function indexOfPod({ metadata }: Pod, completions = Number.POSITIVE_INFINITY): number | undefined {
  const index = parseCount(metadata?.annotations?.[JOB_COMPLETION_INDEX]);
  return index === undefined || index >= completions ? undefined : index;
}

/** A pod that is on its way out is left to end before another takes its place, and before it counts as failed. */
export function waitsForEnds({ podReplacementPolicy, podFailurePolicy }: JobSpec): boolean {
  return podReplacementPolicy === 'Failed' || podFailurePolicy !== undefined;
}

export function hasSucceeded({ status }: Pod): boolean {
  return status?.phase === 'Succeeded';
}

/** Failed, or deleted before it could succeed (nobody may be there to see it fail). */
export function hasFailed(pod: Pod, spec: JobSpec): boolean {
  if (pod.status?.phase === 'Failed') return true;
  return !waitsForEnds(spec) && isDeleting(pod) && !hasSucceeded(pod);
}

/** Failures of its index before it. */
export function failuresBefore(pod: Pod): { readonly counted: number; readonly ignored: number } {
  const annotations = pod.metadata?.annotations ?? {};
  return {
    counted: parseCount(annotations[JOB_INDEX_FAILURE_COUNT]) ?? 0,
    ignored: parseCount(annotations[JOB_INDEX_IGNORED_FAILURE_COUNT]) ?? 0,
  };
}

/** Any client may write annotations: a text that is no count is ignored. */
function parseCount(text: string | undefined): number | undefined {
  if (text === undefined || !/^\d{1,10}$/.test(text)) return undefined;
  const count = Number(text);
  return count < 2 ** 31 ? count : undefined;
}

/**
 * When it ended, wall ms: with its last container, else when it stopped being ready, else when its deletion was asked for,
 * else when it was created. Upstream: getFinishedTime.
 */
export function endOfPod({ metadata, status }: Pod): number {
  const ends = (status?.containerStatuses ?? []).map(({ state }) => parseTime(state?.terminated?.finishedAt));
  const known = ends.filter((end) => end !== undefined);
  if (ends.length > 0 && known.length === ends.length) return Math.max(...known);
  const notReady = status?.conditions?.find(({ type, status: value }) => type === 'Ready' && value === 'False');
  const deleted = parseTime(metadata?.deletionTimestamp);
  const graceMs = (metadata?.deletionGracePeriodSeconds ?? 0) * 1000;
  return (
    parseTime(notReady?.lastTransitionTime) ??
    (deleted === undefined ? undefined : deleted - graceMs) ??
    parseTime(metadata?.creationTimestamp) ??
    0
  );
}
