/**
 * The rows of the kinds that every server has: one each, as upstream's discovery describes them, with its rules. What is served
 * is up to the server's registry: this list is where the registrations of built-in kinds begin.
 */
import type { HealingPolicy, PodRestart } from './healing/types.ts';
import { MENDLET_GROUP, MENDLET_VERSION } from './healing/words.ts';
import type { ClusterNotification, Notification } from './notifications/types.ts';
import { NOTIFICATION_VERSION } from './notifications/words.ts';
import type { KubeObject, ResourceRow, SubresourceRow, Verb } from './resource.ts';
import {
  BINDING_RULES,
  CONFIG_MAP_RULES,
  ENDPOINTS_RULES,
  ENDPOINT_SLICE_RULES,
  EVENTS_EVENT_RULES,
  EVENT_RULES,
  LEASE_RULES,
  LIMIT_RANGE_RULES,
  NAMESPACE_RULES,
  NODE_RULES,
  RESOURCE_QUOTA_RULES,
  SECRET_RULES,
  SERVICE_ACCOUNT_RULES,
  SERVICE_RULES,
} from './rules/core.ts';
import {
  CONTROLLER_REVISION_RULES,
  CRON_JOB_RULES,
  DAEMON_SET_RULES,
  DEPLOYMENT_RULES,
  JOB_RULES,
  POD_DISRUPTION_BUDGET_RULES,
  POD_RULES,
  POD_TEMPLATE_RULES,
  REPLICATION_CONTROLLER_RULES,
  REPLICA_SET_RULES,
  STATEFUL_SET_RULES,
} from './rules/workloads.ts';
import {
  INGRESS_CLASS_RULES,
  INGRESS_RULES,
  IP_ADDRESS_RULES,
  NETWORK_POLICY_RULES,
  SERVICE_CIDR_RULES,
} from './rules/networking.ts';
import { PERSISTENT_VOLUME_CLAIM_RULES, PERSISTENT_VOLUME_RULES, STORAGE_CLASS_RULES } from './rules/storage.ts';
import {
  CERTIFICATE_SIGNING_REQUEST_RULES,
  CLUSTER_ROLE_BINDING_RULES,
  CLUSTER_ROLE_RULES,
  PRIORITY_CLASS_RULES,
  ROLE_BINDING_RULES,
  ROLE_RULES,
  RUNTIME_CLASS_RULES,
} from './rules/access.ts';
import type { CustomResourceDefinition } from './custom-resources/definition.ts';
import { CUSTOM_RESOURCE_DEFINITION_RULES } from './rules/custom-resources.ts';
import { HORIZONTAL_POD_AUTOSCALER_RULES, HORIZONTAL_POD_AUTOSCALER_V1_RULES } from './rules/autoscaling.ts';
import {
  CSI_DRIVER_RULES,
  CSI_NODE_RULES,
  CSI_STORAGE_CAPACITY_RULES,
  VOLUME_ATTACHMENT_RULES,
  VOLUME_ATTRIBUTES_CLASS_RULES,
} from './rules/csi.ts';
import {
  DEVICE_CLASS_RULES,
  RESOURCE_CLAIM_RULES,
  RESOURCE_CLAIM_TEMPLATE_RULES,
  RESOURCE_SLICE_RULES,
} from './rules/devices.ts';
import { FLOW_SCHEMA_RULES, PRIORITY_LEVEL_RULES } from './rules/flow-control.ts';

import type {
  AutoscalingHorizontalPodAutoscaler,
  ComponentStatus,
  CSIDriver,
  CSINode,
  CSIStorageCapacity,
  DeviceClass,
  FlowSchema,
  HorizontalPodAutoscaler,
  PriorityLevelConfiguration,
  ResourceClaimTemplate,
  ResourceResourceClaim,
  ResourceSlice,
  VolumeAttachment,
  VolumeAttributesClass,
  Binding,
  CertificateSigningRequest,
  ClusterRole,
  ClusterRoleBinding,
  ConfigMap,
  ControllerRevision,
  CronJob,
  DaemonSet,
  Deployment,
  Endpoints,
  EndpointSlice,
  Event,
  EventsEvent,
  Ingress,
  IngressClass,
  IPAddress,
  Job,
  Lease,
  LimitRange,
  LocalSubjectAccessReview,
  Namespace,
  NetworkPolicy,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  PodDisruptionBudget,
  PodTemplate,
  PriorityClass,
  ReplicaSet,
  ReplicationController,
  ResourceQuota,
  Role,
  RoleBinding,
  RuntimeClass,
  Secret,
  SelfSubjectAccessReview,
  SelfSubjectReview,
  SelfSubjectRulesReview,
  Service,
  ServiceAccount,
  ServiceCIDR,
  StatefulSet,
  StorageClass,
  SubjectAccessReview,
  TokenReview,
} from './types.gen.ts';

