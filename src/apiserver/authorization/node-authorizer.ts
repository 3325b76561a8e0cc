/**
 * The rights of a kubelet: on its own node, on the pods that are bound to it, and on the objects that those name (upstream:
 * NodeAuthorizer). NodeRestriction checks what the path cannot tell (the name of a new object, the node of a pod).
 */
import type { PolicyRule } from '../../api/index.ts';
import type { UserInfo } from '../../lib/index.ts';
import type { AccessRequest, ResourceAccess } from './access-request.ts';
import { type Decision, noOpinion } from './authorizer.ts';
import type { NodeGraph, NodeOwned } from './node-graph.ts';
import { type ReferencedResource, vertexOf } from './pod-references.ts';
import { rulesAllow } from './rules.ts';

const NODES_GROUP = 'system:nodes';
const NODE_PREFIX = 'system:node:';
const NODE_LEASE_NAMESPACE = 'kube-node-lease';

/** The node whose kubelet this is; undefined for all other users. "" is a node that does not say which. */
export function nodeOfUser(user: UserInfo): string | undefined {
  if (!user.groups.includes(NODES_GROUP) || !user.name.startsWith(NODE_PREFIX)) return undefined;
  return user.name.slice(NODE_PREFIX.length);
}

const READ = ['get', 'list', 'watch'];

/** The rights that are the same for all nodes (upstream: bootstrappolicy.NodeRules, unless the other rules say more). */
const NODE_RULES: readonly PolicyRule[] = [
  // The kubelet's own port asks us about its clients.
  { verbs: ['create'], apiGroups: ['authentication.k8s.io'], resources: ['tokenreviews'] },
  {
    verbs: ['create'],
    apiGroups: ['authorization.k8s.io'],
    resources: ['subjectaccessreviews', 'localsubjectaccessreviews'],
  },
  // For the environment of containers.
  { verbs: READ, apiGroups: [''], resources: ['services'] },
  { verbs: ['create', 'update', 'patch'], apiGroups: ['', 'events.k8s.io'], resources: ['events'] },
  { verbs: READ, apiGroups: ['node.k8s.io'], resources: ['runtimeclasses'] },
  { verbs: READ, apiGroups: ['storage.k8s.io'], resources: ['csidrivers'] },
  // Requests for its own certificates; the approver and the signers decide about their names.
  {
    verbs: ['create', 'get', 'list', 'watch'],
    apiGroups: ['certificates.k8s.io'],
    resources: ['certificatesigningrequests'],
  },
];

/** `undefined`: the user is no node. */
export function authorizeNode(graph: NodeGraph, user: UserInfo, request: AccessRequest): Decision | undefined {
  const node = nodeOfUser(user);
  if (node === undefined) return undefined;
  if (node === '') return deny(`unknown node for user ${JSON.stringify(user.name)}`);
  if (request.kind === 'path') return noOpinion;
  const { group, resource } = request;
  const rule = rules[group === '' ? resource : `${resource}.${group}`];
  if (rule !== undefined) return rule(graph, node, request);
  return rulesAllow(NODE_RULES, request) ? allow : noOpinion;
}

type Rule = (graph: NodeGraph, node: string, request: ResourceAccess) => Decision;

const allow: Decision = { allowed: true };

function deny(reason: string): Decision {
  return { allowed: false, reason };
}

/** By resource and group; null-prototype, for a path may name anything. */
const rules: Readonly<Record<string, Rule>> = Object.assign(Object.create(null) as Record<string, Rule>, {
  secrets: readOne('secrets'),
  configmaps: readOne('configmaps'),
  persistentvolumeclaims: (graph, node, request) =>
    request.subresource === 'status'
      ? changeStatus(graph, node, request)
      : getOne(graph, node, request, 'persistentvolumeclaims'),
  persistentvolumes: (graph, node, request) => getOne(graph, node, request, 'persistentvolumes'),
  'resourceclaims.resource.k8s.io': (graph, node, request) => getOne(graph, node, request, 'resourceclaims'),
  'volumeattachments.storage.k8s.io': volumeAttachment,
  'csinodes.storage.k8s.io': csiNode,
  'resourceslices.resource.k8s.io': resourceSlice,
  serviceaccounts: serviceAccount,
  'leases.coordination.k8s.io': lease,
  nodes: nodeObject,
  pods: pod,
} satisfies Record<string, Rule>);

function reaches(graph: NodeGraph, node: string, request: ResourceAccess, resource: ReferencedResource): Decision {
  if (request.name === '') return deny('No Object name found');
  const found =
    resource === 'persistentvolumes'
      ? graph.reachesVolume(node, request.name)
      : graph.reaches(node, vertexOf(resource, request.namespace, request.name));
  return found ? allow : deny(`no relationship found between node '${node}' and this object`);
}

function readOne(resource: ReferencedResource): Rule {
  return (graph, node, request) => {
    if (!READ.includes(request.verb)) return deny('can only read resources of this type');
    if (request.subresource !== '') return deny('cannot read subresource');
    if (request.namespace === '') return deny('can only read namespaced object of this type');
    return reaches(graph, node, request, resource);
  };
}

