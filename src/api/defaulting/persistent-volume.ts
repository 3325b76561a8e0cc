/** Defaults of volumes, claims and their classes (upstream SetDefaults_PersistentVolume and siblings). They fill a draft in place. */
import type { PersistentVolume, PersistentVolumeClaim, StorageClass } from '../types.gen.ts';

export function defaultPersistentVolumeClaim(claim: PersistentVolumeClaim): void {
  (claim.status ??= {}).phase ||= 'Pending';
  (claim.spec ??= {}).volumeMode ||= 'Filesystem';
}

export function defaultPersistentVolume(volume: PersistentVolume): void {
  (volume.status ??= {}).phase ||= 'Pending';
  const spec = (volume.spec ??= {});
  spec.persistentVolumeReclaimPolicy ||= 'Retain';
  spec.volumeMode ||= 'Filesystem';
  if (spec.hostPath !== undefined) spec.hostPath.type ??= '';
}

export function defaultStorageClass(storageClass: StorageClass): void {
  storageClass.reclaimPolicy ||= 'Delete';
  storageClass.volumeBindingMode ||= 'Immediate';
}
