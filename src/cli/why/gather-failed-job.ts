/** Gathers the Job of a namespace that has failed, or is not done, and may have been meant to make what a pod does not find or waits for. */
import { CRON_JOBS, EVENTS, JOBS, PODS } from '../../api/index.ts';
import {
  renewerOf,
  asleepWriter,
  causeOfPod,
  type FailedJob,
  type JobWanted,
  meantJob,
  type PodEvidence,
} from '../../diagnosis/index.ts';
import type { Asker } from './ask.ts';
import { MAX_EVENTS, MAX_LISTED, MAX_SERVICES } from './limits.ts';

/**
 * The Job, with what its pod died of, or what keeps that from running; undefined: none can be meant alone (`meantJob`).
 *
 * @param gather gathers what is known of a pod, without the causes of services behind that
 */
export async function gatherFailedJob(
  asker: Asker,
  asked: PodEvidence['pod'],
  wanted: JobWanted,
  gather: (pod: PodEvidence['pod']) => Promise<PodEvidence>,
): Promise<FailedJob | undefined> {
  const { namespace = 'default' } = asked.metadata ?? {};
  const jobs = await asker.list(`jobs in namespace ${namespace}`, JOBS, { namespace, limit: MAX_LISTED });
  if (wanted.claim !== undefined || wanted.stale !== undefined) {
    const cronJobs = await asker.list(`cronjobs in namespace ${namespace}`, CRON_JOBS, {
      namespace,
      limit: MAX_LISTED,
    });
    return wanted.claim === undefined
      ? renewerOf(wanted.stale ?? '', cronJobs)
      : asleepWriter(wanted.claim, asked, { jobs, cronJobs });
  }
  const meant = meantJob(jobs, wanted);
  if (meant === undefined) return undefined;
  const { job, state } = meant;
  const name = job.metadata?.name ?? '';
  if (state === 'suspended') return { name, state };
  if (state === 'done')
    return { name, state, ...(job.status?.completionTime && { doneAt: job.status.completionTime }) };
  const labelSelector = `batch.kubernetes.io/job-name=${name}`;
  const pods = await asker.list(`pods of job/${name}`, PODS, { namespace, labelSelector, limit: MAX_SERVICES });
  const pod = pods.find(({ status }) => status?.phase === 'Failed') ?? pods[0];
  const says = pod === undefined ? await refusedPods(asker, namespace, name) : causeOfPod(await gather(pod))?.says;
  // One that is not done and has no trouble works.
  if (state === 'unfinished' && says === undefined) return undefined;
  return { name, state, ...(says !== undefined && { says }) };
}

/** Why the server takes none of its pods, as the last event says. */
async function refusedPods(asker: Asker, namespace: string, name: string): Promise<string | undefined> {
  const fieldSelector = `involvedObject.kind=Job,involvedObject.name=${name},reason=FailedCreate`;
  const events = await asker.list(`events of job/${name}`, EVENTS, { namespace, fieldSelector, limit: MAX_EVENTS });
  const message = events.at(-1)?.message?.replace(/^(?:\(combined from similar events\): )?Error creating: /, '');
  return message === undefined ? undefined : `none of its pods is taken: ${message}`;
}
