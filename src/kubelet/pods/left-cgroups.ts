/**
 * The cgroups of pods of which nothing else is left. A pod's cgroup is the first that is made of it: an agent that cannot write
 * its note, because the disk is full, and that is killed then, knows nothing of the pod any more.
 */
import type { Cgroups } from '../ports.ts';
import type { PodUID } from '../types.ts';
import { POD_CGROUP_PARENTS, uidOfPodCgroup } from './pod-cgroup.ts';

/**
 * Removes those that are empty.
 * @param isKnown asked just before each removal
 */
export async function removeLeftCgroups(
  cgroups: Pick<Cgroups, 'list' | 'remove' | 'processes'>,
  isKnown: (uid: PodUID) => boolean,
): Promise<void> {
  for (const parent of POD_CGROUP_PARENTS) {
    for (const name of await cgroups.list(parent)) {
      const uid = uidOfPodCgroup(name);
      const path = [...parent, name];
      if (uid === undefined || (await cgroups.processes({ path })).length > 0 || isKnown(uid)) continue;
      await cgroups.remove(path);
    }
  }
}
