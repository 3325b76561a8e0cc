/**
 * Computes what the bootstrap policy adds to an object of the same name at each start (upstream: the reconciliation of
 * component-helpers/auth/rbac). It adds what is missing and removes nothing; `autoupdate: "false"` turns it off. Pure.
 */
import type { ClusterRole, KubeObject, PolicyRule, RbacSubject, RoleBinding } from '../../api/index.ts';
import { type ApiObject, withMeta } from '../registry/object.ts';
import { uncovered } from './escalation.ts';
import { AUTOUPDATE } from './policy-rows.ts';

export type PolicyStep =
  | { readonly kind: 'none' }
  | { readonly kind: 'update'; readonly object: ApiObject }
  /** Its roleRef cannot be changed. */
  | { readonly kind: 'replace'; readonly object: ApiObject };

export function reconcilePolicy(found: ApiObject, wanted: KubeObject): PolicyStep {
  if (found.metadata.annotations?.[AUTOUPDATE] === 'false') return { kind: 'none' };
  if (!sameRole(found, wanted)) return { kind: 'replace', object: wanted as ApiObject };
  const metadata = {
    labels: { ...wanted.metadata?.labels, ...found.metadata.labels },
    annotations: { ...wanted.metadata?.annotations, ...found.metadata.annotations },
  };
  const isSameMetadata =
    sizeOf(metadata.labels) === sizeOf(found.metadata.labels) &&
    sizeOf(metadata.annotations) === sizeOf(found.metadata.annotations);
  const changes = 'roleRef' in wanted ? missingSubjects(found, wanted) : missingRules(found, wanted);
  if (isSameMetadata && changes === undefined) return { kind: 'none' };
  return { kind: 'update', object: withMeta({ ...found, ...changes }, metadata) };
}

function sizeOf(record: object = {}): number {
  return Object.keys(record).length;
}

function sameRole(found: ApiObject, wanted: KubeObject): boolean {
  const { roleRef } = wanted as RoleBinding;
  if (roleRef === undefined) return true;
  const { roleRef: there } = found as unknown as RoleBinding;
  return there.kind === roleRef.kind && there.name === roleRef.name;
}

function missingSubjects(found: ApiObject, wanted: KubeObject): Partial<RoleBinding> | undefined {
  const { subjects = [] } = found as unknown as RoleBinding;
  const missing = ((wanted as RoleBinding).subjects ?? []).filter(
    (subject) => !subjects.some((there) => sameSubject(there, subject)),
  );
  return missing.length === 0 ? undefined : { subjects: [...subjects, ...missing] };
}

function sameSubject(one: RbacSubject, other: RbacSubject): boolean {
  return one.kind === other.kind && one.name === other.name && (one.namespace ?? '') === (other.namespace ?? '');
}

/** The rules of a role that gathers are not ours to write. */
function missingRules(found: ApiObject, wanted: KubeObject): Partial<ClusterRole> | undefined {
  const { aggregationRule } = wanted as ClusterRole;
  const there = found as ClusterRole;
  if (aggregationRule !== undefined) {
    const known = there.aggregationRule?.clusterRoleSelectors ?? [];
    const missing = (aggregationRule.clusterRoleSelectors ?? []).filter(
      (selector) => !known.some((each) => JSON.stringify(each) === JSON.stringify(selector)),
    );
    return missing.length === 0 ? undefined : { aggregationRule: { clusterRoleSelectors: [...known, ...missing] } };
  }
  const rules: readonly PolicyRule[] = there.rules ?? [];
  const missing = ((wanted as ClusterRole).rules ?? []).filter((rule) => uncovered(rules, [rule]).length > 0);
  return missing.length === 0 ? undefined : { rules: [...rules, ...missing] };
}