const ALL_VERBS: readonly Verb[] = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];
const NAMESPACE_VERBS: readonly Verb[] = ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch'];
const CHANGE_VERBS: readonly Verb[] = ['get', 'patch', 'update'];
const PROXY_VERBS: readonly Verb[] = ['create', 'delete', 'get', 'patch', 'update'];
const STREAM_VERBS: readonly Verb[] = ['create', 'get'];

type RowAsWritten = Pick<ResourceRow, 'resource' | 'kind' | 'namespaced'> & Partial<ResourceRow>;

function row<T extends KubeObject>(input: RowAsWritten): ResourceRow<T> {
  return {
    group: '',
    version: 'v1',
    singular: input.kind.toLowerCase(),
    listKind: `${input.kind}List`,
    shortNames: [],
    categories: [],
    verbs: ALL_VERBS,
    subresources: [],
    ...input,
  } as ResourceRow<T>;
}

function status(kind: string): SubresourceRow {
  return { name: 'status', kind, verbs: CHANGE_VERBS };
}

/** Only the number of replicas, whatever the kind calls it (`kubectl scale`, autoscalers). */
const SCALE: SubresourceRow = {
  name: 'scale',
  kind: 'Scale',
  group: 'autoscaling',
  version: 'v1',
  verbs: CHANGE_VERBS,
};

export const PODS = row<Pod>({
  resource: 'pods',
  kind: 'Pod',
  namespaced: true,
  shortNames: ['po'],
  categories: ['all'],
  subresources: [
    { name: 'attach', kind: 'PodAttachOptions', verbs: STREAM_VERBS },
    { name: 'binding', kind: 'Binding', verbs: ['create'] },
    { name: 'ephemeralcontainers', kind: 'Pod', verbs: CHANGE_VERBS },
    { name: 'eviction', kind: 'Eviction', group: 'policy', version: 'v1', verbs: ['create'] },
    { name: 'exec', kind: 'PodExecOptions', verbs: STREAM_VERBS },
    { name: 'history', kind: 'PodHistoryList', group: MENDLET_GROUP, version: MENDLET_VERSION, verbs: ['get'] },
    { name: 'log', kind: 'Pod', verbs: ['get'] },
    { name: 'portforward', kind: 'PodPortForwardOptions', verbs: STREAM_VERBS },
    { name: 'proxy', kind: 'PodProxyOptions', verbs: PROXY_VERBS },
    { name: 'resize', kind: 'Pod', verbs: CHANGE_VERBS },
    { name: 'restart', kind: 'PodRestart', group: MENDLET_GROUP, version: MENDLET_VERSION, verbs: ['create'] },
    status('Pod'),
  ],
  rules: POD_RULES,
});

export const NODES = row<Node>({
  resource: 'nodes',
  kind: 'Node',
  namespaced: false,
  shortNames: ['no'],
  subresources: [{ name: 'proxy', kind: 'NodeProxyOptions', verbs: PROXY_VERBS }, status('Node')],
  rules: NODE_RULES,
});

export const NAMESPACES = row<Namespace>({
  resource: 'namespaces',
  kind: 'Namespace',
  namespaced: false,
  shortNames: ['ns'],
  verbs: NAMESPACE_VERBS,
  subresources: [{ name: 'finalize', kind: 'Namespace', verbs: ['update'] }, status('Namespace')],
  rules: NAMESPACE_RULES,
});

export const EVENTS = row<Event>({
  resource: 'events',
  kind: 'Event',
  namespaced: true,
  shortNames: ['ev'],
  rules: EVENT_RULES,
});

