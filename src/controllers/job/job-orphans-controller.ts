/**
 * Pods that carry a job's finalizer and have no job that would count them: it is taken off, or they could never go. The job
 * is gone, has finished, or has let the pod go. Upstream: syncOrphanPod.
 */
import {
  controllerOf,
  isJobFinished,
  isNotFound,
  type Job,
  JOBS,
  namespaceOf,
  nameOf,
  type Pod,
  PODS,
  uidOf,
} from '../../api/index.ts';
import type { KubeClient, Lister, Informers } from '../../client/index.ts';
import { BY_CONTROLLER } from '../indexes.ts';
import { type Controller, source } from '../controller.ts';
import { isOurs, letGo } from './job-controller.ts';
import { isTracked } from './job-pods.ts';

/** Keys are pods. */
export function jobOrphansController(informers: Informers, client: KubeClient): Controller {
  const jobs = informers.lister(JOBS);
  const pods = informers.lister(PODS);
  return {
    name: 'job-orphan-pods',
    sources: [
      source(PODS, ({ type, key, object }) => (type === 'apply' && mayBeOrphan(object, jobs) ? [key] : [])),
      source(JOBS, ({ type, object }) => {
        if (type === 'apply' && !isJobFinished(object)) return [];
        return pods.byIndex(BY_CONTROLLER, uidOf(object)).filter(isTracked).map(keyOf);
      }),
    ],
    reconcile: async (key, context) => {
      const { signal } = context;
      const pod = pods.getByKey(key);
      if (pod === undefined || !mayBeOrphan(pod, jobs)) return undefined;
      const controller = controllerOf(pod);
      if (controller !== undefined) {
        // Asks the server itself: no pod goes uncounted for a lister that is behind.
        const job = await readJob(client, namespaceOf(pod), controller.name, signal);
        if (job !== undefined && uidOf(job) === controller.uid && !(isJobFinished(job) && isOurs(job)))
          return undefined;
      }
      await context.perform([letGo(pod)]);
      return undefined;
    },
  };
}

/** As far as the listers know. */
function mayBeOrphan(pod: Pod, jobs: Lister<Job>): boolean {
  if (!isTracked(pod)) return false;
  const controller = controllerOf(pod);
  if (controller === undefined) return true;
  if (controller.kind !== 'Job' || controller.apiVersion !== 'batch/v1') return false;
  const job = jobs.get(namespaceOf(pod), controller.name);
  if (job === undefined || uidOf(job) !== controller.uid) return true;
  return isJobFinished(job) && isOurs(job);
}

function keyOf(pod: Pod): string {
  return `${namespaceOf(pod)}/${nameOf(pod)}`;
}

async function readJob(
  client: KubeClient,
  namespace: string,
  name: string,
  signal: AbortSignal,
): Promise<Job | undefined> {
  try {
    return await client.get(JOBS, namespace, name, signal);
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
