/** A cluster written down as objects, for tests of decisions. */
import type {
  CSIDriver,
  CSINode,
  CSIStorageCapacity,
  Namespace,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  PodDisruptionBudget,
  ReplicaSet,
  Service,
  StorageClass,
  VolumeAttachment,
} from '../../api/index.ts';
import type { Cluster } from './cluster.ts';
import { NodeInfo } from './node-info.ts';
import { podInfo } from './pod-info.ts';
import { spreadSelectorOf } from './spread-selector.ts';
import { NOTHING_PROMISED } from './volume-promises.ts';

export interface Written {
  readonly nodes: readonly Node[];
  /** A pod with `spec.nodeName` runs on that node. */
  readonly pods?: readonly Pod[];
  readonly namespaces?: readonly Namespace[];
  readonly claims?: readonly PersistentVolumeClaim[];
  readonly volumes?: readonly PersistentVolume[];
  readonly storageClasses?: readonly StorageClass[];
  readonly csiNodes?: readonly CSINode[];
  readonly csiDrivers?: readonly CSIDriver[];
  readonly capacities?: readonly CSIStorageCapacity[];
  readonly attachments?: readonly VolumeAttachment[];
  readonly budgets?: readonly PodDisruptionBudget[];
  readonly services?: readonly Service[];
  readonly replicaSets?: readonly ReplicaSet[];
}

export function clusterFrom(written: Written): Cluster {
  const { pods = [], namespaces = [], claims = [], volumes = [], storageClasses = [], budgets = [] } = written;
  const named = <T extends { metadata?: { name?: string; namespace?: string } }>(
    objects: readonly T[],
    name: string,
    namespace?: string,
  ): T | undefined =>
    objects.find(
      ({ metadata }) => metadata?.name === name && (namespace === undefined || metadata.namespace === namespace),
    );
  const nodes = written.nodes.map((node) =>
    NodeInfo.of(
      node,
      pods.filter(({ spec }) => spec?.nodeName === node.metadata?.name).map((pod) => podInfo(pod)),
    ),
  );
  return {
    nodes,
    node: (name) => nodes.find((info) => info.name === name),
    namespaceLabels: (namespace) => named(namespaces, namespace)?.metadata?.labels,
    claim: (namespace, name) => named(claims, name, namespace),
    claims: () => claims,
    volume: (name) => named(volumes, name),
    volumes: () => volumes,
    promised: NOTHING_PROMISED,
    storageClass: (name) => named(storageClasses, name),
    drivers: {
      csiNode: (name) => named(written.csiNodes ?? [], name),
      csiDriver: (name) => named(written.csiDrivers ?? [], name),
      capacities: (name) => (written.capacities ?? []).filter(({ storageClassName }) => storageClassName === name),
      attachments: (name) => (written.attachments ?? []).filter(({ spec }) => spec.nodeName === name),
    },
    spreadSelector: (pod) =>
      spreadSelectorOf(pod, {
        services: (namespace) => (written.services ?? []).filter(({ metadata }) => metadata?.namespace === namespace),
        replicaSet: (namespace, name) => named(written.replicaSets ?? [], name, namespace),
        replicationController: () => undefined,
        statefulSet: () => undefined,
      }),
    budgets: () => budgets,
    imageSpread: (image) => nodes.filter((info) => info.images.has(image)).length,
  };
}

export const ALLOCATABLE = { cpu: '2', memory: '2Gi', pods: '10', 'ephemeral-storage': '10Gi' };

/** A node with its hostname label. */
export function aNode(name: string, spec: Node['spec'] = {}, labels: Record<string, string> = {}): Node {
  return {
    metadata: { name, labels: { 'kubernetes.io/hostname': name, ...labels } },
    spec: spec ?? {},
    status: { allocatable: ALLOCATABLE },
  };
}

let pods = 0;

/** A pod of one container, in `default`, with a name of its own. */
export function aPod(
  spec: Partial<NonNullable<Pod['spec']>> = {},
  requests?: Record<string, string>,
  metadata: Pod['metadata'] = {},
): Pod {
  pods += 1;
  const resources = requests === undefined ? {} : { resources: { requests } };
  const name = `p${pods}`;
  return {
    metadata: { namespace: 'default', name, uid: `uid-${name}`, ...metadata },
    spec: { containers: [{ name: 'c', ...resources }], ...spec },
  };
}

/** The pod as it runs on the node. */
export function running(nodeName: string, pod: Pod): Pod {
  return { ...pod, spec: { containers: [], ...pod.spec, nodeName } };
}
