/** Gathers the Job of a namespace that has failed and may have been meant to make what a pod does not find. */
import { isConditionTrue, JOBS, PODS } from '../../api/index.ts';
import { causeOfPod, type FailedJob, type PodEvidence } from '../../diagnosis/index.ts';
import type { Asker } from './ask.ts';
import { MAX_LISTED, MAX_SERVICES } from './limits.ts';

/** Names of Jobs that prepare data for others. */
const PREPARES = /migrat|schema|seed|init|set-?up|bootstrap|import|create|fixtures?|\bdb\b/i;

/**
 * The only one that has failed, or fails still, else the only one of them whose name says that it prepares data; undefined: there is none.
 *
 * @param gather gathers what is known of a pod, without the causes of services behind that
 */
export async function gatherFailedJob(
  asker: Asker,
  namespace: string,
  gather: (pod: PodEvidence['pod']) => Promise<PodEvidence>,
): Promise<FailedJob | undefined> {
  const jobs = await asker.list(`jobs in namespace ${namespace}`, JOBS, { namespace, limit: MAX_LISTED });
  const failed = jobs.filter(
    ({ status }) =>
      isConditionTrue(status?.conditions, 'Failed') || ((status?.failed ?? 0) > 0 && (status?.succeeded ?? 0) === 0),
  );
  const named = failed.filter(({ metadata }) => PREPARES.test(metadata?.name ?? ''));
  const [job, ...more] = named.length > 0 ? named : failed;
  if (job === undefined || more.length > 0) return undefined;
  const name = job.metadata?.name ?? '';
  const labelSelector = `batch.kubernetes.io/job-name=${name}`;
  const pods = await asker.list(`pods of job/${name}`, PODS, { namespace, labelSelector, limit: MAX_SERVICES });
  const pod = pods.find(({ status }) => status?.phase === 'Failed') ?? pods[0];
  const says = pod === undefined ? undefined : causeOfPod(await gather(pod))?.says;
  return { name, ...(says !== undefined && { says }) };
}
