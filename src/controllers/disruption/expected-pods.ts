/**
 * Computes how many pods a budget should have: the scales of their controllers, each counted once. Pure. Upstream:
 * DisruptionController.getExpectedScale and its finders.
 */
import {
  controllerOf,
  DEPLOYMENTS,
  type KubeObject,
  nameOf,
  namespaceOf,
  type OwnerReference,
  parseApiVersion,
  type Pod,
  REPLICA_SETS,
  REPLICATION_CONTROLLERS,
  type ResourceRow,
  STATEFUL_SETS,
  uidOf,
} from '../../api/index.ts';

/** The kinds that can be scaled. */
export const SCALED: readonly ResourceRow[] = [REPLICATION_CONTROLLERS, REPLICA_SETS, DEPLOYMENTS, STATEFUL_SETS];

/** An object of one of `SCALED` as it is known. */
export type FindScaled = (row: ResourceRow, namespace: string, name: string) => KubeObject | undefined;

/** The scale of a controller of another kind, as the server said; without a problem it is gone, or another one. */
export type AskedScale =
  | { readonly ok: true; readonly replicas: number }
  | { readonly ok: false; readonly problem?: string };

/** Where scales are looked up. */
export interface Scales {
  readonly find: FindScaled;
  /** Of `foreignOwners`, by UID. */
  readonly asked: ReadonlyMap<string, AskedScale>;
}

export type ExpectedScale =
  | { readonly ok: true; readonly replicas: number; readonly unmanaged: readonly string[] }
  | { readonly ok: false; readonly problem: string };

/** The controllers of these pods whose scale the server must be asked for, each once. */
export function foreignOwners(pods: readonly Pod[]): readonly OwnerReference[] {
  const owners = new Map<string, OwnerReference>();
  for (const pod of pods) {
    const reference = controllerOf(pod);
    if (reference !== undefined && rowOf(reference) === undefined) owners.set(reference.uid, reference);
  }
  return [...owners.values()];
}

function rowOf({ apiVersion, kind }: OwnerReference): ResourceRow | undefined {
  const { group } = parseApiVersion(apiVersion);
  return SCALED.find((each) => each.group === group && each.kind === kind);
}

export function expectedScaleOf(pods: readonly Pod[], from: Scales): ExpectedScale {
  const scales = new Map<string, number>();
  const unmanaged: string[] = [];
  /** Controllers that were looked up already. */
  const seen = new Set<string>();
  for (const pod of pods) {
    const reference = controllerOf(pod);
    if (reference === undefined) {
      unmanaged.push(nameOf(pod));
      continue;
    }
    if (seen.has(reference.uid)) continue;
    seen.add(reference.uid);
    const found = scaledOwner(reference, pod, from);
    if (typeof found === 'string') return { ok: false, problem: found };
    scales.set(found.uid, found.replicas);
  }
  return { ok: true, replicas: [...scales.values()].reduce((sum, replicas) => sum + replicas, 0), unmanaged };
}

/** The scale that counts, and the object that has it, or the problem. */
function scaledOwner(
  reference: OwnerReference,
  pod: Pod,
  { find, asked }: Scales,
): { readonly uid: string; readonly replicas: number } | string {
  const row = rowOf(reference);
  const missing = `found no controllers for pod ${JSON.stringify(nameOf(pod))}`;
  if (row === undefined) {
    const scale = asked.get(reference.uid);
    if (scale?.ok === true) return { uid: reference.uid, replicas: scale.replicas };
    return scale?.problem ?? missing;
  }
  const namespace = namespaceOf(pod);
  const owner = find(row, namespace, reference.name);
  if (owner === undefined || uidOf(owner) !== reference.uid) return missing;
  const above = row === REPLICA_SETS ? deploymentOf(owner, namespace, find) : undefined;
  const counted = above ?? owner;
  return { uid: uidOf(counted), replicas: replicasOf(counted) };
}

/** The deployment of a replica set. */
function deploymentOf(owner: KubeObject, namespace: string, find: FindScaled): KubeObject | undefined {
  const above = controllerOf(owner);
  if (above?.kind !== DEPLOYMENTS.kind || parseApiVersion(above.apiVersion).group !== DEPLOYMENTS.group)
    return undefined;
  const deployment = find(DEPLOYMENTS, namespace, above.name);
  return deployment !== undefined && uidOf(deployment) === above.uid ? deployment : undefined;
}

/** Absent is 1: it was so when the object was made. */
export function replicasOf(object: KubeObject): number {
  const { spec } = object as { readonly spec?: { readonly replicas?: number } };
  return spec?.replicas ?? 1;
}
