/**
 * The cgroups of pods of which nothing else is left. A pod's cgroup is the first that is made of it: an agent that cannot write
 * its note, because the disk is full, and that is killed then, knows nothing of the pod any more.
 */
import { errorMessage, type Logger } from '../../lib/index.ts';
import type { Cgroups } from '../ports.ts';
import type { PodUID } from '../types.ts';
import { POD_CGROUP_PARENTS, uidOfPodCgroup } from './pod-cgroup.ts';

/**
 * Removes those without processes. One that cannot be removed is logged, and keeps no other.
 * @param isKnown asked just before each removal
 */
export async function removeLeftCgroups(
  cgroups: Pick<Cgroups, 'list' | 'remove' | 'processes'>,
  isKnown: (uid: PodUID) => boolean,
  logger: Pick<Logger, 'warn'>,
): Promise<void> {
  for (const parent of POD_CGROUP_PARENTS) {
    for (const name of await cgroups.list(parent)) {
      const uid = uidOfPodCgroup(name);
      const path = [...parent, name];
      if (uid === undefined || (await cgroups.processes({ path })).length > 0 || isKnown(uid)) continue;
      await cgroups.remove(path).catch((error: unknown) => {
        logger.warn('the cgroup of a pod that is gone cannot be removed', { uid, error: errorMessage(error) });
      });
    }
  }
}