function getOne(graph: NodeGraph, node: string, request: ResourceAccess, resource: ReferencedResource): Decision {
  if (request.verb !== 'get') return deny('can only get individual resources of this type');
  if (request.subresource !== '') return deny('cannot get subresource');
  return reaches(graph, node, request, resource);
}

function changeStatus(graph: NodeGraph, node: string, request: ResourceAccess): Decision {
  if (!isChange(request.verb)) return deny('can only get/update/patch this type');
  return reaches(graph, node, request, 'persistentvolumeclaims');
}

function isChange(verb: string): boolean {
  return verb === 'update' || verb === 'patch';
}

/** Credential providers of images are told about the account. */
function serviceAccount(graph: NodeGraph, node: string, request: ResourceAccess): Decision {
  if (request.verb === 'get' && request.subresource === '') return readOne('serviceaccounts')(graph, node, request);
  return createToken(graph, node, request);
}

function createToken(graph: NodeGraph, node: string, request: ResourceAccess): Decision {
  if (request.verb !== 'create' || request.name === '')
    return deny('can only create tokens for individual service accounts');
  if (request.subresource !== 'token') return deny('can only create token subresource of serviceaccount');
  return reaches(graph, node, request, 'serviceaccounts');
}

/** Of objects that a node makes and keeps, one by one. */
const KEEPING: readonly string[] = ['get', 'create', 'update', 'patch', 'delete'];

function lease(_: NodeGraph, node: string, { verb, namespace, name }: ResourceAccess): Decision {
  if (!KEEPING.includes(verb)) return deny('can only get, create, update, patch, or delete a node lease');
  if (namespace !== NODE_LEASE_NAMESPACE)
    return deny(`can only access leases in the ${JSON.stringify(NODE_LEASE_NAMESPACE)} system namespace`);
  if (verb !== 'create' && name !== node)
    return deny('can only access node lease with the same name as the requesting node');
  return allow;
}

function owned(graph: NodeGraph, node: string, kind: NodeOwned, name: string): Decision {
  if (name === '') return deny('No Object name found');
  return graph.owns(node, kind, name) ? allow : deny(`no relationship found between node '${node}' and this object`);
}

function volumeAttachment(graph: NodeGraph, node: string, { verb, subresource, name }: ResourceAccess): Decision {
  if (verb !== 'get') return deny('can only get individual resources of this type');
  if (subresource !== '') return deny('cannot get subresource');
  return owned(graph, node, 'volumeattachments', name);
}

/** NodeRestriction knows the name of a new one. */
function csiNode(_: NodeGraph, node: string, { verb, subresource, name }: ResourceAccess): Decision {
  if (!KEEPING.includes(verb)) return deny('can only get, create, update, patch, or delete a CSINode');
  if (subresource !== '') return deny('cannot authorize CSINode subresources');
  if (verb !== 'create' && name !== node)
    return deny('can only access CSINode with the same name as the requesting node');
  return allow;
}

/** NodeRestriction knows the node of a new one. */
function resourceSlice(graph: NodeGraph, node: string, request: ResourceAccess): Decision {
  const { verb, subresource, name, fields } = request;
  if (subresource !== '') return deny('cannot authorize ResourceSlice subresources');
  if (verb === 'create') return allow;
  if (verb !== 'list' && verb !== 'watch' && verb !== 'deletecollection') {
    if (KEEPING.includes(verb)) return owned(graph, node, 'resourceslices', name);
    const verbs = 'get, watch, list, create, update, patch, delete, deletecollection';
    return deny(`only the following verbs are allowed for a ResourceSlice: ${verbs}`);
  }
  if (fields.some(({ field, value }) => field === 'spec.nodeName' && value === node)) return allow;
  return deny('can only list/watch/deletecollection resourceslices with nodeName field selector');
}

function nodeObject(_: NodeGraph, node: string, { verb, subresource, name }: ResourceAccess): Decision {
  if (subresource === 'status') return isChange(verb) ? allow : noOpinion;
  if (subresource !== '') return noOpinion;
  if (verb === 'create' || isChange(verb)) return allow;
  // An agent that leaves takes its own node with it.
  if (verb === 'delete' && name === node) return allow;
  if (!READ.includes(verb)) return noOpinion;
  if (name === node) return allow;
  if (name === '') return deny(`node '${node}' cannot read all nodes, only its own Node object`);
  return deny(`node '${node}' cannot read '${name}', only its own Node object`);
}

function pod(graph: NodeGraph, node: string, request: ResourceAccess): Decision {
  const { verb, subresource, namespace, name, fields } = request;
  switch (subresource) {
    case 'status':
      return isChange(verb) ? allow : noOpinion;
    case 'eviction':
      return verb === 'create' ? allow : noOpinion;
    case '':
      break;
    default:
      return noOpinion;
  }
  if (verb === 'create' || verb === 'delete') return allow;
  if (!READ.includes(verb)) return noOpinion;
  const isList = verb !== 'get';
  if (isList && fields.some(({ field, value }) => field === 'spec.nodeName' && value === node)) return allow;
  if (name === '') {
    return deny(isList ? 'can only list/watch pods with spec.nodeName field selector' : 'No Object name found');
  }
  return graph.isPodOf(node, namespace, name)
    ? allow
    : deny(`no relationship found between node '${node}' and this object`);
}
