/** The watches of the scheduler, and the view of the cluster that decisions use. */
import {
  CSI_DRIVERS,
  CSI_NODES,
  CSI_STORAGE_CAPACITIES,
  type CSIDriver,
  type CSINode,
  type CSIStorageCapacity,
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
  type Service,
  SERVICES,
  STATEFUL_SETS,
  type StatefulSet,
  STORAGE_CLASSES,
  type StorageClass,
  VOLUME_ATTACHMENTS,
  type VolumeAttachment,
} from '../api/index.ts';
import type { Indexes, Informers, Lister, SourceForm } from '../client/index.ts';
import type { Cluster } from './cluster/cluster.ts';
import type { SchedulerCache } from './cluster/scheduler-cache.ts';
import { spreadSelectorOf } from './cluster/spread-selector.ts';
import type { Promised } from './cluster/volume-promises.ts';

export interface SchedulerSources {
  readonly pods: Lister<Pod>;
  readonly nodes: Lister<Node>;
  readonly namespaces: Lister<Namespace>;
  readonly claims: Lister<PersistentVolumeClaim>;
  readonly volumes: Lister<PersistentVolume>;
  readonly storageClasses: Lister<StorageClass>;
  readonly csiNodes: Lister<CSINode>;
  readonly csiDrivers: Lister<CSIDriver>;
  readonly capacities: Lister<CSIStorageCapacity>;
  readonly attachments: Lister<VolumeAttachment>;
  readonly budgets: Lister<PodDisruptionBudget>;
  readonly services: Lister<Service>;
  readonly replicationControllers: Lister<ReplicationController>;
  readonly replicaSets: Lister<ReplicaSet>;
  readonly statefulSets: Lister<StatefulSet>;
}

type Selecting = Service | ReplicationController | ReplicaSet | StatefulSet;

/** Index of VolumeAttachments by their node, and of CSIStorageCapacities by their class. */
const BY_PLACE = 'place';

/** Of every source; objects of other kinds are in none. */
export const SOURCE_INDEXES: Indexes<KubeObject> = {
  [BY_PLACE]: (object) => {
    if (object.kind === 'VolumeAttachment') return [(object as VolumeAttachment).spec.nodeName];
    return object.kind === 'CSIStorageCapacity' ? [(object as CSIStorageCapacity).storageClassName] : [];
  },
};

/** Keeps identity and selector, the only parts of services and controllers that the scheduler reads. */
const SELECTOR: SourceForm = {
  name: 'selector',
  metadataOnly: false,
  keep: <T extends KubeObject>(object: T) => {
    const { namespace, name, uid, resourceVersion } = object.metadata ?? {};
    const selector = (object as Selecting).spec?.selector;
    return {
      metadata: { namespace, name, uid, resourceVersion },
      spec: selector === undefined ? {} : { selector },
    } as unknown as T;
  },
};

export function sourcesOf(informers: Informers): SchedulerSources {
  return {
    pods: informers.lister(PODS),
    nodes: informers.lister(NODES),
    namespaces: informers.lister(NAMESPACES),
    claims: informers.lister(PERSISTENT_VOLUME_CLAIMS),
    volumes: informers.lister(PERSISTENT_VOLUMES),
    storageClasses: informers.lister(STORAGE_CLASSES),
    csiNodes: informers.lister(CSI_NODES),
    csiDrivers: informers.lister(CSI_DRIVERS),
    capacities: informers.lister(CSI_STORAGE_CAPACITIES),
    attachments: informers.lister(VOLUME_ATTACHMENTS),
    budgets: informers.lister(POD_DISRUPTION_BUDGETS),
    services: informers.lister(SERVICES, { form: SELECTOR }),
    replicationControllers: informers.lister(REPLICATION_CONTROLLERS, { form: SELECTOR }),
    replicaSets: informers.lister(REPLICA_SETS, { form: SELECTOR }),
    statefulSets: informers.lister(STATEFUL_SETS, { form: SELECTOR }),
  };
}

/** The cluster as it is now. */
export function clusterOf(cache: SchedulerCache, sources: SchedulerSources, promised: Promised): Cluster {
  const selecting = {
    services: (namespace: string) => sources.services.list(namespace),
    replicationController: (namespace: string, name: string) => sources.replicationControllers.get(namespace, name),
    replicaSet: (namespace: string, name: string) => sources.replicaSets.get(namespace, name),
    statefulSet: (namespace: string, name: string) => sources.statefulSets.get(namespace, name),
  };
  return {
    get nodes() {
      return cache.nodes;
    },
    node: (name) => cache.node(name),
    namespaceLabels: (namespace) => sources.namespaces.get(undefined, namespace)?.metadata?.labels,
    claim: (namespace, name) => sources.claims.get(namespace, name),
    claims: () => sources.claims.list(),
    volume: (name) => sources.volumes.get(undefined, name),
    volumes: () => sources.volumes.list(),
    promised,
    storageClass: (name) => sources.storageClasses.get(undefined, name),
    drivers: {
      csiNode: (name) => sources.csiNodes.get(undefined, name),
      csiDriver: (name) => sources.csiDrivers.get(undefined, name),
      capacities: (className) => sources.capacities.byIndex(BY_PLACE, className),
      attachments: (nodeName) => sources.attachments.byIndex(BY_PLACE, nodeName),
    },
    spreadSelector: (pod) => spreadSelectorOf(pod, selecting),
    budgets: () => sources.budgets.list(),
    imageSpread: (image) => cache.imageSpread(image),
  };
}
