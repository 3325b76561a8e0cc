/** Finds the controllers above a pod, nearest first. */
import {
  controllerOf,
  DAEMON_SETS,
  DEPLOYMENTS,
  JOBS,
  type KubeObject,
  type Pod,
  REPLICA_SETS,
  REPLICATION_CONTROLLERS,
  type Resource,
  STATEFUL_SETS,
} from '../../api/index.ts';
import type { WorkloadObject } from '../../diagnosis/index.ts';
import { type Asker, found } from './ask.ts';
import { MAX_OWNERS } from './limits.ts';
import type { WhyWorkload } from './target.ts';

/** Kinds that make pods: `why` explains them, and follows owner references through them. */
export const WORKLOADS: Readonly<Record<WhyWorkload, Resource<WorkloadObject>>> = {
  Deployment: DEPLOYMENTS,
  ReplicaSet: REPLICA_SETS,
  StatefulSet: STATEFUL_SETS,
  DaemonSet: DAEMON_SETS,
  Job: JOBS,
  ReplicationController: REPLICATION_CONTROLLERS,
};

/** The list ends at an owner of an unknown kind, or one that cannot be read. */
export async function ownersOf(asker: Asker, pod: Pod): Promise<readonly WorkloadObject[]> {
  const owners: WorkloadObject[] = [];
  let object: KubeObject = pod;
  while (owners.length < MAX_OWNERS) {
    const reference = controllerOf(object);
    const resource =
      reference === undefined
        ? undefined
        : (WORKLOADS[reference.kind as WhyWorkload] as Resource<WorkloadObject> | undefined);
    if (reference === undefined || resource === undefined) return owners;
    const what = `${reference.kind.toLowerCase()}/${reference.name}`;
    const owner = found(await asker.get(what, resource, pod.metadata?.namespace, reference.name));
    if (owner === undefined || owner.metadata?.uid !== reference.uid) return owners;
    owners.push(owner);
    object = owner;
  }
  return owners;
}
