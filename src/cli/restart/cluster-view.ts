/** Watches a workload, its pods and their disruption budgets. */
import {
  type KubeObject,
  type Pod,
  POD_DISRUPTION_BUDGETS,
  type PodDisruptionBudget,
  PODS,
  REPLICA_SETS,
  type ReplicaSet,
  type Resource,
} from '../../api/index.ts';
import { createReflector, type Lister } from '../../client/index.ts';
import { seededRandom, silentLogger } from '../../lib/index.ts';
import type { ClusterSession } from '../cluster-session.ts';
import { Bell } from './bell.ts';
import type { WorkloadTarget } from './targets.ts';
import { type Workload, WORKLOAD_RESOURCES, workloadOf } from './workload.ts';

export interface ClusterView {
  readonly ready: Promise<unknown>;
  readonly bell: Bell;
  workload(): Workload | undefined;
  readonly pods: Lister<Pod>;
  readonly budgets: Lister<PodDisruptionBudget>;
  readonly replicaSets: Lister<ReplicaSet> | undefined;
}

/** Watches until the signal is aborted. */
export function watchCluster(
  session: ClusterSession,
  { kind, name }: WorkloadTarget,
  signal: AbortSignal,
): ClusterView {
  const { client, clock, namespace } = session;
  const bell = new Bell();
  const listers: Lister<KubeObject>[] = [];
  const listen = <T extends KubeObject>(resource: Resource<T>, fieldSelector?: string): Lister<T> => {
    const query = { namespace, ...(fieldSelector === undefined ? {} : { fieldSelector }) };
    const random = seededRandom(resource.resource);
    const reflector = createReflector({ client, clock, random, logger: silentLogger }, { resource, query });
    reflector.lister.onChange(() => bell.ring());
    void reflector.run(signal);
    listers.push(reflector.lister);
    return reflector.lister;
  };
  const workloads = listen(WORKLOAD_RESOURCES[kind], `metadata.name=${name}`);
  const pods = listen(PODS);
  const budgets = listen(POD_DISRUPTION_BUDGETS);
  const replicaSets = kind === 'deployment' ? listen(REPLICA_SETS) : undefined;
  return {
    ready: Promise.all(listers.map((lister) => lister.waitForSync(session.signal))),
    bell,
    workload: () => {
      const object = workloads.get(namespace, name);
      return object === undefined ? undefined : workloadOf(kind, object);
    },
    pods,
    budgets,
    replicaSets,
  };
}
