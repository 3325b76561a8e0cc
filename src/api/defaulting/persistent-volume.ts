/** Defaults of volumes, claims and their classes (upstream SetDefaults_PersistentVolume and siblings). They fill a draft in place. */
import type { PersistentVolume, PersistentVolumeClaim, StorageClass } from '../types.gen.ts';
import { defaultSource } from './volume.ts';

export function defaultPersistentVolumeClaim(claim: PersistentVolumeClaim): void {
  (claim.status ??= {}).phase ||= 'Pending';
  // Pointers: an empty text is a value, for validation to refuse.
  (claim.spec ??= {}).volumeMode ??= 'Filesystem';
}

export function defaultPersistentVolume(volume: PersistentVolume): void {
  (volume.status ??= {}).phase ||= 'Pending';
  const spec = (volume.spec ??= {});
  spec.persistentVolumeReclaimPolicy ||= 'Retain';
  spec.volumeMode ??= 'Filesystem';
  defaultSource(spec);
  if (spec.hostPath !== undefined) spec.hostPath.type ??= '';
}

export function defaultStorageClass(storageClass: StorageClass): void {
  storageClass.reclaimPolicy ??= 'Delete';
  storageClass.volumeBindingMode ??= 'Immediate';
}
