/** Names that jobs, their pods and their cron jobs carry (upstream: k8s.io/api/batch/v1). */
import { isConditionTrue } from './conditions.ts';
import type { Job, JobSpec } from './types.gen.ts';

export const JOB_NAME_LABEL = 'batch.kubernetes.io/job-name';
export const JOB_CONTROLLER_UID_LABEL = 'batch.kubernetes.io/controller-uid';
/** The same two by their names of old. */
export const OLD_JOB_NAME_LABEL = 'job-name';
export const OLD_JOB_CONTROLLER_UID_LABEL = 'controller-uid';

/** Keeps an ended pod until its job has counted it. */
export const JOB_TRACKING_FINALIZER = 'batch.kubernetes.io/job-tracking';
/** Label and annotation of the pods of indexed jobs. */
export const JOB_COMPLETION_INDEX = 'batch.kubernetes.io/job-completion-index';
export const JOB_INDEX_FAILURE_COUNT = 'batch.kubernetes.io/job-index-failure-count';
export const JOB_INDEX_IGNORED_FAILURE_COUNT = 'batch.kubernetes.io/job-index-ignored-failure-count';
export const CRON_JOB_SCHEDULED_TIMESTAMP = 'batch.kubernetes.io/cronjob-scheduled-timestamp';
/** `spec.managedBy` of jobs that are ours. */
export const JOB_CONTROLLER = 'kubernetes.io/job-controller';

export function isIndexedJob({ completionMode }: JobSpec): boolean {
  return completionMode === 'Indexed';
}

export function isJobComplete({ status }: Job): boolean {
  return isConditionTrue(status?.conditions, 'Complete');
}

export function isJobFailed({ status }: Job): boolean {
  return isConditionTrue(status?.conditions, 'Failed');
}

/** Complete or failed, for good. */
export function isJobFinished(job: Job): boolean {
  return isJobComplete(job) || isJobFailed(job);
}