/** The same stored events, in their other form. */
export const EVENTS_EVENTS = row<EventsEvent>({
  group: 'events.k8s.io',
  resource: 'events',
  kind: 'Event',
  namespaced: true,
  shortNames: ['ev'],
  rules: EVENTS_EVENT_RULES,
});

export const CONFIG_MAPS = row<ConfigMap>({
  resource: 'configmaps',
  kind: 'ConfigMap',
  namespaced: true,
  shortNames: ['cm'],
  rules: CONFIG_MAP_RULES,
});

export const SECRETS = row<Secret>({ resource: 'secrets', kind: 'Secret', namespaced: true, rules: SECRET_RULES });

export const LEASES = row<Lease>({
  group: 'coordination.k8s.io',
  resource: 'leases',
  kind: 'Lease',
  namespaced: true,
  rules: LEASE_RULES,
});

export const SERVICE_ACCOUNTS = row<ServiceAccount>({
  resource: 'serviceaccounts',
  kind: 'ServiceAccount',
  namespaced: true,
  shortNames: ['sa'],
  subresources: [
    { name: 'token', kind: 'TokenRequest', group: 'authentication.k8s.io', version: 'v1', verbs: ['create'] },
  ],
  rules: SERVICE_ACCOUNT_RULES,
});

export const SERVICES = row<Service>({
  resource: 'services',
  kind: 'Service',
  namespaced: true,
  shortNames: ['svc'],
  categories: ['all'],
  subresources: [{ name: 'proxy', kind: 'ServiceProxyOptions', verbs: PROXY_VERBS }, status('Service')],
  rules: SERVICE_RULES,
});

export const ENDPOINTS = row<Endpoints>({
  resource: 'endpoints',
  kind: 'Endpoints',
  namespaced: true,
  shortNames: ['ep'],
  rules: ENDPOINTS_RULES,
});

export const ENDPOINT_SLICES = row<EndpointSlice>({
  group: 'discovery.k8s.io',
  resource: 'endpointslices',
  kind: 'EndpointSlice',
  namespaced: true,
  rules: ENDPOINT_SLICE_RULES,
});

export const POD_TEMPLATES = row<PodTemplate>({
  resource: 'podtemplates',
  kind: 'PodTemplate',
  namespaced: true,
  rules: POD_TEMPLATE_RULES,
});

export const LIMIT_RANGES = row<LimitRange>({
  resource: 'limitranges',
  kind: 'LimitRange',
  namespaced: true,
  shortNames: ['limits'],
  rules: LIMIT_RANGE_RULES,
});

export const RESOURCE_QUOTAS = row<ResourceQuota>({
  resource: 'resourcequotas',
  kind: 'ResourceQuota',
  namespaced: true,
  shortNames: ['quota'],
  subresources: [status('ResourceQuota')],
  rules: RESOURCE_QUOTA_RULES,
});

export const RUNTIME_CLASSES = row<RuntimeClass>({
  group: 'node.k8s.io',
  resource: 'runtimeclasses',
  kind: 'RuntimeClass',
  namespaced: false,
  rules: RUNTIME_CLASS_RULES,
});

export const PRIORITY_CLASSES = row<PriorityClass>({
  group: 'scheduling.k8s.io',
  resource: 'priorityclasses',
  kind: 'PriorityClass',
  namespaced: false,
  shortNames: ['pc'],
  rules: PRIORITY_CLASS_RULES,
});

export const REPLICATION_CONTROLLERS = row<ReplicationController>({
  resource: 'replicationcontrollers',
  kind: 'ReplicationController',
  namespaced: true,
  shortNames: ['rc'],
  categories: ['all'],
  subresources: [SCALE, status('ReplicationController')],
  rules: REPLICATION_CONTROLLER_RULES,
});

export const PERSISTENT_VOLUME_CLAIMS = row<PersistentVolumeClaim>({
  resource: 'persistentvolumeclaims',
  kind: 'PersistentVolumeClaim',
  namespaced: true,
  shortNames: ['pvc'],
  subresources: [status('PersistentVolumeClaim')],
  rules: PERSISTENT_VOLUME_CLAIM_RULES,
});

export const PERSISTENT_VOLUMES = row<PersistentVolume>({
  resource: 'persistentvolumes',
  kind: 'PersistentVolume',
  namespaced: false,
  shortNames: ['pv'],
  subresources: [status('PersistentVolume')],
  rules: PERSISTENT_VOLUME_RULES,
});

