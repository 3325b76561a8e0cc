/**
 * Checks that the writer of a role or of a binding holds the rights that it grants (upstream: the policybased storages of
 * registry/rbac).
 */
import {
  type ClusterRole,
  forbidden,
  notFound,
  type PolicyRule,
  CLUSTER_ROLES,
  type RoleBinding,
  ROLES,
  type RoleRef,
} from '../../api/index.ts';
import { sameValue } from '../registry/object-meta.ts';
import { type ApiObject, omit, withMeta } from '../registry/object.ts';
import type { Call } from '../call.ts';
import { readCurrent } from '../registry/read-current.ts';
import { resourceAccess } from './access-request.ts';
import { MASTERS } from './authorizer.ts';
import { problemOfGrant } from './escalation.ts';

const RBAC_GROUP = 'rbac.authorization.k8s.io';
const EVERYTHING: readonly PolicyRule[] = [
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
  { verbs: ['*'], nonResourceURLs: ['*'] },
];

/** Throws 403 when the writer would grant more than he may; `old`: undefined for a new object. */
export async function restrictRoles(call: Call, object: ApiObject, old: ApiObject | undefined): Promise<void> {
  const { row } = call.registration;
  if (row.group !== RBAC_GROUP || call.user.groups.includes(MASTERS)) return;
  if (old !== undefined && sameGrant(object, old)) return;
  await call.server.authorizer.fresh?.();
  if (row.resource === 'roles' || row.resource === 'clusterroles') return restrictRole(call, object, old);
  return restrictBinding(call, object as unknown as RoleBinding);
}

function restrictRole(call: Call, object: ApiObject, old: ApiObject | undefined): void {
  const { server, registration, user, info } = call;
  const { resource } = registration.row;
  const namespace = object.metadata.namespace ?? '';
  const name = object.metadata.name ?? '';
  const escalate = resourceAccess({ verb: 'escalate', group: RBAC_GROUP, resource, namespace, name: info.name ?? '' });
  if (server.authorizer.authorize(user, escalate).allowed) return;
  const { rules } = object as ClusterRole;
  const problem = problemFor(call, namespace, rules ?? []);
  if (problem !== undefined) throw forbidden(registration.row, name, problem);
  // The roles that it will aggregate later cannot be checked today.
  if (!aggregates(object) && !(old !== undefined && aggregates(old))) return;
  if (problemFor(call, '', EVERYTHING) !== undefined) {
    throw forbidden(registration.row, name, 'must have cluster-admin privileges to use the aggregationRule');
  }
}

function aggregates(object: ApiObject): boolean {
  return ((object as ClusterRole).aggregationRule?.clusterRoleSelectors ?? []).length > 0;
}

async function restrictBinding(call: Call, binding: RoleBinding): Promise<void> {
  const { server, registration, user } = call;
  const { metadata, roleRef } = binding;
  const namespace = metadata?.namespace ?? '';
  const resource = roleRef.kind === 'Role' ? 'roles' : 'clusterroles';
  const bind = resourceAccess({ verb: 'bind', group: RBAC_GROUP, resource, namespace, name: roleRef.name });
  if (server.authorizer.authorize(user, bind).allowed) return;
  const problem = problemFor(call, namespace, await rulesOf(call, roleRef, namespace));
  if (problem !== undefined) throw forbidden(registration.row, metadata?.name ?? '', problem);
}

async function rulesOf({ server }: Call, { kind, name }: RoleRef, namespace: string): Promise<readonly PolicyRule[]> {
  const row = kind === 'Role' ? ROLES : CLUSTER_ROLES;
  const role = await readCurrent(server, row.resource, row.namespaced ? namespace : undefined, name, RBAC_GROUP);
  if (role === undefined) throw notFound(row, name);
  return (role as ClusterRole).rules ?? [];
}

function problemFor({ server, user }: Call, namespace: string, wanted: readonly PolicyRule[]): string | undefined {
  const { rules, problem } = server.authorizer.rulesFor(user, namespace);
  return problemOfGrant(user, rules, wanted, problem);
}

/** Owners and finalizers alone changed: the garbage collector may do that. */
function sameGrant(object: ApiObject, old: ApiObject): boolean {
  const plain = (value: ApiObject): object => {
    const metadata = omit(value.metadata, 'ownerReferences', 'finalizers', 'resourceVersion', 'managedFields');
    return withMeta({ ...value, metadata: {} }, metadata);
  };
  return sameValue(plain(object), plain(old));
}
