/**
 * What nodes of our clusters may do beyond upstream's rights: see each other, to know the way to each other's pods, and take
 * themselves out (NodeRestriction sees to it that it is nobody else).
 */
import {
  type ClusterRole,
  type ClusterRoleBinding,
  CLUSTER_ROLE_BINDINGS,
  CLUSTER_ROLES,
  isAlreadyExists,
} from '../../api/index.ts';
import type { KubeClient } from '../../client/index.ts';

const NAME = 'mendlet:nodes';
const RBAC = 'rbac.authorization.k8s.io';

/** Made once: who changes or removes the rules has his reasons. */
export async function ensureNodeRights(client: KubeClient): Promise<void> {
  const role: ClusterRole = {
    apiVersion: `${RBAC}/v1`,
    kind: 'ClusterRole',
    metadata: { name: NAME },
    rules: [{ apiGroups: [''], resources: ['nodes'], verbs: ['get', 'list', 'watch', 'delete'] }],
  };
  const binding: ClusterRoleBinding = {
    apiVersion: `${RBAC}/v1`,
    kind: 'ClusterRoleBinding',
    metadata: { name: NAME },
    roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: NAME },
    subjects: [{ apiGroup: RBAC, kind: 'Group', name: 'system:nodes' }],
  };
  await client.create(CLUSTER_ROLES, role).catch(unlessThere);
  await client.create(CLUSTER_ROLE_BINDINGS, binding).catch(unlessThere);
}

function unlessThere(error: unknown): void {
  if (!isAlreadyExists(error)) throw error;
}
