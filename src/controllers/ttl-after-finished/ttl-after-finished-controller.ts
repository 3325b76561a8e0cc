/** Deletes finished jobs, with their pods, after `ttlSecondsAfterFinished`. */
import { isNotFound, type Job, JOBS, nameOf, namespaceOf, uidOf } from '../../api/index.ts';
import type { KubeClient, Informers } from '../../client/index.ts';
import type { Clock } from '../../lib/index.ts';
import { type Controller, source } from '../controller.ts';
import { remainingTtlMs } from './plan-ttl.ts';

/** Keys are jobs. */
export function ttlAfterFinishedController(informers: Informers, client: KubeClient, clock: Clock): Controller {
  const jobs = informers.lister(JOBS);
  return {
    name: 'ttl-after-finished',
    sources: [
      source(JOBS, ({ type, key, object }) =>
        type === 'apply' && object.spec?.ttlSecondsAfterFinished !== undefined ? [key] : [],
      ),
    ],
    reconcile: async (key, context) => {
      const { signal } = context;
      const job = jobs.getByKey(key);
      const waitMs = job && remainingTtlMs(job, clock.now());
      if (job === undefined || waitMs === undefined) return undefined;
      if (waitMs > 0) return { requeueAfterMs: waitMs };
      // Asks the server itself: the job may just have been given more time.
      const fresh = await readJob(client, job, signal);
      const freshMs = fresh && remainingTtlMs(fresh, clock.now());
      if (fresh === undefined || uidOf(fresh) !== uidOf(job) || freshMs === undefined) return undefined;
      if (freshMs > 0) return { requeueAfterMs: freshMs };
      const options = { uid: uidOf(fresh), propagationPolicy: 'Foreground' as const };
      await context.perform([
        { verb: 'delete', resource: JOBS, namespace: namespaceOf(job), name: nameOf(job), options },
      ]);
      return undefined;
    },
  };
}

async function readJob(client: KubeClient, job: Job, signal: AbortSignal): Promise<Job | undefined> {
  try {
    return await client.get(JOBS, namespaceOf(job), nameOf(job), signal);
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