export const DEPLOYMENTS = row<Deployment>({
  group: 'apps',
  resource: 'deployments',
  kind: 'Deployment',
  namespaced: true,
  shortNames: ['deploy'],
  categories: ['all'],
  subresources: [SCALE, status('Deployment')],
  rules: DEPLOYMENT_RULES,
});

export const REPLICA_SETS = row<ReplicaSet>({
  group: 'apps',
  resource: 'replicasets',
  kind: 'ReplicaSet',
  namespaced: true,
  shortNames: ['rs'],
  categories: ['all'],
  subresources: [SCALE, status('ReplicaSet')],
  rules: REPLICA_SET_RULES,
});

export const STATEFUL_SETS = row<StatefulSet>({
  group: 'apps',
  resource: 'statefulsets',
  kind: 'StatefulSet',
  namespaced: true,
  shortNames: ['sts'],
  categories: ['all'],
  subresources: [SCALE, status('StatefulSet')],
  rules: STATEFUL_SET_RULES,
});

export const DAEMON_SETS = row<DaemonSet>({
  group: 'apps',
  resource: 'daemonsets',
  kind: 'DaemonSet',
  namespaced: true,
  shortNames: ['ds'],
  categories: ['all'],
  subresources: [status('DaemonSet')],
  rules: DAEMON_SET_RULES,
});

export const CONTROLLER_REVISIONS = row<ControllerRevision>({
  group: 'apps',
  resource: 'controllerrevisions',
  kind: 'ControllerRevision',
  namespaced: true,
  rules: CONTROLLER_REVISION_RULES,
});

export const JOBS = row<Job>({
  group: 'batch',
  resource: 'jobs',
  kind: 'Job',
  namespaced: true,
  categories: ['all'],
  subresources: [status('Job')],
  rules: JOB_RULES,
});

export const CRON_JOBS = row<CronJob>({
  group: 'batch',
  resource: 'cronjobs',
  kind: 'CronJob',
  namespaced: true,
  shortNames: ['cj'],
  categories: ['all'],
  subresources: [status('CronJob')],
  rules: CRON_JOB_RULES,
});

export const POD_DISRUPTION_BUDGETS = row<PodDisruptionBudget>({
  group: 'policy',
  resource: 'poddisruptionbudgets',
  kind: 'PodDisruptionBudget',
  namespaced: true,
  shortNames: ['pdb'],
  subresources: [status('PodDisruptionBudget')],
  rules: POD_DISRUPTION_BUDGET_RULES,
});

export const CERTIFICATE_SIGNING_REQUESTS = row<CertificateSigningRequest>({
  group: 'certificates.k8s.io',
  resource: 'certificatesigningrequests',
  kind: 'CertificateSigningRequest',
  namespaced: false,
  shortNames: ['csr'],
  subresources: [
    { name: 'approval', kind: 'CertificateSigningRequest', verbs: CHANGE_VERBS },
    status('CertificateSigningRequest'),
  ],
  rules: CERTIFICATE_SIGNING_REQUEST_RULES,
});

const STORAGE_GROUP = 'storage.k8s.io';
const RBAC_GROUP = 'rbac.authorization.k8s.io';

export const CLUSTER_ROLES = row<ClusterRole>({
  group: RBAC_GROUP,
  resource: 'clusterroles',
  kind: 'ClusterRole',
  namespaced: false,
  rules: CLUSTER_ROLE_RULES,
});

export const CLUSTER_ROLE_BINDINGS = row<ClusterRoleBinding>({
  group: RBAC_GROUP,
  resource: 'clusterrolebindings',
  kind: 'ClusterRoleBinding',
  namespaced: false,
  rules: CLUSTER_ROLE_BINDING_RULES,
});

export const ROLES = row<Role>({
  group: RBAC_GROUP,
  resource: 'roles',
  kind: 'Role',
  namespaced: true,
  rules: ROLE_RULES,
});

export const ROLE_BINDINGS = row<RoleBinding>({
  group: RBAC_GROUP,
  resource: 'rolebindings',
  kind: 'RoleBinding',
  namespaced: true,
  rules: ROLE_BINDING_RULES,
});

