/** Gathers the Job of a namespace that has failed, or is not done, and may have been meant to make what a pod does not find or waits for. */
import { CRON_JOBS, DEPLOYMENTS, EVENTS, type Job, JOBS, PODS, STATEFUL_SETS } from '../../api/index.ts';
import {
  renewerOf,
  asleepWriter,
  causeOfPod,
  configMapsOf,
  databaseNamed,
  type FailedJob,
  type JobWanted,
  meantJob,
  type PodEvidence,
} from '../../diagnosis/index.ts';
import type { Asker } from './ask.ts';
import { gatherConfigs } from './gather-configs.ts';
import { MAX_CONFIGS, MAX_EVENTS, MAX_LISTED, MAX_SERVICES } from './limits.ts';

/**
 * The Job, with what its pod died of, or what keeps that from running; undefined: none can be meant alone (`meantJob`).
 *
 * @param gather gathers what is known of a pod, without the causes of services behind that
 */
export async function gatherFailedJob(
  asker: Asker,
  asked: PodEvidence,
  wanted: JobWanted,
  gather: (pod: PodEvidence['pod']) => Promise<PodEvidence>,
): Promise<FailedJob | undefined> {
  const { namespace = 'default' } = asked.pod.metadata ?? {};
  const jobs = await asker.list(`jobs in namespace ${namespace}`, JOBS, { namespace, limit: MAX_LISTED });
  if (wanted.claim !== undefined || wanted.stale !== undefined) {
    const all = { namespace, limit: MAX_LISTED };
    const [cronJobs, deployments, statefulSets] = await Promise.all([
      asker.list(`cronjobs in namespace ${namespace}`, CRON_JOBS, all),
      asker.list(`deployments in namespace ${namespace}`, DEPLOYMENTS, all),
      asker.list(`statefulsets in namespace ${namespace}`, STATEFUL_SETS, all),
    ]);
    return wanted.claim === undefined
      ? renewerOf(wanted.stale ?? '', { cronJobs, deployments, statefulSets })
      : asleepWriter(wanted.claim, asked.pod, { jobs, cronJobs });
  }
  const meant = meantJob(jobs, wanted);
  if (meant === undefined) return undefined;
  const { job, state } = meant;
  const name = job.metadata?.name ?? '';
  if (state === 'suspended') return { name, state };
  if (state === 'done') {
    const database = await databaseOfJob(asker, asked, job);
    const { completionTime } = job.status ?? {};
    return { name, state, ...(completionTime && { doneAt: completionTime }), ...(database && { database }) };
  }
  const labelSelector = `batch.kubernetes.io/job-name=${name}`;
  const pods = await asker.list(`pods of job/${name}`, PODS, { namespace, labelSelector, limit: MAX_SERVICES });
  const pod = pods.find(({ status }) => status?.phase === 'Failed') ?? pods[0];
  const says = pod === undefined ? await refusedPods(asker, namespace, name) : causeOfPod(await gather(pod))?.says;
  // One that is not done and has no trouble works.
  if (state === 'unfinished' && says === undefined) return undefined;
  return { name, state, ...(says !== undefined && { says }) };
}

/** The only database that the template of the Job names. */
async function databaseOfJob(asker: Asker, asked: PodEvidence, { spec }: Job): Promise<string | undefined> {
  const { namespace = 'default' } = asked.pod.metadata ?? {};
  const made: PodEvidence['pod'] = { metadata: { namespace }, spec: spec?.template.spec ?? { containers: [] } };
  const configs = await gatherConfigs(asker, namespace, configMapsOf(made).slice(0, MAX_CONFIGS));
  return databaseNamed({ ...asked, pod: made, configs, logs: {}, events: [] });
}

/** Why the server takes none of its pods, as the last event says. */
async function refusedPods(asker: Asker, namespace: string, name: string): Promise<string | undefined> {
  const fieldSelector = `involvedObject.kind=Job,involvedObject.name=${name},reason=FailedCreate`;
  const events = await asker.list(`events of job/${name}`, EVENTS, { namespace, fieldSelector, limit: MAX_EVENTS });
  const message = events.at(-1)?.message?.replace(/^(?:\(combined from similar events\): )?Error creating: /, '');
  return message === undefined ? undefined : `none of its pods is taken: ${message}`;
}
