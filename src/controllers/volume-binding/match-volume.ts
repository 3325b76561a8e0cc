/** Which volume suits a claim. Pure. Upstream: FindMatchingVolume, checkVolumeSatisfyClaim. */
import {
  compareQuantities,
  isDeleting,
  labelSelectorOf,
  matchesLabels,
  nameOf,
  namespaceOf,
  type PersistentVolume,
  type PersistentVolumeClaim,
  uidOf,
} from '../../api/index.ts';

/** Why a volume that a claim asks for by name is not for it; undefined when it is. Upstream's words. */
export function misfitOf(claim: PersistentVolumeClaim, volume: PersistentVolume): string | undefined {
  const asked = claim.spec?.resources?.requests?.['storage'];
  const capacity = volume.spec?.capacity?.['storage'];
  if (asked !== undefined && (capacity === undefined || compareQuantities(capacity, asked) < 0))
    return 'requested PV is too small';
  if ((claim.spec?.storageClassName ?? '') !== (volume.spec?.storageClassName ?? ''))
    return 'storageClassName does not match';
  if ((claim.spec?.volumeAttributesClassName ?? '') !== (volume.spec?.volumeAttributesClassName ?? ''))
    return 'volumeAttributesClassName does not match';
  if ((claim.spec?.volumeMode ?? 'Filesystem') !== (volume.spec?.volumeMode ?? 'Filesystem'))
    return 'incompatible volumeMode';
  const modes = volume.spec?.accessModes ?? [];
  if (!(claim.spec?.accessModes ?? []).every((mode) => modes.includes(mode))) return 'incompatible accessMode';
  return undefined;
}

/** Whether the volume was reserved for this claim, by the controller (with its UID) or by a person beforehand (without). */
export function isFor(volume: PersistentVolume, claim: PersistentVolumeClaim): boolean {
  const reference = volume.spec?.claimRef;
  if (reference === undefined || reference.namespace !== namespaceOf(claim) || reference.name !== nameOf(claim))
    return false;
  return !reference.uid || reference.uid === uidOf(claim);
}

/**
 * The volume to bind: one that was already reserved for the claim, else the smallest free one.
 * @param reaches whether a pod that waits for the claim could use it; other volumes are left for others
 */
export function bestVolume(
  claim: PersistentVolumeClaim,
  volumes: readonly PersistentVolume[],
  reaches: (volume: PersistentVolume) => boolean,
): PersistentVolume | undefined {
  const given = volumes.find(
    (volume) => isFor(volume, claim) && !isDeleting(volume) && misfitOf(claim, volume) === undefined,
  );
  if (given !== undefined || hasSource(claim)) return given;
  const selector = labelSelectorOf(claim.spec?.selector) ?? [];
  const [best] = volumes
    .filter(
      (volume) =>
        volume.spec?.claimRef === undefined &&
        !isDeleting(volume) &&
        misfitOf(claim, volume) === undefined &&
        matchesLabels(selector, volume.metadata?.labels) &&
        reaches(volume),
    )
    .toSorted((a, b) => compareQuantities(capacityOf(a), capacityOf(b)) || (nameOf(a) < nameOf(b) ? -1 : 1));
  return best;
}

/** A free volume does not hold what the claim's snapshot or other claim holds: one is made for it, or given to it by name. */
function hasSource({ spec }: PersistentVolumeClaim): boolean {
  return spec?.dataSource !== undefined || spec?.dataSourceRef !== undefined;
}

function capacityOf(volume: PersistentVolume): string {
  return volume.spec?.capacity?.['storage'] ?? '0';
}