export const STORAGE_CLASSES = row<StorageClass>({
  group: STORAGE_GROUP,
  resource: 'storageclasses',
  kind: 'StorageClass',
  namespaced: false,
  shortNames: ['sc'],
  rules: STORAGE_CLASS_RULES,
});

const NETWORKING_GROUP = 'networking.k8s.io';

export const INGRESSES = row<Ingress>({
  group: NETWORKING_GROUP,
  resource: 'ingresses',
  kind: 'Ingress',
  namespaced: true,
  shortNames: ['ing'],
  subresources: [status('Ingress')],
  rules: INGRESS_RULES,
});

export const INGRESS_CLASSES = row<IngressClass>({
  group: NETWORKING_GROUP,
  resource: 'ingressclasses',
  kind: 'IngressClass',
  namespaced: false,
  rules: INGRESS_CLASS_RULES,
});

export const NETWORK_POLICIES = row<NetworkPolicy>({
  group: NETWORKING_GROUP,
  resource: 'networkpolicies',
  kind: 'NetworkPolicy',
  namespaced: true,
  shortNames: ['netpol'],
  rules: NETWORK_POLICY_RULES,
});

/** The ranges from which services get their addresses. */
export const SERVICE_CIDRS = row<ServiceCIDR>({
  group: NETWORKING_GROUP,
  resource: 'servicecidrs',
  kind: 'ServiceCIDR',
  namespaced: false,
  subresources: [status('ServiceCIDR')],
  rules: SERVICE_CIDR_RULES,
});

/** An address that is given to somebody; its name is the address. */
export const IP_ADDRESSES = row<IPAddress>({
  group: NETWORKING_GROUP,
  resource: 'ipaddresses',
  kind: 'IPAddress',
  namespaced: false,
  shortNames: ['ip'],
  rules: IP_ADDRESS_RULES,
});

/** A question that is answered at once and never stored. */
function question<T extends KubeObject>(group: string, kind: string, namespaced = false): ResourceRow<T> {
  return row<T>({ group, kind, resource: `${kind.toLowerCase()}s`, namespaced, verbs: ['create'] });
}

export const TOKEN_REVIEWS = question<TokenReview>('authentication.k8s.io', 'TokenReview');
export const SELF_SUBJECT_REVIEWS = question<SelfSubjectReview>('authentication.k8s.io', 'SelfSubjectReview');
export const SUBJECT_ACCESS_REVIEWS = question<SubjectAccessReview>('authorization.k8s.io', 'SubjectAccessReview');
export const SELF_SUBJECT_ACCESS_REVIEWS = question<SelfSubjectAccessReview>(
  'authorization.k8s.io',
  'SelfSubjectAccessReview',
);
export const SELF_SUBJECT_RULES_REVIEWS = question<SelfSubjectRulesReview>(
  'authorization.k8s.io',
  'SelfSubjectRulesReview',
);
export const LOCAL_SUBJECT_ACCESS_REVIEWS = question<LocalSubjectAccessReview>(
  'authorization.k8s.io',
  'LocalSubjectAccessReview',
  true,
);

export const BINDINGS = row<Binding>({
  resource: 'bindings',
  kind: 'Binding',
  namespaced: true,
  verbs: ['create'],
  rules: BINDING_RULES,
});

/** A kind of ours: served by its definition (`own-definitions/`), as `HEALING_POLICIES` is. */
export const POD_RESTARTS = row<PodRestart>({
  group: MENDLET_GROUP,
  version: MENDLET_VERSION,
  resource: 'podrestarts',
  kind: 'PodRestart',
  namespaced: true,
  shortNames: ['pr'],
  subresources: [status('PodRestart')],
});

export const CUSTOM_RESOURCE_DEFINITIONS = row<CustomResourceDefinition>({
  group: 'apiextensions.k8s.io',
  resource: 'customresourcedefinitions',
  kind: 'CustomResourceDefinition',
  namespaced: false,
  shortNames: ['crd', 'crds'],
  categories: ['api-extensions'],
  subresources: [status('CustomResourceDefinition')],
  rules: CUSTOM_RESOURCE_DEFINITION_RULES,
});

