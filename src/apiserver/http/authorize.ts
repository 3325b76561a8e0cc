/**
 * Who may do what. `Authorizer` is the seam behind which RBAC comes; today's rule is a pure function: masters may do all,
 * a node what its kubelet needs, everybody known may discover the API.
 */
import { forbidden, type StatusError, unauthorized } from '../../api/index.ts';
import type { UserInfo } from '../../lib/index.ts';
import type { RequestInfo, ResourceRequest } from './request-info.ts';

export type Decision = { readonly allowed: true } | { readonly allowed: false; readonly reason?: string };

export interface Authorizer {
  authorize(user: UserInfo, info: RequestInfo): Decision;
  /** What a user may do in a namespace, as far as it can be listed. */
  rulesFor(user: UserInfo, namespace: string): Rules;
}

export interface Rules {
  readonly resourceRules: readonly { verbs: string[]; apiGroups: string[]; resources: string[] }[];
  readonly nonResourceRules: readonly { verbs: string[]; nonResourceURLs: string[] }[];
  /** There may be more than is listed. */
  readonly incomplete: boolean;
}

const MASTERS = 'system:masters';
const UNAUTHENTICATED = 'system:unauthenticated';
const SERVICE_ACCOUNTS = 'system:serviceaccounts';
const NODES = 'system:nodes';
const NODE_PREFIX = 'system:node:';
const NODE_LEASE_NAMESPACE = 'kube-node-lease';

const allow: Decision = { allowed: true };
const deny: Decision = { allowed: false };

/** Paths that answer without a known user. */
export function isPublicPath(path: string): boolean {
  return /^\/(healthz|livez|readyz)(\/|$)/.test(path);
}

/** The same as `discoveryPath` and `isPublicPath`, as rules are written (upstream: system:discovery). */
const discoveryUrls: readonly string[] = [
  '/api',
  '/api/*',
  '/apis',
  '/apis/*',
  '/healthz',
  '/livez',
  '/openapi',
  '/openapi/*',
  '/readyz',
  '/version',
  '/version/',
];
/** For those who check tokens inside the cluster (upstream: system:service-account-issuer-discovery). */
const issuerPaths: readonly string[] = ['/.well-known/openid-configuration', '/openid/v1/jwks'];

const discoveryPath = /^\/(version|api|apis|openapi)(\/|$)/;

/** The rule until RBAC. */
export const basicAuthorizer: Authorizer = {
  authorize(user, info) {
    if (user.groups.includes(MASTERS)) return allow;
    if (info.kind === 'path') {
      const reads = info.verb === 'get' || info.verb === 'head';
      if (reads && user.groups.includes(SERVICE_ACCOUNTS) && issuerPaths.includes(info.path)) return allow;
      return reads && (discoveryPath.test(info.path) || isPublicPath(info.path)) ? allow : deny;
    }
    if (isAboutSelf(info)) return allow;
    if (!user.groups.includes(NODES) || !user.name.startsWith(NODE_PREFIX)) return deny;
    return authorizeNode(user.name.slice(NODE_PREFIX.length), info);
  },
  rulesFor(user) {
    if (user.groups.includes(MASTERS)) {
      return {
        resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }],
        nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
        incomplete: false,
      };
    }
    const about = Object.entries(selfResources).map(([group, resources]) => ({
      verbs: ['create'],
      apiGroups: [group],
      resources: [...resources],
    }));
    const issuer = user.groups.includes(SERVICE_ACCOUNTS)
      ? [{ verbs: ['get'], nonResourceURLs: [...issuerPaths] }]
      : [];
    return {
      resourceRules: about,
      nonResourceRules: [{ verbs: ['get'], nonResourceURLs: [...discoveryUrls] }, ...issuer],
      // A node's rules look at more than a resource's name.
      incomplete: user.groups.includes(NODES),
    };
  },
};

/** What everybody known may ask about himself (upstream: system:basic-user). */
const selfResources: Readonly<Record<string, readonly string[]>> = {
  'authorization.k8s.io': ['selfsubjectaccessreviews', 'selfsubjectrulesreviews'],
  'authentication.k8s.io': ['selfsubjectreviews'],
};

function isAboutSelf({ group, resource, subresource, verb }: ResourceRequest): boolean {
  if (verb !== 'create' || subresource !== undefined || !Object.hasOwn(selfResources, group)) return false;
  return selfResources[group]?.includes(resource) === true;
}

