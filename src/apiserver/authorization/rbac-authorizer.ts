/** Role-based access control: only bindings grant rights (upstream: RBACAuthorizer). */
import type { PolicyRule } from '../../api/index.ts';
import type { UserInfo } from '../../lib/index.ts';
import type { AccessRequest } from './access-request.ts';
import { type Decision, noOpinion } from './authorizer.ts';
import { type Grant, type RbacIndex, subjectFor } from './rbac-index.ts';
import { rulesAllow } from './rules.ts';

/** Whether a binding allows it; the reason names the binding, or missing roles that bindings name. */
export function authorizeByRoles(index: RbacIndex, user: UserInfo, request: AccessRequest): Decision {
  const namespace = request.kind === 'path' ? '' : request.namespace;
  const missing: string[] = [];
  for (const grant of index.grantsFor(user, namespace)) {
    const rules = index.rulesOf(grant.roleRef, grant.namespace);
    if (rules === undefined) missing.push(missingRole(grant));
    else if (rulesAllow(rules, request)) return { allowed: true, reason: `RBAC: allowed by ${describe(grant, user)}` };
  }
  return missing.length === 0 ? noOpinion : { allowed: false, reason: `RBAC: ${aggregate(missing)}` };
}

/** All that bindings grant to a user in a namespace ("": in the whole cluster), and what is wrong with them. */
export function rulesByRoles(
  index: RbacIndex,
  user: UserInfo,
  namespace: string,
): { readonly rules: readonly PolicyRule[]; readonly problem: string | undefined } {
  const rules: PolicyRule[] = [];
  const missing: string[] = [];
  for (const grant of index.grantsFor(user, namespace)) {
    const found = index.rulesOf(grant.roleRef, grant.namespace);
    if (found === undefined) missing.push(missingRole(grant));
    else rules.push(...found);
  }
  return { rules, problem: missing.length === 0 ? undefined : aggregate(missing) };
}

function missingRole({ roleRef }: Grant): string {
  const resource = roleRef.kind === 'Role' ? 'role' : 'clusterrole';
  return `${resource}.rbac.authorization.k8s.io ${JSON.stringify(roleRef.name)} not found`;
}

/** Several errors as upstream prints them: without repeats, in brackets. */
function aggregate(errors: readonly string[]): string {
  const texts = [...new Set(errors)];
  return texts.length === 1 ? (texts[0] ?? '') : `[${texts.join(', ')}]`;
}

function describe(grant: Grant, user: UserInfo): string {
  const { kind, name, namespace, roleRef } = grant;
  const subject = subjectFor(grant, user);
  const place = subject?.kind === 'ServiceAccount' ? `/${subject.namespace || namespace}` : '';
  const full = kind === 'RoleBinding' ? `${name}/${namespace}` : name;
  return (
    `${kind} ${JSON.stringify(full)} of ${roleRef.kind} ${JSON.stringify(roleRef.name)} to ` +
    `${subject?.kind} ${JSON.stringify(`${subject?.name}${place}`)}`
  );
}
