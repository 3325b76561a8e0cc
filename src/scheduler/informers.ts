/** All that the scheduler watches, and the view of it that decisions rest on. */
import {
  type KubeObject,
  type Namespace,
  NAMESPACES,
  type Node,
  NODES,
  PERSISTENT_VOLUME_CLAIMS,
  PERSISTENT_VOLUMES,
  type PersistentVolume,
  type PersistentVolumeClaim,
  type Pod,
  POD_DISRUPTION_BUDGETS,
  type PodDisruptionBudget,
  PODS,
  REPLICA_SETS,
  type ReplicaSet,
  REPLICATION_CONTROLLERS,
  type ReplicationController,
  type Resource,
  type Service,
  SERVICES,
  STATEFUL_SETS,
  type StatefulSet,
  STORAGE_CLASSES,
  type StorageClass,
} from '../api/index.ts';
import {
  createReflector,
  type KubeClient,
  type Lister,
  type Reflector,
  withoutManagedFields,
} from '../client/index.ts';
import type { Clock, Logger, Random } from '../lib/index.ts';
import type { Cluster } from './cluster/cluster.ts';
import type { SchedulerCache } from './cluster/scheduler-cache.ts';
import { spreadSelectorOf } from './cluster/spread-selector.ts';

export interface SchedulerInformers {
  readonly pods: Lister<Pod>;
  readonly nodes: Lister<Node>;
  readonly namespaces: Lister<Namespace>;
  readonly claims: Lister<PersistentVolumeClaim>;
  readonly volumes: Lister<PersistentVolume>;
  readonly storageClasses: Lister<StorageClass>;
  readonly budgets: Lister<PodDisruptionBudget>;
  readonly services: Lister<Service>;
  readonly replicationControllers: Lister<ReplicationController>;
  readonly replicaSets: Lister<ReplicaSet>;
  readonly statefulSets: Lister<StatefulSet>;
  /** Resolves when all have been listed once. */
  waitForSync(signal: AbortSignal): Promise<void>;
  run(signal: AbortSignal): Promise<void>;
}

export interface InformerOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

export function createInformers(options: InformerOptions): SchedulerInformers {
  const reflectors: Reflector<KubeObject>[] = [];
  const watch = <T extends KubeObject>(resource: Resource<T>, transform: (object: T) => T): Lister<T> => {
    const random = options.random.split(resource.resource);
    const reflector = createReflector<T>({ ...options, random, resource, transform });
    reflectors.push(reflector);
    return reflector.lister;
  };
  return {
    pods: watch<Pod>(PODS, withoutManagedFields),
    nodes: watch<Node>(NODES, withoutManagedFields),
    namespaces: watch<Namespace>(NAMESPACES, withoutManagedFields),
    claims: watch<PersistentVolumeClaim>(PERSISTENT_VOLUME_CLAIMS, withoutManagedFields),
    volumes: watch<PersistentVolume>(PERSISTENT_VOLUMES, withoutManagedFields),
    storageClasses: watch<StorageClass>(STORAGE_CLASSES, withoutManagedFields),
    budgets: watch<PodDisruptionBudget>(POD_DISRUPTION_BUDGETS, withoutManagedFields),
    services: watch<Service>(SERVICES, onlySelector),
    replicationControllers: watch<ReplicationController>(REPLICATION_CONTROLLERS, onlySelector),
    replicaSets: watch<ReplicaSet>(REPLICA_SETS, onlySelector),
    statefulSets: watch<StatefulSet>(STATEFUL_SETS, onlySelector),
    waitForSync: async (signal) => {
      await Promise.all(reflectors.map(({ lister }) => lister.waitForSync(signal)));
    },
    run: async (signal) => {
      await Promise.all(reflectors.map((reflector) => reflector.run(signal)));
    },
  };
}

/** Nothing else of these is read here. */
function onlySelector<T extends Service | ReplicationController | ReplicaSet | StatefulSet>(object: T): T {
  const { namespace, name, uid, resourceVersion } = object.metadata ?? {};
  const selector = object.spec?.selector;
  return {
    metadata: { namespace, name, uid, resourceVersion },
    spec: selector === undefined ? {} : { selector },
  } as unknown as T;
}

/** The cluster as it is now. */
export function clusterOf(cache: SchedulerCache, informers: SchedulerInformers): Cluster {
  const sources = {
    services: (namespace: string) => informers.services.list(namespace),
    replicationController: (namespace: string, name: string) => informers.replicationControllers.get(namespace, name),
    replicaSet: (namespace: string, name: string) => informers.replicaSets.get(namespace, name),
    statefulSet: (namespace: string, name: string) => informers.statefulSets.get(namespace, name),
  };
  return {
    get nodes() {
      return cache.nodes;
    },
    node: (name) => cache.node(name),
    namespaceLabels: (namespace) => informers.namespaces.get(undefined, namespace)?.metadata?.labels,
    claim: (namespace, name) => informers.claims.get(namespace, name),
    volume: (name) => informers.volumes.get(undefined, name),
    storageClass: (name) => informers.storageClasses.get(undefined, name),
    spreadSelector: (pod) => spreadSelectorOf(pod, sources),
    budgets: () => informers.budgets.list(),
    imageSpread: (image) => cache.imageSpread(image),
  };
}
