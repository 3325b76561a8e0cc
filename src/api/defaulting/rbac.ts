/** Defaults of bindings (upstream: pkg/apis/rbac/v1 `SetDefaults_RoleBinding` and its siblings). They fill a draft in place. */
import type { RoleBinding } from '../types.gen.ts';

const RBAC_GROUP = 'rbac.authorization.k8s.io';

export function defaultRoleBinding(binding: RoleBinding): void {
  // A binding without a role is refused later, by its own words.
  if (binding.roleRef !== undefined) binding.roleRef.apiGroup ||= RBAC_GROUP;
  for (const subject of binding.subjects ?? []) {
    if (subject.kind === 'User' || subject.kind === 'Group') subject.apiGroup ||= RBAC_GROUP;
  }
}
