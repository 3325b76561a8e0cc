/** The PersistentVolumeClaims of members: their names, specs, and owners. Pure. */
import {
  controllerReference,
  equalJson,
  nameOf,
  namespaceOf,
  type OwnerReference,
  type PersistentVolumeClaim,
  type Pod,
  PODS,
  STATEFUL_SETS,
  type StatefulSet,
  uidOf,
  type Volume,
} from '../../api/index.ts';
import { isWanted } from './identity.ts';

/** "data-web-0". */
export function claimName(set: StatefulSet, template: PersistentVolumeClaim, ordinal: number): string {
  return `${nameOf(template)}-${nameOf(set)}-${ordinal}`;
}

export function claimNames(set: StatefulSet, ordinal: number): readonly string[] {
  return (set.spec?.volumeClaimTemplates ?? []).map((template) => claimName(set, template, ordinal));
}

/** The claims of a member as they are made: labels of the selector, and the owner that the retention policy asks for. */
export function claimsFor(set: StatefulSet, ordinal: number): readonly PersistentVolumeClaim[] {
  return (set.spec?.volumeClaimTemplates ?? []).map((template) => {
    const { labels, annotations, finalizers } = template.metadata ?? {};
    const owners = ownersFor(set, ordinal, undefined);
    return {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: {
        namespace: namespaceOf(set),
        name: claimName(set, template, ordinal),
        labels: { ...labels, ...set.spec?.selector?.matchLabels },
        ...(annotations === undefined ? {} : { annotations: { ...annotations } }),
        ...(finalizers === undefined ? {} : { finalizers: [...finalizers] }),
        ...(owners.length === 0 ? {} : { ownerReferences: [...owners] }),
      },
      ...(template.spec === undefined ? {} : { spec: structuredClone(template.spec) }),
    };
  });
}

/** The volumes of a member: those of its claims, and those of the template that are not called the same. */
export function volumesFor(set: StatefulSet, ordinal: number, own: readonly Volume[]): readonly Volume[] {
  const claimed = (set.spec?.volumeClaimTemplates ?? []).map((template) => ({
    name: nameOf(template),
    persistentVolumeClaim: { claimName: claimName(set, template, ordinal) },
  }));
  const names = new Set(claimed.map(({ name }) => name));
  return [...claimed, ...own.filter(({ name }) => !names.has(name))];
}

/** Whether a pod uses its claims. A running pod can't be given other volumes. */
export function usesItsClaims(set: StatefulSet, ordinal: number, pod: Pod): boolean {
  const used = new Map(
    (pod.spec?.volumes ?? []).map((volume) => [volume.name, volume.persistentVolumeClaim?.claimName]),
  );
  return (set.spec?.volumeClaimTemplates ?? []).every(
    (template) => used.get(nameOf(template)) === claimName(set, template, ordinal),
  );
}

/** The policy, Retain where nothing is said. */
function retentionOf({ spec }: StatefulSet): { readonly onDelete: boolean; readonly onScale: boolean } {
  const policy = spec?.persistentVolumeClaimRetentionPolicy;
  return { onDelete: policy?.whenDeleted === 'Delete', onScale: policy?.whenScaled === 'Delete' };
}

/**
 * The owners of a member's claims, so that they are deleted with it: the set while the member is wanted, its pod once it no
 * longer is.
 * @param pod undefined while there is none
 */
function ownersFor(set: StatefulSet, ordinal: number, pod: Pod | undefined): readonly OwnerReference[] {
  const { onDelete, onScale } = retentionOf(set);
  if (onScale && !isWanted(set, ordinal)) return pod === undefined ? [] : [controllerReference(PODS, pod)];
  return onDelete ? [controllerReference(STATEFUL_SETS, set)] : [];
}

/** True when the reference names this object's kind and name. */
function names(reference: OwnerReference, wanted: OwnerReference): boolean {
  const { apiVersion, kind, name } = reference;
  return apiVersion === wanted.apiVersion && kind === wanted.kind && name === wanted.name;
}

export interface Ownership {
  /** The corrected owner references; undefined when they are right. */
  readonly change?: readonly OwnerReference[];
  /** Another controller controls it: the retention policy can't be followed. */
  readonly conflicting: boolean;
}

/**
 * Plans the owners of an existing claim. References to an earlier set or pod of the same name, and those of another
 * controller, belong to others: such a claim gets no owner of ours. Upstream: isClaimOwnerUpToDate.
 */
export function claimOwnership(
  set: StatefulSet,
  ordinal: number,
  pod: Pod | undefined,
  claim: PersistentVolumeClaim,
): Ownership {
  const references = claim.metadata?.ownerReferences ?? [];
  const setReference = controllerReference(STATEFUL_SETS, set);
  const podReference = pod === undefined ? undefined : controllerReference(PODS, pod);
  const isOurs = (reference: OwnerReference): boolean =>
    names(reference, setReference) || (podReference !== undefined && names(reference, podReference));
  const uids = [uidOf(set), ...(pod === undefined ? [] : [uidOf(pod)])];
  // From an earlier incarnation: the garbage collector handles it.
  if (references.some((reference) => isOurs(reference) && !uids.includes(reference.uid))) return { conflicting: false };
  const { onDelete, onScale } = retentionOf(set);
  const foreign = references.filter((reference) => !isOurs(reference));
  const conflicting = (onDelete || onScale) && foreign.some(({ controller }) => controller === true);
  const owners = conflicting ? foreign : [...foreign, ...ownersFor(set, ordinal, pod)];
  return equalJson(references, owners) ? { conflicting } : { change: owners, conflicting };
}

/**
 * True while a claim still belongs to an earlier pod of the same name, which was scaled away: it will go with that pod, and
 * the next one must not be made on it. Upstream: PodClaimIsStale.
 */
export function isClaimStale(set: StatefulSet, podName: string, claim: PersistentVolumeClaim): boolean {
  if (!retentionOf(set).onScale) return false;
  return (claim.metadata?.ownerReferences ?? []).some(
    ({ apiVersion, kind, name }) => apiVersion === 'v1' && kind === 'Pod' && name === podName,
  );
}
