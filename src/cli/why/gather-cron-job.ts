/** Gathers the evidence about a CronJob: its events, its jobs, and their pods. */
import { type CronJob, EVENTS, isControlledBy, type KubeObject } from '../../api/index.ts';
import type { CronJobEvidence, WorkloadObject } from '../../diagnosis/index.ts';
import { type Asker } from './ask.ts';
import { gatherWorkload, type WorkloadWish } from './gather-workload.ts';
import { MAX_EVENTS, MAX_JOBS } from './limits.ts';

/** @param candidates jobs of its namespace; those of others are left out */
export async function gatherCronJob(
  asker: Asker,
  cronJob: CronJob,
  candidates: readonly WorkloadObject[],
  namespaceFlag: string,
  wish: WorkloadWish = {},
): Promise<CronJobEvidence> {
  const { namespace, name = '' } = cronJob.metadata ?? {};
  const own = candidates
    .filter((job) => isControlledBy(job, cronJob))
    .toSorted((a, b) => (createdOf(a) < createdOf(b) ? 1 : -1))
    .slice(0, MAX_JOBS);
  const [events, jobs] = await Promise.all([
    asker.list(`events of cronjob/${name}`, EVENTS, {
      namespace,
      fieldSelector: `involvedObject.kind=CronJob,involvedObject.name=${name}`,
      limit: MAX_EVENTS,
    }),
    Promise.all(own.map((job) => gatherWorkload(asker, job, namespaceFlag, wish))),
  ]);
  return { now: asker.now, cronJob, events, jobs, notLookedAt: asker.notLookedAt, namespaceFlag };
}

function createdOf({ metadata }: KubeObject): string {
  return metadata?.creationTimestamp ?? '';
}
