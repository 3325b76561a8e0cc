/** The job that a cron job makes for one time of its schedule. Pure. Upstream: getJobFromTemplate2. */
import {
  controllerReference,
  CRON_JOB_SCHEDULED_TIMESTAMP,
  CRON_JOBS,
  type CronJob,
  formatTimeIn,
  type Job,
  nameOf,
  namespaceOf,
} from '../../api/index.ts';

/** The same for the same minute: a second attempt finds that the job exists. */
export function jobNameAt(cronJob: CronJob, scheduled: number): string {
  return `${nameOf(cronJob)}-${Math.floor(scheduled / 60_000)}`;
}

/** @param scheduled wall ms */
export function jobOfCronJob(cronJob: CronJob, scheduled: number): Job {
  const { jobTemplate, timeZone } = cronJob.spec ?? { jobTemplate: {} };
  const { labels = {}, annotations = {} } = jobTemplate.metadata ?? {};
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      namespace: namespaceOf(cronJob),
      name: jobNameAt(cronJob, scheduled),
      labels: { ...labels },
      annotations: { ...annotations, [CRON_JOB_SCHEDULED_TIMESTAMP]: formatTimeIn(scheduled, timeZone) },
      ownerReferences: [controllerReference(CRON_JOBS, cronJob)],
    },
    spec: structuredClone(jobTemplate.spec ?? { template: {} }),
  };
}
