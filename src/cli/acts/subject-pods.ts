/** The pods of what an act is about. */
import {
  CRON_JOBS,
  DAEMON_SETS,
  DEPLOYMENTS,
  isControlledBy,
  isDeleting,
  JOBS,
  type KubeObject,
  type Pod,
  PODS,
  REPLICA_SETS,
  REPLICATION_CONTROLLERS,
  type Resource,
  STATEFUL_SETS,
} from '../../api/index.ts';
import type { KubeClient } from '../../client/index.ts';
import type { ActKind, ActTarget } from './acts.ts';

const RESOURCES: Readonly<Record<Exclude<ActKind, 'Pod'>, Resource<KubeObject>>> = {
  Deployment: DEPLOYMENTS,
  StatefulSet: STATEFUL_SETS,
  DaemonSet: DAEMON_SETS,
  ReplicaSet: REPLICA_SETS,
  ReplicationController: REPLICATION_CONTROLLERS,
  Job: JOBS,
  CronJob: CRON_JOBS,
};

/** The kinds whose pods are made by another object of theirs. */
const BETWEEN: Readonly<Partial<Record<ActKind, Resource<KubeObject>>>> = { Deployment: REPLICA_SETS, CronJob: JOBS };

/** Undefined for a pod. */
export function workloadResource(kind: ActKind): Resource<KubeObject> | undefined {
  return kind === 'Pod' ? undefined : RESOURCES[kind];
}

/**
 * The pods that are there and have not ended, in order of their names.
 * @throws StatusError, ConnectionError
 */
export async function subjectPods(
  client: Pick<KubeClient, 'get' | 'list'>,
  { kind, namespace, name }: ActTarget,
  signal?: AbortSignal,
): Promise<readonly Pod[]> {
  if (kind === 'Pod') return [await client.get(PODS, namespace, name, signal)];
  const owner = await client.get(RESOURCES[kind], namespace, name, signal);
  const between = BETWEEN[kind];
  const makers =
    between === undefined
      ? [owner]
      : (await client.list(between, { namespace, metadataOnly: true }, signal)).items.filter((each) =>
          isControlledBy(each, owner),
        );
  const { items } = await client.list(PODS, { namespace }, signal);
  return items
    .filter((pod) => isAround(pod) && makers.some((maker) => isControlledBy(pod, maker)))
    .toSorted((a, b) => ((a.metadata?.name ?? '') < (b.metadata?.name ?? '') ? -1 : 1));
}

function isAround(pod: Pod): boolean {
  return !isDeleting(pod) && !hasEnded(pod);
}

/** Nothing of it runs again. */
export function hasEnded({ status }: Pod): boolean {
  return status?.phase === 'Succeeded' || status?.phase === 'Failed';
}
