/** The registry's table: every resource that objects are stored of. A new resource is a row in `api` and one here. */
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
  type ResourceRow,
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
import { ACCESS_REGISTRATIONS } from './access.ts';
import { BATCH_REGISTRATIONS } from './batch.ts';
import { BUDGET_REGISTRATIONS } from './budgets.ts';
import { eventsForm } from './events-form.ts';
import { namespaceStrategy } from './namespaces.ts';
import { HEALING_REGISTRATIONS } from './healing.ts';
import { NETWORKING_REGISTRATIONS } from './networking.ts';
import { podStrategy } from './pods.ts';
import { limitRangeStrategy, priorityClassStrategy, quotaStrategy } from './policies.ts';
import type { Registration, Strategy } from './registration.ts';
import { REPLICATED_REGISTRATIONS } from './replicated.ts';
import { serviceStrategy } from './services.ts';
import { STATEFUL_REGISTRATIONS } from './stateful.ts';

const eventStrategy: Strategy = { createOnUpdate: true, dependentsByDefault: 'unsupported' };
const events = { keyPrefix: '/registry/events/', table: eventTable, strategy: eventStrategy, expires: true };

/** Keys are upstream's, nodes under their old name included. */
export const REGISTRATIONS: readonly Registration[] = [
  { row: PODS, keyPrefix: '/registry/pods/', table: podTable, strategy: podStrategy },
  { row: NODES, keyPrefix: '/registry/minions/', table: nodeTable, strategy: {} },
  { row: NAMESPACES, keyPrefix: '/registry/namespaces/', table: namespaceTable, strategy: namespaceStrategy },
  { row: EVENTS, ...events },
  { row: EVENTS_EVENTS, ...events, form: eventsForm },
  { row: CONFIG_MAPS, keyPrefix: '/registry/configmaps/', table: configMapTable, strategy: {} },
  { row: SECRETS, keyPrefix: '/registry/secrets/', table: secretTable, strategy: {} },
  {
    row: SERVICE_ACCOUNTS,
    keyPrefix: '/registry/serviceaccounts/',
    table: serviceAccountTable,
    strategy: { returnsDeleted: true },
  },
  {
    row: LEASES,
    keyPrefix: '/registry/leases/',
    table: leaseTable,
    strategy: { createOnUpdate: true, needsResourceVersion: true },
  },
  { row: SERVICES, keyPrefix: '/registry/services/specs/', table: serviceTable, strategy: serviceStrategy },
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
  },
  { row: RUNTIME_CLASSES, keyPrefix: '/registry/runtimeclasses/', table: runtimeClassTable, strategy: {} },
  {
    row: PRIORITY_CLASSES,
    keyPrefix: '/registry/priorityclasses/',
    table: priorityClassTable,
    strategy: priorityClassStrategy,
  },
  ...REPLICATED_REGISTRATIONS,
  ...STATEFUL_REGISTRATIONS,
  ...BATCH_REGISTRATIONS,
  ...BUDGET_REGISTRATIONS,
  ...ACCESS_REGISTRATIONS,
  ...NETWORKING_REGISTRATIONS,
  ...HEALING_REGISTRATIONS,
];

/** The row of a path; undefined when objects of it are not stored. */
export function findRegistration(group: string, version: string, resource: string): Registration | undefined {
  return REGISTRATIONS.find(({ row }) => sameResource(row, { group, version, resource }));
}

function sameResource(
  row: ResourceRow,
  other: { readonly group: string; readonly version: string; readonly resource: string },
): boolean {
  return row.group === other.group && row.version === other.version && row.resource === other.resource;
}
