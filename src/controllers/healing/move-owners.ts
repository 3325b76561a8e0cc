/** Finds the owners that create a pod again, and so remember where it died. */
import {
  apiVersionOf,
  AVOID_NODES,
  type AvoidedNode,
  controllerOf,
  DEPLOYMENTS,
  formatAvoidedNodes,
  isNotFound,
  JOBS,
  type KubeObject,
  nameOf,
  namespaceOf,
  type OwnerReference,
  type Pod,
  readAvoidedNodes,
  REPLICA_SETS,
  REPLICATION_CONTROLLERS,
  type Resource,
  STATEFUL_SETS,
  uidOf,
} from '../../api/index.ts';
import type { KubeClient } from '../../client/index.ts';
import type { Operation } from '../operation.ts';
import { concernsPod } from '../pods/inherit-avoided-nodes.ts';

const MAKERS: readonly Resource<KubeObject>[] = [REPLICA_SETS, STATEFUL_SETS, JOBS, REPLICATION_CONTROLLERS];
/** They make their pods for one node. */
const BOUND_KINDS: ReadonlySet<string> = new Set(['DaemonSet', 'Node']);

export interface MoveOwner {
  readonly resource: Resource<KubeObject>;
  readonly object: KubeObject;
}

export type MoveOwners =
  /** The highest first: a deployment passes its annotations on to its replica sets. */
  | { readonly kind: 'owners'; readonly owners: readonly MoveOwner[] }
  | { readonly kind: 'none'; readonly message: string }
  /** It is gone, and the pod goes with it. */
  | { readonly kind: 'gone' };

/** Asks the server itself: a record of a moment ago counts. */
export async function findMoveOwners(client: KubeClient, pod: Pod, signal: AbortSignal): Promise<MoveOwners> {
  const reference = controllerOf(pod);
  if (reference === undefined) return { kind: 'none', message: 'nobody would make it again: it has no owner' };
  const named = `${reference.kind}/${reference.name}`;
  if (BOUND_KINDS.has(reference.kind)) return { kind: 'none', message: `a pod of ${named} belongs to its node` };
  const maker = MAKERS.find((row) => isOf(row, reference));
  if (maker === undefined)
    return { kind: 'none', message: `nobody knows whether its owner ${named} would make it again elsewhere` };
  const owner = await read(client, maker, pod, reference, signal);
  if (owner === undefined) return { kind: 'gone' };
  const above = controllerOf(owner.object);
  const deployment =
    above !== undefined && isOf(DEPLOYMENTS, above) ? await read(client, DEPLOYMENTS, pod, above, signal) : undefined;
  return { kind: 'owners', owners: deployment === undefined ? [owner] : [deployment, owner] };
}

async function read(
  client: KubeClient,
  resource: Resource<KubeObject>,
  pod: Pod,
  { name, uid }: OwnerReference,
  signal: AbortSignal,
): Promise<MoveOwner | undefined> {
  try {
    const object = await client.get(resource, namespaceOf(pod), name, signal, { metadataOnly: true });
    return uidOf(object) === uid ? { resource, object } : undefined;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

function isOf(resource: Resource<KubeObject>, { apiVersion, kind }: OwnerReference): boolean {
  return kind === resource.kind && apiVersion === apiVersionOf(resource);
}

/**
 * The owners' records about nodes for this pod, newest first.
 * @param now wall ms
 */
export function rememberedFor(pod: Pod, owners: readonly MoveOwner[], now: number): readonly AvoidedNode[] {
  const all = merged(owners, now);
  const isNameKept = owners.some(({ resource }) => resource === STATEFUL_SETS);
  return isNameKept ? all.filter(concernsPod(nameOf(pod))) : all;
}

/** Writes the entry down on each owner, the highest first: its next one learns of it in any case. */
export function remember(owners: readonly MoveOwner[], entry: AvoidedNode, now: number): readonly Operation[] {
  const value = formatAvoidedNodes([entry, ...merged(owners, now)]);
  return owners.map(({ resource, object }, position) => ({
    verb: 'patch',
    resource,
    namespace: namespaceOf(object),
    name: nameOf(object),
    type: 'merge',
    // For the very version that was read, so that no concurrent record is lost. A deployment itself hands it on to its newest
    // replica set, so the lower owners change meanwhile.
    patch: {
      metadata: {
        uid: uidOf(object),
        ...(position === 0 ? { resourceVersion: object.metadata?.resourceVersion } : {}),
        annotations: { [AVOID_NODES]: value },
      },
    },
  }));
}

function merged(owners: readonly MoveOwner[], now: number): readonly AvoidedNode[] {
  const known = new Map<string, AvoidedNode>();
  // A node that a deployment has forgotten is forgotten, even if its set still has it.
  const [highest] = owners;
  const own = highest?.resource === DEPLOYMENTS ? [highest] : owners;
  for (const { object } of own) {
    for (const entry of readAvoidedNodes(object.metadata?.annotations?.[AVOID_NODES], now)) {
      known.set(`${entry.node}/${entry.pod ?? ''}/${entry.at ?? ''}`, entry);
    }
  }
  return [...known.values()].toSorted((a, b) => ((a.at ?? '') < (b.at ?? '') ? 1 : -1));
}
