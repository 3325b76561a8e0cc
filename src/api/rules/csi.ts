/** The rules of the kinds of CSI. */
import { defaultCsiDriver } from '../defaulting/csi.ts';
import { kindRules } from '../kind-rules.ts';
import {
  validateCsiDriver,
  validateCsiDriverUpdate,
  validateCsiNode,
  validateCsiNodeUpdate,
  validateCsiStorageCapacity,
  validateCsiStorageCapacityUpdate,
  validateVolumeAttachment,
  validateVolumeAttachmentUpdate,
  validateVolumeAttributesClass,
  validateVolumeAttributesClassUpdate,
} from '../validation/csi.ts';
import { volumeAttributesClassWarnings } from '../warnings/unused.ts';

export const CSI_DRIVER_RULES = kindRules({
  create: validateCsiDriver,
  update: validateCsiDriverUpdate,
  setDefaults: defaultCsiDriver,
});

export const CSI_NODE_RULES = kindRules({
  create: validateCsiNode,
  update: validateCsiNodeUpdate,
});

export const CSI_STORAGE_CAPACITY_RULES = kindRules({
  create: validateCsiStorageCapacity,
  update: validateCsiStorageCapacityUpdate,
});

export const VOLUME_ATTACHMENT_RULES = kindRules({
  create: validateVolumeAttachment,
  update: validateVolumeAttachmentUpdate,
});

export const VOLUME_ATTRIBUTES_CLASS_RULES = kindRules({
  create: validateVolumeAttributesClass,
  update: validateVolumeAttributesClassUpdate,
  warnings: volumeAttributesClassWarnings,
});
