/** Gathers the rollout that made a pod, from the revisions that its workload keeps. */
import { CONTROLLER_REVISIONS, isControlledBy, type Pod, REPLICA_SETS } from '../../api/index.ts';
import {
  isOfRollout,
  type Rollout,
  rolloutsOfRecords,
  rolloutsOfSets,
  type WorkloadObject,
} from '../../diagnosis/index.ts';
import type { Asker } from './ask.ts';
import { MAX_LISTED } from './limits.ts';

/** @param pods the pod and its siblings */
export async function gatherRollout(
  asker: Asker,
  pod: Pod,
  owners: readonly WorkloadObject[],
  pods: readonly Pod[],
): Promise<Rollout | undefined> {
  const owner = owners.at(-1);
  const { namespace = 'default', name = '' } = owner?.metadata ?? {};
  const query = { namespace, limit: MAX_LISTED };
  if (owner?.kind === 'Deployment') {
    const sets = await asker.list('replicasets', REPLICA_SETS, query);
    const own = sets.filter((set) => isControlledBy(set, owner));
    return rolloutsOfSets(`deployment/${name}`, own, pods).find((rollout) => isOfRollout(pod, rollout));
  }
  if (owner?.kind !== 'StatefulSet' && owner?.kind !== 'DaemonSet') return undefined;
  const records = await asker.list('controllerrevisions', CONTROLLER_REVISIONS, query);
  const own = records.filter((record) => isControlledBy(record, owner));
  return rolloutsOfRecords(`${owner.kind.toLowerCase()}/${name}`, own, pods).find((rollout) =>
    isOfRollout(pod, rollout),
  );
}
