/** Defaults of jobs and cron jobs (upstream: SetDefaults_Job, SetDefaults_CronJob). They fill a draft in place. */
import type { CronJob, Job, JobSpec } from '../types.gen.ts';
import { defaultPodTemplate } from './pod-template.ts';

const BACKOFF_LIMIT = 6;
/** With a limit for each index, there is none for all. */
const NO_BACKOFF_LIMIT = 2 ** 31 - 1;
const SUCCESSFUL_JOBS = 3;
const FAILED_JOBS = 1;

export function defaultJob(job: Job): void {
  const spec = (job.spec ??= { template: {} });
  spec.template ??= {};
  defaultPodTemplate(spec.template);
  if (spec.completions === undefined && spec.parallelism === undefined) spec.completions = 1;
  spec.parallelism ??= 1;
  spec.backoffLimit ??= spec.backoffLimitPerIndex === undefined ? BACKOFF_LIMIT : NO_BACKOFF_LIMIT;
  spec.completionMode ??= 'NonIndexed';
  spec.suspend ??= false;
  spec.manualSelector ??= false;
  spec.podReplacementPolicy ??= spec.podFailurePolicy === undefined ? 'TerminatingOrFailed' : 'Failed';
  defaultFailurePolicy(spec);
  const { labels } = spec.template.metadata ?? {};
  if (labels === undefined || Object.keys(job.metadata?.labels ?? {}).length > 0) return;
  // The very same map, not a copy, as upstream: labels that are generated for the pods then show on the job, too.
  job.metadata = { ...job.metadata, labels };
}

function defaultFailurePolicy({ podFailurePolicy }: JobSpec): void {
  for (const { onPodConditions } of podFailurePolicy?.rules ?? []) {
    for (const pattern of onPodConditions ?? []) pattern.status ||= 'True';
  }
}

/** A job's own defaults are set when it is created; its template has only the pods' defaults. */
export function defaultCronJob(cronJob: CronJob): void {
  const spec = (cronJob.spec ??= { schedule: '', jobTemplate: {} });
  spec.concurrencyPolicy ||= 'Allow';
  spec.suspend ??= false;
  spec.successfulJobsHistoryLimit ??= SUCCESSFUL_JOBS;
  spec.failedJobsHistoryLimit ??= FAILED_JOBS;
  spec.jobTemplate ??= {};
  const job = (spec.jobTemplate.spec ??= { template: {} });
  job.template ??= {};
  defaultPodTemplate(job.template);
  defaultFailurePolicy(job);
}
