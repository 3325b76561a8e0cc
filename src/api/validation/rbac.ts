/** Validation of roles and their bindings (upstream: pkg/apis/rbac/validation). */
import { child, type FieldError, index, invalidValue, notSupported, required } from '../field-error.ts';
import { checkDns1123Subdomain, checkPathSegment } from '../names.ts';
import type {
  ClusterRole,
  ClusterRoleBinding,
  PolicyRule,
  RbacSubject,
  Role,
  RoleBinding,
  RoleRef,
} from '../types.gen.ts';
import { validateLabelSelector } from './affinity.ts';
import { checkValue, equalJson } from './messages.ts';
import { validateObjectMeta, validateObjectMetaUpdate } from './object-meta.ts';

const RBAC_GROUP = 'rbac.authorization.k8s.io';

export function validateRole(role: Role): FieldError[] {
  return [...validateObjectMeta(role.metadata, true, checkPathSegment), ...validateRules(role.rules, true)];
}

export function validateRoleUpdate(role: Role, old: Role): FieldError[] {
  return [...validateObjectMetaUpdate(role.metadata, old.metadata), ...validateRules(role.rules, true)];
}

export function validateClusterRole(role: ClusterRole): FieldError[] {
  return [...validateObjectMeta(role.metadata, false, checkPathSegment), ...validateClusterRules(role)];
}

export function validateClusterRoleUpdate(role: ClusterRole, old: ClusterRole): FieldError[] {
  return [...validateObjectMetaUpdate(role.metadata, old.metadata), ...validateClusterRules(role)];
}

function validateClusterRules({ rules, aggregationRule }: ClusterRole): FieldError[] {
  const errors = validateRules(rules, false);
  if (aggregationRule === undefined) return errors;
  const field = 'aggregationRule.clusterRoleSelectors';
  const selectors = aggregationRule.clusterRoleSelectors ?? [];
  if (selectors.length === 0)
    return [...errors, required(field, 'at least one clusterRoleSelector required if aggregationRule is non-nil')];
  return [...errors, ...selectors.flatMap((selector, at) => validateLabelSelector(selector, index(field, at)))];
}

function validateRules(rules: readonly PolicyRule[] | null | undefined, namespaced: boolean): FieldError[] {
  return (rules ?? []).flatMap((rule, at) => validateRule(rule, index('rules', at), namespaced));
}

function validateRule(rule: Partial<PolicyRule>, path: string, namespaced: boolean): FieldError[] {
  const { apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] } = rule;
  const verbs = rule.verbs ?? [];
  const errors = verbs.length === 0 ? [required(child(path, 'verbs'), 'verbs must contain at least one value')] : [];
  if (nonResourceURLs.length > 0) {
    const field = child(path, 'nonResourceURLs');
    if (namespaced)
      errors.push(invalidValue(field, nonResourceURLs, 'namespaced rules cannot apply to non-resource URLs'));
    if (apiGroups.length > 0 || resources.length > 0 || resourceNames.length > 0) {
      const text = 'rules cannot apply to both regular resources and non-resource URLs';
      errors.push(invalidValue(field, nonResourceURLs, text));
    }
    return errors;
  }
  if (apiGroups.length === 0)
    errors.push(required(child(path, 'apiGroups'), 'resource rules must supply at least one api group'));
  if (resources.length === 0)
    errors.push(required(child(path, 'resources'), 'resource rules must supply at least one resource'));
  return errors;
}

export function validateRoleBinding(binding: RoleBinding): FieldError[] {
  return [...validateObjectMeta(binding.metadata, true, checkPathSegment), ...validateGrant(binding, true)];
}

export function validateRoleBindingUpdate(binding: RoleBinding, old: RoleBinding): FieldError[] {
  return [
    ...validateObjectMetaUpdate(binding.metadata, old.metadata),
    ...validateGrant(binding, true),
    ...sameRole(binding, old),
  ];
}

export function validateClusterRoleBinding(binding: ClusterRoleBinding): FieldError[] {
  return [...validateObjectMeta(binding.metadata, false, checkPathSegment), ...validateGrant(binding, false)];
}

export function validateClusterRoleBindingUpdate(binding: ClusterRoleBinding, old: ClusterRoleBinding): FieldError[] {
  return [
    ...validateObjectMetaUpdate(binding.metadata, old.metadata),
    ...validateGrant(binding, false),
    ...sameRole(binding, old),
  ];
}

/** Another role under the same name would give all its subjects rights that nobody reviewed. */
function sameRole({ roleRef }: RoleBinding, old: RoleBinding): FieldError[] {
  return equalJson(roleRef, old.roleRef) ? [] : [invalidValue('roleRef', roleRef, 'cannot change roleRef')];
}

function validateGrant({ roleRef, subjects = [] }: RoleBinding, namespaced: boolean): FieldError[] {
  return [
    ...validateRoleRef(roleRef, namespaced),
    ...subjects.flatMap((subject, at) => validateSubject(subject, index('subjects', at), namespaced)),
  ];
}

function validateRoleRef(roleRef: Partial<RoleRef> = {}, namespaced: boolean): FieldError[] {
  const { apiGroup = '', kind = '', name = '' } = roleRef;
  const kinds = namespaced ? ['Role', 'ClusterRole'] : ['ClusterRole'];
  return [
    ...(apiGroup === RBAC_GROUP ? [] : [notSupported('roleRef.apiGroup', apiGroup, [RBAC_GROUP])]),
    ...(kinds.includes(kind) ? [] : [notSupported('roleRef.kind', kind, kinds)]),
    ...(name === '' ? [required('roleRef.name')] : checkValue('roleRef.name', name, checkPathSegment)),
  ];
}

function validateSubject(subject: Partial<RbacSubject>, path: string, namespaced: boolean): FieldError[] {
  const { kind = '', name = '', namespace = '', apiGroup = '' } = subject;
  const errors = name === '' ? [required(child(path, 'name'))] : [];
  switch (kind) {
    case 'ServiceAccount':
      if (name !== '') errors.push(...checkValue(child(path, 'name'), name, checkDns1123Subdomain));
      if (apiGroup !== '') errors.push(notSupported(child(path, 'apiGroup'), apiGroup, ['']));
      if (!namespaced && namespace === '') errors.push(required(child(path, 'namespace')));
      return errors;
    case 'User':
    case 'Group':
      if (apiGroup !== RBAC_GROUP) errors.push(notSupported(child(path, 'apiGroup'), apiGroup, [RBAC_GROUP]));
      return errors;
    default:
      return [...errors, notSupported(child(path, 'kind'), kind, ['ServiceAccount', 'User', 'Group'])];
  }
}
