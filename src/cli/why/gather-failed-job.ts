/** Gathers the Job of a namespace that has failed and may have been meant to make what a pod does not find. */
import { JOBS, PODS } from '../../api/index.ts';
import { causeOfPod, failedJobMeant, type FailedJob, type PodEvidence } from '../../diagnosis/index.ts';
import type { Asker } from './ask.ts';
import { MAX_LISTED, MAX_SERVICES } from './limits.ts';

/**
 * The Job, with what its pod died of; undefined: none can be meant alone (`failedJobMeant`).
 *
 * @param gather gathers what is known of a pod, without the causes of services behind that
 */
export async function gatherFailedJob(
  asker: Asker,
  namespace: string,
  gather: (pod: PodEvidence['pod']) => Promise<PodEvidence>,
): Promise<FailedJob | undefined> {
  const jobs = await asker.list(`jobs in namespace ${namespace}`, JOBS, { namespace, limit: MAX_LISTED });
  const job = failedJobMeant(jobs);
  if (job === undefined) return undefined;
  const name = job.metadata?.name ?? '';
  const labelSelector = `batch.kubernetes.io/job-name=${name}`;
  const pods = await asker.list(`pods of job/${name}`, PODS, { namespace, labelSelector, limit: MAX_SERVICES });
  const pod = pods.find(({ status }) => status?.phase === 'Failed') ?? pods[0];
  const says = pod === undefined ? undefined : causeOfPod(await gather(pod))?.says;
  return { name, ...(says !== undefined && { says }) };
}
