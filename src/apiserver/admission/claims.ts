/** DefaultStorageClass and PersistentVolumeClaimResize: the class of new claims, and which claims may grow. Pure. */
import {
  compareQuantities,
  forbidden,
  isLocalVolume,
  PERSISTENT_VOLUME_CLAIMS,
  type PersistentVolume,
  type PersistentVolumeClaim,
  type StorageClass,
} from '../../api/index.ts';
import type { ApiObject } from '../registry/object.ts';
import { shownName } from './shown-name.ts';

const BETA_CLASS = 'volume.beta.kubernetes.io/storage-class';

/** A claim that says nothing of a class gets the default one; an empty name says that it wants none. */
export function admitNewClaim(object: ApiObject, byDefault: StorageClass | undefined): ApiObject {
  const { metadata, spec } = object as PersistentVolumeClaim;
  const saysNothing = spec?.storageClassName === undefined && metadata?.annotations?.[BETA_CLASS] === undefined;
  if (!saysNothing || byDefault === undefined) return object;
  return { ...object, spec: { ...spec, storageClassName: byDefault.metadata?.name } };
}

export function asksForMoreRoom(claim: PersistentVolumeClaim, old: PersistentVolumeClaim): boolean {
  return compareQuantities(storageOf(claim), storageOf(old)) > 0;
}

function storageOf({ spec }: PersistentVolumeClaim): string {
  return spec?.resources?.requests?.['storage'] ?? '0';
}

/**
 * Throws 403 for a claim that cannot get the room that it asks for.
 * @param old the claim as it is stored
 * @param storageClass the one of its class; undefined: there is none
 * @param volume the one that it has; undefined: it is gone
 */
export function refuseGrowth(
  old: PersistentVolumeClaim,
  storageClass: StorageClass | undefined,
  volume: PersistentVolume | undefined,
): void {
  const refuse = (text: string): never => {
    throw forbidden(PERSISTENT_VOLUME_CLAIMS, shownName(old.metadata), text);
  };
  if (old.status?.phase !== 'Bound') refuse('Only bound persistent volume claims can be expanded');
  if (storageClass?.allowVolumeExpansion !== true) {
    refuse(
      'only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize',
    );
  }
  if (volume !== undefined && isLocalVolume(volume)) {
    refuse(
      'its volume is a folder of a node, which does not grow: the room that it asked for was promised from what the node had then',
    );
  }
}