const reads: ReadonlySet<string> = new Set(['get', 'list', 'watch']);
const writes: ReadonlySet<string> = new Set(['update', 'patch']);

/** What the kubelet of `node` needs (upstream: the node authorizer and the system:node role). */
export function authorizeNode(node: string, info: ResourceRequest): Decision {
  const resource = info.subresource === undefined ? info.resource : `${info.resource}/${info.subresource}`;
  const qualified = info.group === '' ? resource : `${resource}.${info.group}`;
  const rule = nodeRules[qualified];
  if (rule !== undefined && rule(info, node)) return allow;
  return { allowed: false, reason: `node "${node}" may not` };
}

const nodeRules: Readonly<Record<string, (info: ResourceRequest, node: string) => boolean>> = {
  nodes: ({ verb, name }, node) => reads.has(verb) || verb === 'create' || (writes.has(verb) && name === node),
  'nodes/status': ({ verb, name }, node) => writes.has(verb) && name === node,
  pods: (info, node) => {
    if (info.verb === 'get') return info.name !== undefined;
    if (info.verb === 'list' || info.verb === 'watch') return info.name !== undefined || selectsNode(info, node);
    return info.verb === 'create' || info.verb === 'delete';
  },
  'pods/status': ({ verb }) => writes.has(verb) || verb === 'get',
  'pods/eviction': ({ verb }) => verb === 'create',
  configmaps: readsOne,
  secrets: readsOne,
  services: ({ verb }) => reads.has(verb),
  namespaces: ({ verb }) => reads.has(verb),
  serviceaccounts: ({ verb }) => verb === 'get',
  'serviceaccounts/token': ({ verb }) => verb === 'create',
  // The kubelet's own port asks us about those who come to it.
  'tokenreviews.authentication.k8s.io': ({ verb }) => verb === 'create',
  'subjectaccessreviews.authorization.k8s.io': ({ verb }) => verb === 'create',
  'localsubjectaccessreviews.authorization.k8s.io': ({ verb }) => verb === 'create',
  'runtimeclasses.node.k8s.io': ({ verb }) => reads.has(verb),
  events: writesEvents,
  'events.events.k8s.io': writesEvents,
  'leases.coordination.k8s.io': ({ verb, namespace, name }, node) =>
    namespace === NODE_LEASE_NAMESPACE &&
    (verb === 'create' || (name === node && (verb === 'get' || verb === 'delete' || writes.has(verb)))),
};

function selectsNode(info: ResourceRequest, node: string): boolean {
  return (info.query.get('fieldSelector') ?? '')
    .split(',')
    .some((term) => /^spec\.nodeName==?(.*)$/.exec(term.trim())?.[1] === node);
}

/** One object by its name: read, or watched through metadata.name. */
function readsOne(info: ResourceRequest): boolean {
  if (!reads.has(info.verb)) return false;
  return info.name !== undefined || /(^|,)metadata\.name==?[^,]+/.test(info.query.get('fieldSelector') ?? '');
}

function writesEvents(info: ResourceRequest): boolean {
  return info.verb === 'create' || writes.has(info.verb);
}

/** The refusal of a request that may not be made; `undefined` when it may. */
export function refuse(authorizer: Authorizer, user: UserInfo | undefined, info: RequestInfo): StatusError | undefined {
  if (info.kind === 'path' && isPublicPath(info.path)) return undefined;
  if (user === undefined || user.groups.includes(UNAUTHENTICATED)) return unauthorized();
  const decision = authorizer.authorize(user, info);
  if (decision.allowed) return undefined;
  const reason = decision.reason === undefined ? '' : `: ${decision.reason}`;
  const who = `User ${JSON.stringify(user.name)} cannot ${info.verb}`;
  if (info.kind === 'path') return forbidden(undefined, '', `${who} path ${JSON.stringify(info.path)}${reason}`);
  const resource = info.subresource === undefined ? info.resource : `${info.resource}/${info.subresource}`;
  const where =
    info.namespace === undefined ? 'at the cluster scope' : `in the namespace ${JSON.stringify(info.namespace)}`;
  const what = `resource ${JSON.stringify(resource)} in API group ${JSON.stringify(info.group)} ${where}`;
  return forbidden(info, info.name ?? '', `${who} ${what}${reason}`);
}
