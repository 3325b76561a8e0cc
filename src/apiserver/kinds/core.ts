/** The registrations of the core group, and of what belongs to it. */
import {
  CONFIG_MAPS,
  ENDPOINT_SLICES,
  ENDPOINTS,
  EVENTS,
  EVENTS_EVENTS,
  LEASES,
  LIMIT_RANGES,
  NAMESPACES,
  NODES,
  POD_TEMPLATES,
  PODS,
  PRIORITY_CLASSES,
  RESOURCE_QUOTAS,
  RUNTIME_CLASSES,
  SECRETS,
  SERVICE_ACCOUNTS,
  SERVICES,
} from '../../api/index.ts';
import { eventTable } from '../tables/events.ts';
import { endpointSliceTable, endpointsTable, serviceTable } from '../tables/network.ts';
import { nodeTable } from '../tables/nodes.ts';
import { podTable } from '../tables/pods.ts';
import { podTemplateTable, priorityClassTable, resourceQuotaTable, runtimeClassTable } from '../tables/policy.ts';
import { defaultTable } from '../tables/table.ts';
import { configMapTable, leaseTable, namespaceTable, secretTable, serviceAccountTable } from '../tables/small.ts';
import { eventsForm } from './events-form.ts';
import { namespaceStrategy } from '../registry/namespaces.ts';
import { podStrategy } from '../registry/pods.ts';
import { limitRangeStrategy, priorityClassStrategy, quotaStrategy } from '../registry/policies.ts';
import type { Part, StoredKind } from '../call.ts';
import type { Strategy } from '../registry/registration.ts';
import { byName, podCount, serviceCount } from '../quota/usage.ts';
import { bind } from '../subresources/binding.ts';
import { evict } from '../subresources/eviction.ts';
import { podHistory } from '../subresources/history.ts';
import {
  nodeProxy,
  nodeProxyUpgrade,
  podLog,
  podStreamUpgrade,
  refuseWithoutUpgrade,
} from '../subresources/node-stream.ts';
import { proxyRequest, proxyUpgrade } from '../subresources/proxy.ts';
import { restartPod } from '../subresources/restart.ts';
import { requestToken } from '../subresources/token.ts';
import { partHandlers } from '../verbs/part-handlers.ts';
import { update } from '../verbs/update.ts';
import { serviceStrategy } from '../registry/services.ts';

const PROXY: Part = { verbs: { connect: proxyRequest }, upgrade: proxyUpgrade };
const STREAM: Part = { verbs: { connect: refuseWithoutUpgrade }, upgrade: podStreamUpgrade };

const POD_PARTS: Readonly<Record<string, Part>> = {
  attach: STREAM,
  binding: { verbs: { create: bind } },
  ephemeralcontainers: partHandlers('ephemeralcontainers'),
  eviction: { verbs: { create: evict } },
  exec: STREAM,
  history: { verbs: { get: podHistory } },
  log: { verbs: { get: podLog } },
  portforward: STREAM,
  proxy: PROXY,
  resize: partHandlers('resize'),
  restart: { verbs: { create: restartPod } },
};

const eventStrategy: Strategy = { createOnUpdate: true, dependentsByDefault: 'unsupported' };
const events = {
  keyPrefix: '/registry/events/',
  table: eventTable,
  strategy: eventStrategy,
  expires: true,
  quota: false,
} as const;

/** Keys are upstream's, nodes under their old name included. */
export const CORE_REGISTRATIONS: readonly StoredKind[] = [
  {
    row: PODS,
    keyPrefix: '/registry/pods/',
    table: podTable,
    strategy: podStrategy,
    parts: POD_PARTS,
    quota: podCount,
  },
  {
    row: NODES,
    keyPrefix: '/registry/minions/',
    table: nodeTable,
    strategy: {},
    parts: { proxy: { verbs: { connect: nodeProxy }, upgrade: nodeProxyUpgrade } },
  },
  {
    row: NAMESPACES,
    keyPrefix: '/registry/namespaces/',
    table: namespaceTable,
    strategy: namespaceStrategy,
    parts: { finalize: { verbs: { update: (call) => update(call, 'finalize') } } },
  },
  { row: EVENTS, ...events },
  { row: EVENTS_EVENTS, ...events, form: eventsForm },
  {
    row: CONFIG_MAPS,
    keyPrefix: '/registry/configmaps/',
    table: configMapTable,
    strategy: {},
    quota: byName('configmaps'),
  },
  { row: SECRETS, keyPrefix: '/registry/secrets/', table: secretTable, strategy: {}, quota: byName('secrets') },
  {
    row: SERVICE_ACCOUNTS,
    keyPrefix: '/registry/serviceaccounts/',
    table: serviceAccountTable,
    strategy: { returnsDeleted: true },
    parts: { token: { verbs: { create: requestToken } } },
  },
  {
    row: LEASES,
    keyPrefix: '/registry/leases/',
    table: leaseTable,
    strategy: { createOnUpdate: true, needsResourceVersion: true },
    quota: false,
  },
  {
    row: SERVICES,
    keyPrefix: '/registry/services/specs/',
    table: serviceTable,
    strategy: serviceStrategy,
    quota: serviceCount,
    parts: { proxy: PROXY },
  },
  { row: ENDPOINTS, keyPrefix: '/registry/services/endpoints/', table: endpointsTable, strategy: {} },
  {
    row: ENDPOINT_SLICES,
    keyPrefix: '/registry/endpointslices/',
    table: endpointSliceTable,
    strategy: { hasGeneration: true },
  },
  {
    row: POD_TEMPLATES,
    keyPrefix: '/registry/podtemplates/',
    table: podTemplateTable,
    strategy: { hasGeneration: true, returnsDeleted: true },
  },
  {
    row: LIMIT_RANGES,
    keyPrefix: '/registry/limitranges/',
    table: defaultTable,
    strategy: limitRangeStrategy,
  },
  {
    row: RESOURCE_QUOTAS,
    keyPrefix: '/registry/resourcequotas/',
    table: resourceQuotaTable,
    strategy: quotaStrategy,
    quota: byName('resourcequotas'),
  },
  { row: RUNTIME_CLASSES, keyPrefix: '/registry/runtimeclasses/', table: runtimeClassTable, strategy: {} },
  {
    row: PRIORITY_CLASSES,
    keyPrefix: '/registry/priorityclasses/',
    table: priorityClassTable,
    strategy: priorityClassStrategy,
  },
];
