/** This cluster's authorizer: masters, then nodes, then roles (upstream: --authorization-mode=Node,RBAC). */
import type { UserInfo } from '../../lib/index.ts';
import type { CacheObserver, WatchCache } from '../cache/watch-cache.ts';
import { FRESH_READ_TIMEOUT_MS } from '../limits.ts';
import type { ApiObject } from '../registry/object.ts';
import type { AccessRequest } from './access-request.ts';
import { type Authorizer, type Decision, MASTERS, type UserRules } from './authorizer.ts';
import { authorizeNode, nodeOfUser } from './node-authorizer.ts';
import { NodeGraph, type NodeOwned } from './node-graph.ts';
import { authorizeByRoles, rulesByRoles } from './rbac-authorizer.ts';
import { RbacIndex, type RbacKind } from './rbac-index.ts';

const RBAC_KINDS: readonly RbacKind[] = ['roles', 'clusterroles', 'rolebindings', 'clusterrolebindings'];
const RBAC_GROUP = 'rbac.authorization.k8s.io';

const NODE_OWNED: readonly (readonly [group: string, resource: NodeOwned])[] = [
  ['storage.k8s.io', 'volumeattachments'],
  ['resource.k8s.io', 'resourceslices'],
];

/** The cache of a resource. */
export type CacheOf = (group: string, resource: string) => WatchCache;

export class ClusterAuthorizer implements Authorizer {
  readonly #roles = new RbacIndex();
  readonly #graph = new NodeGraph();
  readonly #caches: readonly WatchCache[];

  /** Looks at the caches from now on; before they are started, so that nothing is missed. */
  constructor(cacheOf: CacheOf) {
    this.#caches = RBAC_KINDS.map((kind) => {
      const cache = cacheOf(RBAC_GROUP, kind);
      cache.observe({
        replaced: (objects) => this.#roles.replace(kind, objects),
        changed: (now, known) => this.#roles.apply(kind, now, known),
      });
      return cache;
    });
    cacheOf('', 'pods').observe(observer('Pods', this.#graph));
    cacheOf('', 'persistentvolumes').observe(observer('Volumes', this.#graph));
    for (const [group, resource] of NODE_OWNED) {
      cacheOf(group, resource).observe({
        replaced: (objects) => this.#graph.replaceOwned(resource, objects),
        changed: (now, known) => this.#graph.applyOwned(resource, now, known),
      });
    }
  }

  fresh(): Promise<void> | undefined {
    const behind = this.#caches.filter((cache) => !cache.isCurrent);
    if (behind.length === 0) return undefined;
    // A store that hangs must not refuse all users: then the last known roles decide.
    return Promise.all(behind.map((cache) => cache.waitFor(0, FRESH_READ_TIMEOUT_MS))).then(() => {});
  }

  authorize(user: UserInfo, request: AccessRequest): Decision {
    if (user.groups.includes(MASTERS)) return { allowed: true };
    const asNode = authorizeNode(this.#graph, user, request);
    if (asNode?.allowed === true) return asNode;
    const byRoles = authorizeByRoles(this.#roles, user, request);
    if (byRoles.allowed) return byRoles;
    const reasons = [asNode?.reason, byRoles.reason].filter((reason) => reason !== undefined);
    return reasons.length === 0 ? { allowed: false } : { allowed: false, reason: reasons.join('\n') };
  }

  rulesFor(user: UserInfo, namespace: string): UserRules {
    const { rules, problem } = rulesByRoles(this.#roles, user, namespace);
    const isNode = nodeOfUser(user) !== undefined;
    const problems = [isNode ? 'node authorizer does not support user rule resolution' : undefined, problem].filter(
      (text) => text !== undefined,
    );
    return {
      rules,
      incomplete: problems.length > 0,
      ...(problems.length === 0 ? {} : { problem: problems.join(', ') }),
    };
  }
}

function observer(what: 'Pods' | 'Volumes', graph: NodeGraph): CacheObserver {
  return {
    replaced: (objects: Iterable<ApiObject>) => graph[`replace${what}`](objects),
    changed: (now, known) => (what === 'Pods' ? graph.applyPod(now, known) : graph.applyVolume(now, known)),
  };
}
