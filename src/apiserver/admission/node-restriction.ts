/**
 * NodeRestriction: what the paths cannot tell, the objects do. A kubelet touches its own Node, its own lease, and the pods
 * that are bound to it; the only pods that it creates are mirrors of its static ones. Pure.
 */
import { forbidden, type Pod, type ResourceRow } from '../../api/index.ts';
import type { UserInfo } from '../../lib/index.ts';
import type { ApiObject } from '../registry/object.ts';

export type Operation = 'create' | 'update' | 'delete';

const MIRROR_ANNOTATION = 'kubernetes.io/config.mirror';
const NODE_PREFIX = 'system:node:';

/** The node whose kubelet this is; undefined for everybody else. */
export function nodeOfUser(user: UserInfo): string | undefined {
  if (!user.groups.includes('system:nodes') || !user.name.startsWith(NODE_PREFIX)) return undefined;
  return user.name.slice(NODE_PREFIX.length);
}

/** True for the API's picture of a static pod: no service account is given to it. */
export function isMirrorPod(object: ApiObject): boolean {
  return object.metadata.annotations?.[MIRROR_ANNOTATION] !== undefined;
}

/** Throws 403 when a kubelet reaches for what is not its own. `object`: the new one at a creation, else the old one. */
export function restrictNode(user: UserInfo, row: ResourceRow, operation: Operation, object: ApiObject): void {
  const node = nodeOfUser(user);
  if (node === undefined) return;
  const problem = problemOf(node, row, operation, object);
  if (problem !== undefined) throw forbidden(row, object.metadata.name ?? '', problem);
}

function problemOf(node: string, row: ResourceRow, operation: Operation, object: ApiObject): string | undefined {
  const name = object.metadata.name ?? '';
  switch (row.resource) {
    case 'nodes':
      return name === node ? undefined : `node "${node}" is not allowed to modify node "${name}"`;
    case 'pods':
      return podProblem(node, operation, object);
    case 'leases':
      return name === node ? undefined : 'can only access node lease with the same name as the requesting node';
    default:
      return undefined;
  }
}

const podVerbs: Readonly<Record<Operation, string>> = {
  create: 'create pods',
  update: 'update pod status for pods',
  delete: 'delete pods',
};

function podProblem(node: string, operation: Operation, object: ApiObject): string | undefined {
  if (operation === 'create' && !isMirrorPod(object)) {
    return `pod does not have "${MIRROR_ANNOTATION}" annotation, node "${node}" can only create mirror pods`;
  }
  if ((object as Pod).spec?.nodeName === node) return undefined;
  return `node "${node}" can only ${podVerbs[operation]} with spec.nodeName set to itself`;
}
