/** How the tables of the bootstrap policy are written, and what objects they stand for. */
import type { ClusterRole, ClusterRoleBinding, PolicyRule, RbacSubject, Role, RoleBinding } from '../../api/index.ts';

export const RBAC_GROUP = 'rbac.authorization.k8s.io';
export const AUTOUPDATE = 'rbac.authorization.kubernetes.io/autoupdate';
const BOOTSTRAPPING_LABEL = 'kubernetes.io/bootstrapping';
const AGGREGATE_LABEL = `${RBAC_GROUP}/aggregate-to-`;

export const READ = 'get list watch';
export const CHANGE = 'update patch';
export const WRITE = 'create delete deletecollection patch update';

/** Lists are words; "-" stands for the core group. */
export function rule(verbs: string, groups: string, resources: string, names?: string): PolicyRule {
  const apiGroups = words(groups).map((group) => (group === '-' ? '' : group));
  const rights = { verbs: words(verbs), apiGroups, resources: words(resources) };
  return names === undefined ? rights : { ...rights, resourceNames: words(names) };
}

export function paths(verbs: string, urls: string): PolicyRule {
  return { verbs: words(verbs), nonResourceURLs: words(urls) };
}

export const EVENTS = rule('create patch update', '- events.k8s.io', 'events');

function words(text: string): string[] {
  return text.split(' ').filter((word) => word !== '');
}

function metadataOf(name: string, labels: Record<string, string> = {}): ClusterRole['metadata'] & object {
  return {
    name,
    labels: { [BOOTSTRAPPING_LABEL]: 'rbac-defaults', ...labels },
    annotations: { [AUTOUPDATE]: 'true' },
  };
}

/** `feeds`: the aggregating roles that it becomes a part of, among admin, edit and view. */
export function clusterRole(name: string, rules: PolicyRule[], feeds: readonly string[] = []): ClusterRole {
  const labels = Object.fromEntries(feeds.map((target) => [`${AGGREGATE_LABEL}${target}`, 'true']));
  return { apiVersion: `${RBAC_GROUP}/v1`, kind: 'ClusterRole', metadata: metadataOf(name, labels), rules };
}

/** A role whose rules are those of all roles that it aggregates. */
export function aggregatingRole(name: string, feeds: readonly string[] = []): ClusterRole {
  const selector = { matchLabels: { [`${AGGREGATE_LABEL}${name}`]: 'true' } };
  return { ...clusterRole(name, [], feeds), aggregationRule: { clusterRoleSelectors: [selector] } };
}

/** Subjects are written "user NAME", "group NAME" or "account NAMESPACE/NAME". */
export function clusterRoleBinding(name: string, role: string, ...subjects: readonly string[]): ClusterRoleBinding {
  return {
    apiVersion: `${RBAC_GROUP}/v1`,
    kind: 'ClusterRoleBinding',
    metadata: metadataOf(name),
    roleRef: { apiGroup: RBAC_GROUP, kind: 'ClusterRole', name: role },
    subjects: subjects.map(subjectOf),
  };
}

export function role(namespace: string, name: string, rules: PolicyRule[]): Role {
  return { apiVersion: `${RBAC_GROUP}/v1`, kind: 'Role', metadata: { ...metadataOf(name), namespace }, rules };
}

/** A binding to a role of the same namespace and, unless another is named, the same name. */
export function roleBinding(namespace: string, name: string, ...subjects: readonly string[]): RoleBinding {
  return {
    apiVersion: `${RBAC_GROUP}/v1`,
    kind: 'RoleBinding',
    metadata: { ...metadataOf(name), namespace },
    roleRef: { apiGroup: RBAC_GROUP, kind: 'Role', name },
    subjects: subjects.map(subjectOf),
  };
}

function subjectOf(text: string): RbacSubject {
  const [kind = '', rest = ''] = text.split(' ');
  if (kind === 'account') {
    const [namespace = '', name = ''] = rest.split('/');
    return { kind: 'ServiceAccount', namespace, name };
  }
  return { apiGroup: RBAC_GROUP, kind: kind === 'group' ? 'Group' : 'User', name: rest };
}
