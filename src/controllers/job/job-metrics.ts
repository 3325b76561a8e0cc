/** The job controller's metrics (upstream: pkg/controller/job/metrics). */
import { type Job, isIndexedJob } from '../../api/index.ts';
import type { MetricsRegistry } from '../../lib/index.ts';
import type { JobVerdict } from './judge-job.ts';

export interface JobMetrics {
  created(result: 'succeeded' | 'failed'): void;
  /** A status was written: its counts, and how the job ended with it, if it did. */
  count(before: Job, after: Job, finished: JobVerdict | undefined): void;
}

export function createJobMetrics(metrics: MetricsRegistry): JobMetrics {
  const creations = metrics.counter({
    name: 'job_controller_job_pods_creation_total',
    help: 'Pods that the job controller made, or tried to, by result.',
    labels: ['status'],
  });
  const pods = metrics.counter({
    name: 'job_controller_job_pods_finished_total',
    help: 'Ended pods that were counted, by completion mode and result.',
    labels: ['completion_mode', 'result'],
  });
  const jobs = metrics.counter({
    name: 'job_controller_jobs_finished_total',
    help: 'Finished jobs by completion mode, result and reason.',
    labels: ['completion_mode', 'result', 'reason'],
  });
  return {
    created: (status) => creations.inc({ status }),
    count: (before, after, finished) => {
      const completion_mode = isIndexedJob(after.spec ?? { template: {} }) ? 'Indexed' : 'NonIndexed';
      for (const result of ['succeeded', 'failed'] as const) {
        const more = (after.status?.[result] ?? 0) - (before.status?.[result] ?? 0);
        if (more > 0) pods.inc({ completion_mode, result }, more);
      }
      if (finished === undefined) return;
      const succeeded = finished.announcedBy === 'SuccessCriteriaMet';
      jobs.inc({
        completion_mode,
        result: succeeded ? 'succeeded' : 'failed',
        reason: succeeded ? '' : finished.reason,
      });
    },
  };
}
