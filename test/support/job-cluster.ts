/** A control plane in memory with the job controllers, whose tests end the pods. */
import { startWorkloads, type WorkloadCluster } from './workload-cluster.ts';
import {
  EVENTS,
  isDeleting,
  type Job,
  JOBS,
  type JobSpec,
  type JobStatus,
  nameOf,
  type Pod,
  PODS,
  type PodStatus,
} from '../../src/api/index.ts';
import { formatTime } from '../../src/lib/index.ts';
import { settle } from '../../src/lib/manual-clock.node.ts';
import { ttlAfterFinishedController } from '../../src/controllers/ttl-after-finished/ttl-after-finished-controller.ts';
import { jobController } from '../../src/controllers/job/job-controller.ts';
import { createJobMetrics } from '../../src/controllers/job/job-metrics.ts';
import { jobOrphansController } from '../../src/controllers/job/job-orphans-controller.ts';

export interface JobCluster extends WorkloadCluster {
  createJob(spec: Partial<JobSpec>, name?: string): Promise<Job>;
  job(name?: string): Promise<Job>;
  status(name?: string): Promise<JobStatus>;
  /** Types of conditions that are true. */
  conditions(name?: string): Promise<readonly string[]>;
  /** The pods that neither ended nor are being deleted. */
  active(): Promise<readonly Pod[]>;
  /** Ends a pod as its node would. */
  end(pod: Pod, exitCode: number, status?: Partial<PodStatus>): Promise<void>;
  /** Removes pods that are being deleted. */
  reap(): Promise<void>;
  /** "Reason message" of the events so far. */
  events(): Promise<readonly string[]>;
  patchJob(patch: object, name?: string): Promise<Job>;
}

export const TEMPLATE = {
  spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'busybox' }] },
};

export async function startJobs(): Promise<JobCluster> {
  const cluster = await startWorkloads(({ informers, client, clock, events, metrics }) => [
    jobController({ informers, client, clock, events: events('job-controller'), metrics: createJobMetrics(metrics) }),
    jobOrphansController(informers, client),
    ttlAfterFinishedController(informers, client, clock),
  ]);
  const { client, clock } = cluster;
  const job = (name = 'work'): Promise<Job> => client.get(JOBS, 'team', name);
  return {
    ...cluster,
    job,
    createJob: async (spec, name = 'work') => {
      const created = await client.create(JOBS, {
        apiVersion: 'batch/v1',
        kind: 'Job',
        metadata: { namespace: 'team', name },
        spec: { template: TEMPLATE, ...spec },
      });
      await cluster.rest();
      return created;
    },
    status: async (name) => (await job(name)).status ?? {},
    conditions: async (name) =>
      ((await job(name)).status?.conditions ?? []).filter(({ status }) => status === 'True').map(({ type }) => type),
    active: async () =>
      (await cluster.pods()).filter(
        (pod) => !isDeleting(pod) && pod.status?.phase !== 'Succeeded' && pod.status?.phase !== 'Failed',
      ),
    end: async (pod, exitCode, more = {}) => {
      const finishedAt = formatTime(clock.now().wall);
      const container = {
        name: 'c',
        image: 'busybox',
        imageID: '',
        ready: false,
        restartCount: 0,
        state: { terminated: { exitCode, finishedAt } },
      };
      const status = { phase: exitCode === 0 ? 'Succeeded' : 'Failed', containerStatuses: [container], ...more };
      await client.patch(PODS, 'team', nameOf(pod), 'strategic', { status }, 'status');
      await cluster.rest();
    },
    reap: async () => {
      for (const pod of await cluster.pods()) {
        if (isDeleting(pod)) await client.delete(PODS, 'team', nameOf(pod), { gracePeriodSeconds: 0 });
      }
      await cluster.rest();
    },
    events: async () => {
      await settle();
      return (await client.list(EVENTS, { namespace: 'team' })).items.map(
        ({ reason, message }) => `${reason} ${message}`,
      );
    },
    patchJob: async (patch, name = 'work') => {
      const patched = await client.patch<Job>(JOBS, 'team', name, 'merge', patch);
      await cluster.rest();
      return patched;
    },
  };
}
