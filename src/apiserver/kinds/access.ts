/** The registrations for access: roles, their bindings, and certificate requests. */
import {
  CERTIFICATE_SIGNING_REQUESTS,
  CLUSTER_ROLE_BINDINGS,
  CLUSTER_ROLES,
  ROLE_BINDINGS,
  ROLES,
} from '../../api/index.ts';
import { bindingTable, certificateRequestTable } from '../tables/access.ts';
import { partHandlers } from '../verbs/part-handlers.ts';
import { defaultTable } from '../tables/table.ts';
import { certificateRequestStrategy } from '../registry/certificates.ts';
import type { StoredKind } from '../call.ts';

export const ACCESS_REGISTRATIONS: readonly StoredKind[] = [
  { row: CLUSTER_ROLES, keyPrefix: '/registry/clusterroles/', table: defaultTable, strategy: {} },
  { row: CLUSTER_ROLE_BINDINGS, keyPrefix: '/registry/clusterrolebindings/', table: bindingTable, strategy: {} },
  { row: ROLES, keyPrefix: '/registry/roles/', table: defaultTable, strategy: {} },
  { row: ROLE_BINDINGS, keyPrefix: '/registry/rolebindings/', table: bindingTable, strategy: {} },
  {
    row: CERTIFICATE_SIGNING_REQUESTS,
    keyPrefix: '/registry/certificatesigningrequests/',
    table: certificateRequestTable,
    strategy: certificateRequestStrategy,
    parts: { approval: partHandlers('approval') },
  },
];