export const HEALING_POLICIES = row<HealingPolicy>({
  group: MENDLET_GROUP,
  version: MENDLET_VERSION,
  resource: 'healingpolicies',
  kind: 'HealingPolicy',
  namespaced: true,
  singular: 'healingpolicy',
  shortNames: ['hp'],
  subresources: [status('HealingPolicy')],
});

export const NOTIFICATIONS = row<Notification>({
  group: MENDLET_GROUP,
  version: NOTIFICATION_VERSION,
  resource: 'notifications',
  kind: 'Notification',
  namespaced: true,
  shortNames: ['notif'],
  subresources: [status('Notification')],
});

export const CLUSTER_NOTIFICATIONS = row<ClusterNotification>({
  group: MENDLET_GROUP,
  version: NOTIFICATION_VERSION,
  resource: 'clusternotifications',
  kind: 'ClusterNotification',
  namespaced: false,
  shortNames: ['cnotif'],
  subresources: [status('ClusterNotification')],
});

/** Whether the parts of the control plane are well, as upstream shows it: read, and never stored. */
export const COMPONENT_STATUSES = row<ComponentStatus>({
  resource: 'componentstatuses',
  kind: 'ComponentStatus',
  namespaced: false,
  shortNames: ['cs'],
  verbs: ['get', 'list'],
  rules: { deprecation: 'v1 ComponentStatus is deprecated in v1.19+' },
});

const AUTOSCALER = {
  group: 'autoscaling',
  resource: 'horizontalpodautoscalers',
  kind: 'HorizontalPodAutoscaler',
  namespaced: true,
  shortNames: ['hpa'],
  categories: ['all'],
  subresources: [status('HorizontalPodAutoscaler')],
};

export const HORIZONTAL_POD_AUTOSCALERS = row<HorizontalPodAutoscaler>({
  ...AUTOSCALER,
  version: 'v2',
  rules: HORIZONTAL_POD_AUTOSCALER_RULES,
});

/** The same stored objects, in their first form. */
export const HORIZONTAL_POD_AUTOSCALERS_V1 = row<AutoscalingHorizontalPodAutoscaler>({
  ...AUTOSCALER,
  rules: HORIZONTAL_POD_AUTOSCALER_V1_RULES,
});

export const CSI_DRIVERS = row<CSIDriver>({
  group: STORAGE_GROUP,
  resource: 'csidrivers',
  kind: 'CSIDriver',
  namespaced: false,
  rules: CSI_DRIVER_RULES,
});

export const CSI_NODES = row<CSINode>({
  group: STORAGE_GROUP,
  resource: 'csinodes',
  kind: 'CSINode',
  namespaced: false,
  rules: CSI_NODE_RULES,
});

export const CSI_STORAGE_CAPACITIES = row<CSIStorageCapacity>({
  group: STORAGE_GROUP,
  resource: 'csistoragecapacities',
  kind: 'CSIStorageCapacity',
  namespaced: true,
  rules: CSI_STORAGE_CAPACITY_RULES,
});

export const VOLUME_ATTACHMENTS = row<VolumeAttachment>({
  group: STORAGE_GROUP,
  resource: 'volumeattachments',
  kind: 'VolumeAttachment',
  namespaced: false,
  subresources: [status('VolumeAttachment')],
  rules: VOLUME_ATTACHMENT_RULES,
});

export const VOLUME_ATTRIBUTES_CLASSES = row<VolumeAttributesClass>({
  group: STORAGE_GROUP,
  resource: 'volumeattributesclasses',
  kind: 'VolumeAttributesClass',
  namespaced: false,
  shortNames: ['vac'],
  rules: VOLUME_ATTRIBUTES_CLASS_RULES,
});

const FLOW_GROUP = 'flowcontrol.apiserver.k8s.io';

export const FLOW_SCHEMAS = row<FlowSchema>({
  group: FLOW_GROUP,
  resource: 'flowschemas',
  kind: 'FlowSchema',
  namespaced: false,
  subresources: [status('FlowSchema')],
  rules: FLOW_SCHEMA_RULES,
});

export const PRIORITY_LEVELS = row<PriorityLevelConfiguration>({
  group: FLOW_GROUP,
  resource: 'prioritylevelconfigurations',
  kind: 'PriorityLevelConfiguration',
  namespaced: false,
  subresources: [status('PriorityLevelConfiguration')],
  rules: PRIORITY_LEVEL_RULES,
});

