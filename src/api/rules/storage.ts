/** The rules of volumes, their claims and classes. */
import {
  defaultPersistentVolume,
  defaultPersistentVolumeClaim,
  defaultStorageClass,
} from '../defaulting/persistent-volume.ts';
import { kindRules } from '../kind-rules.ts';
import {
  validatePersistentVolumeClaim,
  validatePersistentVolumeClaimStatus,
  validatePersistentVolumeClaimUpdate,
} from '../validation/persistent-volume-claim.ts';
import {
  validatePersistentVolume,
  validatePersistentVolumeStatus,
  validatePersistentVolumeUpdate,
  validateStorageClass,
  validateStorageClassUpdate,
} from '../validation/persistent-volume.ts';
import { claimWarnings, storageClassWarnings, volumeWarnings } from '../warnings/claims.ts';

export const PERSISTENT_VOLUME_RULES = kindRules({
  create: validatePersistentVolume,
  update: validatePersistentVolumeUpdate,
  parts: { status: validatePersistentVolumeStatus },
  setDefaults: defaultPersistentVolume,
  warnings: volumeWarnings,
});

export const PERSISTENT_VOLUME_CLAIM_RULES = kindRules({
  create: validatePersistentVolumeClaim,
  update: validatePersistentVolumeClaimUpdate,
  parts: { status: validatePersistentVolumeClaimStatus },
  setDefaults: defaultPersistentVolumeClaim,
  warnings: claimWarnings,
});

export const STORAGE_CLASS_RULES = kindRules({
  create: validateStorageClass,
  update: validateStorageClassUpdate,
  setDefaults: defaultStorageClass,
  warnings: storageClassWarnings,
});
