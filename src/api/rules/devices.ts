/** The rules of the group resource.k8s.io. */
import { defaultResourceClaim, defaultResourceClaimTemplate, defaultResourceSlice } from '../defaulting/devices.ts';
import { kindRules } from '../kind-rules.ts';
import {
  validateResourceClaim,
  validateResourceClaimStatus,
  validateResourceClaimTemplate,
  validateResourceClaimTemplateUpdate,
  validateResourceClaimUpdate,
} from '../validation/device-claims.ts';
import { validateResourceSlice, validateResourceSliceUpdate } from '../validation/device-slices.ts';
import { validateDeviceClass, validateDeviceClassUpdate } from '../validation/devices.ts';
import {
  deviceClassWarnings,
  resourceClaimTemplateWarnings,
  resourceClaimWarnings,
  resourceSliceWarnings,
} from '../warnings/unused.ts';

export const DEVICE_CLASS_RULES = kindRules({
  create: validateDeviceClass,
  update: validateDeviceClassUpdate,
  warnings: deviceClassWarnings,
});

export const RESOURCE_CLAIM_RULES = kindRules({
  create: validateResourceClaim,
  update: validateResourceClaimUpdate,
  parts: { status: validateResourceClaimStatus },
  setDefaults: defaultResourceClaim,
  warnings: resourceClaimWarnings,
});

export const RESOURCE_CLAIM_TEMPLATE_RULES = kindRules({
  create: validateResourceClaimTemplate,
  update: validateResourceClaimTemplateUpdate,
  setDefaults: defaultResourceClaimTemplate,
  warnings: resourceClaimTemplateWarnings,
});

export const RESOURCE_SLICE_RULES = kindRules({
  create: validateResourceSlice,
  update: validateResourceSliceUpdate,
  setDefaults: defaultResourceSlice,
  selectable: ['metadata.name', 'spec.nodeName', 'spec.driver'],
  warnings: resourceSliceWarnings,
});
