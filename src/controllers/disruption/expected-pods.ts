/**
 * Computes how many pods a budget should have: the scales of their controllers, each counted once. Pure. Upstream:
 * DisruptionController.getExpectedScale and its finders.
 */
import {
  controllerOf,
  DEPLOYMENTS,
  findKind,
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

export type ExpectedScale =
  | { readonly ok: true; readonly replicas: number; readonly unmanaged: readonly string[] }
  | { readonly ok: false; readonly problem: string };

export function expectedScaleOf(pods: readonly Pod[], find: FindScaled): ExpectedScale {
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
    const found = scaledOwner(reference, pod, find);
    if (typeof found === 'string') return { ok: false, problem: found };
    scales.set(uidOf(found), replicasOf(found));
  }
  return { ok: true, replicas: [...scales.values()].reduce((sum, replicas) => sum + replicas, 0), unmanaged };
}

/** The object whose scale counts, or the problem. */
function scaledOwner(reference: OwnerReference, pod: Pod, find: FindScaled): KubeObject | string {
  const { group, version } = parseApiVersion(reference.apiVersion);
  const row = SCALED.find((each) => each.group === group && each.kind === reference.kind);
  if (row === undefined) {
    const other = findKind(group, version, reference.kind);
    if (other === undefined)
      return `no matches for kind ${JSON.stringify(reference.kind)} in version ${JSON.stringify(reference.apiVersion)}`;
    return `${group === '' ? other.resource : `${other.resource}.${group}`} does not implement the scale subresource`;
  }
  const namespace = namespaceOf(pod);
  const owner = find(row, namespace, reference.name);
  if (owner === undefined || uidOf(owner) !== reference.uid)
    return `found no controllers for pod ${JSON.stringify(nameOf(pod))}`;
  if (row !== REPLICA_SETS) return owner;
  const above = controllerOf(owner);
  if (above?.kind !== DEPLOYMENTS.kind || parseApiVersion(above.apiVersion).group !== DEPLOYMENTS.group) return owner;
  const deployment = find(DEPLOYMENTS, namespace, above.name);
  return deployment !== undefined && uidOf(deployment) === above.uid ? deployment : owner;
}

/** Absent is 1: it was so when the object was made. */
export function replicasOf(object: KubeObject): number {
  const { spec } = object as { readonly spec?: { readonly replicas?: number } };
  return spec?.replicas ?? 1;
}
