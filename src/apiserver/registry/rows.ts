/** The registry's table: every resource that objects are stored of. A new resource is a row in `api` and one here. */
import {
  CONFIG_MAPS,
  EVENTS,
  EVENTS_EVENTS,
  LEASES,
  NAMESPACES,
  NODES,
  PODS,
  type ResourceRow,
  SECRETS,
  SERVICE_ACCOUNTS,
} from '../../api/index.ts';
import { eventTable } from '../tables/events.ts';
import { nodeTable } from '../tables/nodes.ts';
import { podTable } from '../tables/pods.ts';
import { configMapTable, leaseTable, namespaceTable, secretTable, serviceAccountTable } from '../tables/small.ts';
import { eventsForm } from './events-form.ts';
import { namespaceStrategy } from './namespaces.ts';
import { podStrategy } from './pods.ts';
import type { Registration } from './registration.ts';

const events = { keyPrefix: '/registry/events/', table: eventTable, strategy: { createOnUpdate: true }, expires: true };

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
