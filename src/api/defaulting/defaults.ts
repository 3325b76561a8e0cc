/**
 * Defaults per kind, which a server fills in before it validates and stores (upstream's `defaults.go` of each group). A kind
 * without an entry has none.
 */
import type { Event, Lease, Namespace, Node, PodTemplate, PriorityClass, ResourceQuota, Secret } from '../types.gen.ts';
import { defaultPodRestart } from './healing.ts';
import { defaultCronJob, defaultJob } from './job.ts';
import { defaultLimitRange } from './limit-range.ts';
import { defaultIngress, defaultIngressClass, defaultNetworkPolicy } from './networking.ts';
import { defaultPod } from './pod.ts';
import { defaultPersistentVolume, defaultPersistentVolumeClaim, defaultStorageClass } from './persistent-volume.ts';
import { defaultPodSpec } from './pod-spec.ts';
import { defaultDeployment, defaultReplicaSet, defaultReplicationController } from './replicated.ts';
import { defaultRoleBinding } from './rbac.ts';
import { defaultEndpoints, defaultEndpointSlice, defaultService } from './service.ts';
import { defaultDaemonSet, defaultStatefulSet } from './stateful-set.ts';

type Defaulter = (draft: never) => void;

const DEFAULTERS: Readonly<Record<string, Defaulter>> = {
  'v1/Pod': defaultPod,
  'v1/PodTemplate': (draft: PodTemplate) => {
    if (draft.template?.spec !== undefined) defaultPodSpec(draft.template.spec);
  },
  // Coordinated leader election is behind a gate that is closed.
  'coordination.k8s.io/v1/Lease': ({ spec }: Lease) => {
    delete spec?.strategy;
    delete spec?.preferredHolder;
  },
  'v1/Namespace': defaultNamespace,
  'v1/Node': defaultNode,
  'v1/Secret': defaultSecret,
  'v1/Event': defaultEvent,
  'v1/Service': defaultService,
  'v1/Endpoints': defaultEndpoints,
  'discovery.k8s.io/v1/EndpointSlice': defaultEndpointSlice,
  'networking.k8s.io/v1/NetworkPolicy': defaultNetworkPolicy,
  'networking.k8s.io/v1/Ingress': defaultIngress,
  'networking.k8s.io/v1/IngressClass': defaultIngressClass,
  'batch/v1/Job': defaultJob,
  'batch/v1/CronJob': defaultCronJob,
  'apps/v1/Deployment': defaultDeployment,
  'apps/v1/ReplicaSet': defaultReplicaSet,
  'v1/ReplicationController': defaultReplicationController,
  'rbac.authorization.k8s.io/v1/RoleBinding': defaultRoleBinding,
  'rbac.authorization.k8s.io/v1/ClusterRoleBinding': defaultRoleBinding,
  'v1/LimitRange': defaultLimitRange,
  'v1/ResourceQuota': (quota: ResourceQuota) => {
    quota.spec ??= {};
    quota.status ??= {};
  },
  'apps/v1/StatefulSet': defaultStatefulSet,
  'apps/v1/DaemonSet': defaultDaemonSet,
  'v1/PersistentVolumeClaim': defaultPersistentVolumeClaim,
  'v1/PersistentVolume': defaultPersistentVolume,
  'storage.k8s.io/v1/StorageClass': defaultStorageClass,
  'mendlet.dev/v1alpha1/PodRestart': defaultPodRestart,
  'scheduling.k8s.io/v1/PriorityClass': (priority: PriorityClass) => {
    priority.preemptionPolicy ??= 'PreemptLowerPriority';
    priority.value ??= 0;
  },
};

/** A copy of the object with its defaults. The input must have passed `validateStructure`. */
export function applyDefaults<T>(apiVersion: string, kind: string, object: T): T {
  const draft = structuredClone(object);
  fillDefaults(apiVersion, kind, draft);
  return draft;
}

/** The same in place, for an object that is not shared. */
export function fillDefaults(apiVersion: string, kind: string, draft: unknown): void {
  const name = `${apiVersion}/${kind}`;
  if (Object.hasOwn(DEFAULTERS, name)) DEFAULTERS[name]?.(draft as never);
}

const NAME_LABEL = 'kubernetes.io/metadata.name';

function defaultNamespace(namespace: Namespace): void {
  const name = namespace.metadata?.name;
  if (namespace.metadata !== undefined && name)
    namespace.metadata.labels = { ...namespace.metadata.labels, [NAME_LABEL]: name };
  namespace.spec ??= {};
  namespace.status ??= {};
  namespace.status.phase ||= 'Active';
}

function defaultNode(node: Node): void {
  node.spec ??= {};
  node.status ??= {};
  if (node.status.capacity !== undefined) node.status.allocatable ??= { ...node.status.capacity };
  const { spec } = node;
  // The old field and the first of the list say the same; the old one wins.
  if (spec.podCIDR) spec.podCIDRs = [spec.podCIDR, ...(spec.podCIDRs ?? []).slice(1)];
  else if (spec.podCIDRs?.[0]) [spec.podCIDR] = spec.podCIDRs;
  // Settings by the server that kubelets have long ignored: new ones are dropped.
  delete spec.configSource;
  delete node.status.config;
}

/** `stringData` is write-only: it ends up, encoded, in `data`. */
function defaultSecret(secret: Secret): void {
  secret.type ||= 'Opaque';
  const { stringData } = secret;
  if (stringData === undefined) return;
  const encoded = Object.entries(stringData).map(([name, text]) => [name, encodeBase64(text)]);
  secret.data = { ...secret.data, ...Object.fromEntries(encoded) };
  delete secret.stringData;
}

function encodeBase64(text: string): string {
  return Buffer.from(text, 'utf8').toString('base64');
}

function defaultEvent(event: Event): void {
  event.source ??= {};
  event.reportingComponent ??= '';
  event.reportingInstance ??= '';
}
