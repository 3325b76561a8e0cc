/** The rules of the kinds of the core group that hold no pods to make, and of events and leases. */
import type { Event, EventsEvent, Lease, Namespace, Node, ResourceQuota, Secret } from '../types.gen.ts';
import { kindRules } from '../kind-rules.ts';
import { encodeBase64 } from '../defaulting/base64.ts';
import { defaultLimitRange } from '../defaulting/limit-range.ts';
import { defaultEndpoints, defaultEndpointSlice, defaultService } from '../defaulting/service.ts';
import { METADATA_FIELDS, readField, unsetIsFalse } from '../selectable-fields.ts';
import {
  validateConfigMap,
  validateConfigMapUpdate,
  validateSecret,
  validateSecretUpdate,
} from '../validation/config.ts';
import {
  validateEndpoints,
  validateEndpointSlice,
  validateEndpointSliceUpdate,
  validateEndpointsUpdate,
} from '../validation/endpoints.ts';
import {
  validateLimitRange,
  validateLimitRangeUpdate,
  validateResourceQuota,
  validateResourceQuotaStatus,
  validateResourceQuotaUpdate,
} from '../validation/limit-kinds.ts';
import {
  validateNamespace,
  validateNamespaceFinalize,
  validateNamespaceStatus,
  validateNamespaceUpdate,
} from '../validation/namespace.ts';
import { validateNode, validateNodeUpdate } from '../validation/node.ts';
import { validateService, validateServiceStatus, validateServiceUpdate } from '../validation/service.ts';
import {
  validateBinding,
  validateEvent,
  validateEventsEvent,
  validateEventsEventUpdate,
  validateEventUpdate,
  validateLease,
  validateLeaseUpdate,
  validateServiceAccount,
  validateServiceAccountUpdate,
} from '../validation/small-kinds.ts';
import { serviceWarnings } from '../warnings/service.ts';

export const NODE_RULES = kindRules<Node>({
  create: validateNode,
  update: validateNodeUpdate,
  setDefaults: defaultNode,
  selectable: ['metadata.name', unsetIsFalse('spec.unschedulable')],
});

export const NAMESPACE_RULES = kindRules<Namespace>({
  create: validateNamespace,
  update: validateNamespaceUpdate,
  parts: { status: validateNamespaceStatus, finalize: validateNamespaceFinalize },
  setDefaults: defaultNamespace,
  selectable: ['metadata.name', 'status.phase'],
});

export const CONFIG_MAP_RULES = kindRules({ create: validateConfigMap, update: validateConfigMapUpdate });

export const SECRET_RULES = kindRules<Secret>({
  create: validateSecret,
  update: validateSecretUpdate,
  setDefaults: defaultSecret,
  selectable: [...METADATA_FIELDS, 'type'],
});

export const SERVICE_ACCOUNT_RULES = kindRules({
  create: validateServiceAccount,
  update: validateServiceAccountUpdate,
});

export const EVENT_RULES = kindRules<Event>({
  create: validateEvent,
  update: validateEventUpdate,
  setDefaults: defaultEvent,
  selectable: [
    ...METADATA_FIELDS,
    'involvedObject.kind',
    'involvedObject.namespace',
    'involvedObject.name',
    'involvedObject.uid',
    'involvedObject.apiVersion',
    'involvedObject.resourceVersion',
    'involvedObject.fieldPath',
    'reason',
    'reportingComponent',
    // The old and the new field for the reporter of an event.
    {
      name: 'source',
      matches: (event, value) =>
        (readField(event, 'source.component') || readField(event, 'reportingComponent') || '') === value,
    },
    'type',
  ],
});

export const EVENTS_EVENT_RULES = kindRules<EventsEvent>({
  create: validateEventsEvent,
  update: validateEventsEventUpdate,
  selectable: [
    ...METADATA_FIELDS,
    'regarding.kind',
    'regarding.namespace',
    'regarding.name',
    'regarding.uid',
    'regarding.apiVersion',
    'regarding.resourceVersion',
    'regarding.fieldPath',
    'reason',
    'reportingController',
    'type',
  ],
});

export const LEASE_RULES = kindRules<Lease>({
  create: validateLease,
  update: validateLeaseUpdate,
  // Coordinated leader election is behind a gate that is closed.
  setDefaults: ({ spec }) => {
    delete spec?.strategy;
    delete spec?.preferredHolder;
  },
});

export const SERVICE_RULES = kindRules({
  create: validateService,
  update: validateServiceUpdate,
  parts: { status: validateServiceStatus },
  setDefaults: defaultService,
  selectable: [...METADATA_FIELDS, 'spec.clusterIP', 'spec.type'],
  warnings: serviceWarnings,
});

export const ENDPOINTS_RULES = kindRules({
  create: validateEndpoints,
  update: validateEndpointsUpdate,
  setDefaults: defaultEndpoints,
  deprecation: 'v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice',
});

export const ENDPOINT_SLICE_RULES = kindRules({
  create: validateEndpointSlice,
  update: validateEndpointSliceUpdate,
  setDefaults: defaultEndpointSlice,
});

export const LIMIT_RANGE_RULES = kindRules({
  create: validateLimitRange,
  update: validateLimitRangeUpdate,
  setDefaults: defaultLimitRange,
});

export const RESOURCE_QUOTA_RULES = kindRules<ResourceQuota>({
  create: validateResourceQuota,
  update: validateResourceQuotaUpdate,
  parts: { status: validateResourceQuotaStatus },
  setDefaults: (quota) => {
    quota.spec ??= {};
    quota.status ??= {};
  },
});

export const BINDING_RULES = kindRules({ create: validateBinding, update: validateBinding });

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

function defaultEvent(event: Event): void {
  event.source ??= {};
  event.reportingComponent ??= '';
  event.reportingInstance ??= '';
}
