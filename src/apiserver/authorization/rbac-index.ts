/**
 * Roles and bindings in memory, indexed by subject: a request looks only at the bindings of its own user and groups, however
 * many others there are. Fed by the watch caches.
 */
import type { ClusterRole, ClusterRoleBinding, PolicyRule, RbacSubject, Role, RoleRef } from '../../api/index.ts';
import type { UserInfo } from '../../lib/index.ts';
import type { ApiObject } from '../registry/object.ts';

const SERVICE_ACCOUNT = /^system:serviceaccount:([^:]+):([^:]+)$/;

/** A binding with at least one subject. */
export interface Grant {
  readonly kind: 'ClusterRoleBinding' | 'RoleBinding';
  readonly name: string;
  /** "" for a cluster role binding. */
  readonly namespace: string;
  readonly roleRef: RoleRef;
  readonly subjects: readonly RbacSubject[];
}

export type RbacKind = 'roles' | 'clusterroles' | 'rolebindings' | 'clusterrolebindings';

/** The rules of a role: "" as namespace for cluster roles. */
export type RulesOf = (namespace: string, name: string) => readonly PolicyRule[] | undefined;

export class RbacIndex {
  readonly #roles = new Map<string, readonly PolicyRule[]>();
  /** By "NAMESPACE/NAME". */
  readonly #grants = new Map<string, Grant>();
  /** By namespace ("": cluster role bindings), then by subject. */
  readonly #bySubject = new Map<string, Map<string, Set<Grant>>>();

  /** The object of a cache's key as it is now; `undefined`: it is gone. `known`: as it was. */
  apply(kind: RbacKind, now: ApiObject | undefined, known: ApiObject | undefined): void {
    const { namespace = '', name = '' } = (now ?? known)?.metadata ?? {};
    if (kind === 'roles' || kind === 'clusterroles') {
      const key = `${namespace}/${name}`;
      if (now === undefined) this.#roles.delete(key);
      else this.#roles.set(key, (now as Role | ClusterRole).rules ?? []);
      return;
    }
    const key = `${namespace}/${name}`;
    this.#forget(key);
    if (now === undefined) return;
    const { roleRef, subjects = [] } = now as unknown as ClusterRoleBinding;
    const grant: Grant = {
      kind: kind === 'rolebindings' ? 'RoleBinding' : 'ClusterRoleBinding',
      name,
      namespace,
      roleRef,
      subjects,
    };
    this.#grants.set(key, grant);
    for (const subject of subjectKeys(grant)) this.#setOf(namespace, subject).add(grant);
  }

  /** Replaces all objects of a kind; others are forgotten. */
  replace(kind: RbacKind, objects: Iterable<ApiObject>): void {
    if (kind === 'roles' || kind === 'clusterroles') {
      for (const key of this.#roles.keys()) {
        if (key.startsWith('/') === (kind === 'clusterroles')) this.#roles.delete(key);
      }
    } else {
      for (const key of this.#grants.keys()) {
        if (key.startsWith('/') === (kind === 'clusterrolebindings')) this.#forget(key);
      }
    }
    for (const object of objects) this.apply(kind, object, undefined);
  }

  /** The rules of a role; undefined when there is none of that name. `namespace`: that of the binding. */
  rulesOf({ kind, name }: RoleRef, namespace: string): readonly PolicyRule[] | undefined {
    return this.#roles.get(`${kind === 'Role' ? namespace : ''}/${name}`);
  }

  /** The bindings that speak of this user: those of the cluster first, then those of the namespace (unless it is ""). */
  *grantsFor(user: UserInfo, namespace: string): Generator<Grant, void, undefined> {
    const keys = keysOfUser(user);
    yield* grantsAmong(this.#bySubject.get(''), keys);
    if (namespace !== '') yield* grantsAmong(this.#bySubject.get(namespace), keys);
  }

  #setOf(namespace: string, subject: string): Set<Grant> {
    let subjects = this.#bySubject.get(namespace);
    if (subjects === undefined) this.#bySubject.set(namespace, (subjects = new Map()));
    let grants = subjects.get(subject);
    if (grants === undefined) subjects.set(subject, (grants = new Set()));
    return grants;
  }

  #forget(key: string): void {
    const grant = this.#grants.get(key);
    if (grant === undefined) return;
    this.#grants.delete(key);
    const subjects = this.#bySubject.get(grant.namespace);
    for (const subject of subjectKeys(grant)) {
      const grants = subjects?.get(subject);
      grants?.delete(grant);
      if (grants?.size === 0) subjects?.delete(subject);
    }
    if (subjects?.size === 0) this.#bySubject.delete(grant.namespace);
  }
}

function* grantsAmong(
  subjects: ReadonlyMap<string, ReadonlySet<Grant>> | undefined,
  keys: readonly string[],
): Generator<Grant, void, undefined> {
  if (subjects === undefined) return;
  const seen = new Set<Grant>();
  for (const key of keys) {
    for (const grant of subjects.get(key) ?? []) {
      if (seen.has(grant)) continue;
      seen.add(grant);
      yield grant;
    }
  }
}

function subjectKeys({ subjects, namespace }: Grant): readonly string[] {
  return subjects.flatMap((subject) => {
    switch (subject.kind) {
      case 'User':
        return [`user ${subject.name}`];
      case 'Group':
        return [`group ${subject.name}`];
      case 'ServiceAccount': {
        const place = subject.namespace || namespace;
        return place === '' ? [] : [`account ${place}:${subject.name}`];
      }
      default:
        return [];
    }
  });
}

function keysOfUser({ name, groups }: UserInfo): readonly string[] {
  const [, namespace, account] = SERVICE_ACCOUNT.exec(name) ?? [];
  const own = namespace === undefined ? [] : [`account ${namespace}:${account}`];
  return [`user ${name}`, ...groups.map((group) => `group ${group}`), ...own];
}

/** The subject of a grant that speaks of the user, as its reason names it. */
export function subjectFor({ subjects, namespace }: Grant, user: UserInfo): RbacSubject | undefined {
  return subjects.find((subject) => {
    if (subject.kind === 'User') return subject.name === user.name;
    if (subject.kind === 'Group') return user.groups.includes(subject.name);
    return user.name === `system:serviceaccount:${subject.namespace || namespace}:${subject.name}`;
  });
}
