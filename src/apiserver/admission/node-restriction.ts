/**
 * NodeRestriction: what the paths cannot tell, the objects do. A kubelet touches its own Node, its own lease, and the pods
 * that are bound to it; the only pods that it creates are mirrors of its static ones. Pure.
 */
import { forbidden, type Pod, type ResourceRow } from '../../api/index.ts';
import type { UserInfo } from '../../lib/index.ts';
import type { ApiObject } from '../registry/object.ts';
import { TOKEN_ISSUER } from '../tokens/limits.ts';

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

/** Why this node may not have a token bound to `pod` for these audiences. `undefined` as pod: bound to none. */
export function problemOfNodeToken(
  node: string,
  pod: Pod | undefined,
  audiences: readonly string[],
): string | undefined {
  if (pod === undefined) return 'node requested token not bound to a pod';
  if (pod.spec?.nodeName !== node) return 'node requested token bound to a pod scheduled on a different node';
  const named = (pod.spec.volumes ?? [])
    .flatMap((volume) => volume.projected?.sources ?? [])
    .flatMap(({ serviceAccountToken }) =>
      serviceAccountToken === undefined ? [] : [serviceAccountToken.audience || TOKEN_ISSUER],
    );
  const strange = audiences.find((audience) => audience !== TOKEN_ISSUER && !named.includes(audience));
  if (strange === undefined) return undefined;
  return `audience ${JSON.stringify(strange)} not found in pod spec volume`;
}