const DEVICE_GROUP = 'resource.k8s.io';

export const DEVICE_CLASSES = row<DeviceClass>({
  group: DEVICE_GROUP,
  resource: 'deviceclasses',
  kind: 'DeviceClass',
  namespaced: false,
  rules: DEVICE_CLASS_RULES,
});

export const RESOURCE_CLAIMS = row<ResourceResourceClaim>({
  group: DEVICE_GROUP,
  resource: 'resourceclaims',
  kind: 'ResourceClaim',
  namespaced: true,
  subresources: [status('ResourceClaim')],
  rules: RESOURCE_CLAIM_RULES,
});

export const RESOURCE_CLAIM_TEMPLATES = row<ResourceClaimTemplate>({
  group: DEVICE_GROUP,
  resource: 'resourceclaimtemplates',
  kind: 'ResourceClaimTemplate',
  namespaced: true,
  rules: RESOURCE_CLAIM_TEMPLATE_RULES,
});

export const RESOURCE_SLICES = row<ResourceSlice>({
  group: DEVICE_GROUP,
  resource: 'resourceslices',
  kind: 'ResourceSlice',
  namespaced: false,
  rules: RESOURCE_SLICE_RULES,
});

/** Every resource that is built in. */
export const RESOURCES: readonly ResourceRow[] = [
  BINDINGS,
  COMPONENT_STATUSES,
  CONFIG_MAPS,
  ENDPOINTS,
  EVENTS,
  LIMIT_RANGES,
  NAMESPACES,
  NODES,
  PERSISTENT_VOLUME_CLAIMS,
  PERSISTENT_VOLUMES,
  PODS,
  POD_TEMPLATES,
  REPLICATION_CONTROLLERS,
  RESOURCE_QUOTAS,
  SECRETS,
  SERVICE_ACCOUNTS,
  SERVICES,
  CONTROLLER_REVISIONS,
  DAEMON_SETS,
  DEPLOYMENTS,
  REPLICA_SETS,
  STATEFUL_SETS,
  HORIZONTAL_POD_AUTOSCALERS,
  HORIZONTAL_POD_AUTOSCALERS_V1,
  CRON_JOBS,
  JOBS,
  CERTIFICATE_SIGNING_REQUESTS,
  LEASES,
  ENDPOINT_SLICES,
  EVENTS_EVENTS,
  FLOW_SCHEMAS,
  PRIORITY_LEVELS,
  INGRESS_CLASSES,
  INGRESSES,
  IP_ADDRESSES,
  NETWORK_POLICIES,
  SERVICE_CIDRS,
  RUNTIME_CLASSES,
  POD_DISRUPTION_BUDGETS,
  CLUSTER_ROLE_BINDINGS,
  CLUSTER_ROLES,
  ROLE_BINDINGS,
  ROLES,
  DEVICE_CLASSES,
  RESOURCE_CLAIMS,
  RESOURCE_CLAIM_TEMPLATES,
  RESOURCE_SLICES,
  PRIORITY_CLASSES,
  CSI_DRIVERS,
  CSI_NODES,
  CSI_STORAGE_CAPACITIES,
  STORAGE_CLASSES,
  VOLUME_ATTACHMENTS,
  VOLUME_ATTRIBUTES_CLASSES,
  TOKEN_REVIEWS,
  SELF_SUBJECT_REVIEWS,
  SUBJECT_ACCESS_REVIEWS,
  SELF_SUBJECT_ACCESS_REVIEWS,
  SELF_SUBJECT_RULES_REVIEWS,
  LOCAL_SUBJECT_ACCESS_REVIEWS,
  CUSTOM_RESOURCE_DEFINITIONS,
];

/** The row of a path, `undefined` when it isn't served. */
export function findResource(group: string, version: string, resource: string): ResourceRow | undefined {
  return RESOURCES.find((entry) => entry.group === group && entry.version === version && entry.resource === resource);
}

/** The row of a kind, `undefined` when it isn't served. */
export function findKind(group: string, version: string, kind: string): ResourceRow | undefined {
  return RESOURCES.find((entry) => entry.group === group && entry.version === version && entry.kind === kind);
}
