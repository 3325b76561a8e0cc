/** Warnings about objects that are stored, and on which nothing of mendlet acts. Pure. */

/** `kind`: "this CSIStorageCapacity" … `who`: who would act on it. */
function unused(kind: string, who: string): () => readonly string[] {
  const texts = [`nothing of mendlet acts on a ${kind}: this one is stored, and has no effect unless ${who}`];
  return () => texts;
}

export const volumeAttributesClassWarnings = unused(
  'VolumeAttributesClass',
  'the external resizer of a CSI driver runs',
);
export const flowSchemaWarnings = unused('FlowSchema', 'another API server reads it: requests are not sorted by it');
export const priorityLevelWarnings = unused(
  'PriorityLevelConfiguration',
  'another API server reads it: requests are not queued by it',
);
export const deviceClassWarnings = unused('DeviceClass', 'an allocator of devices runs in the cluster');
export const resourceSliceWarnings = unused('ResourceSlice', 'an allocator of devices runs in the cluster');
export const resourceClaimWarnings = unused('ResourceClaim', 'an allocator of devices runs in the cluster');
export const resourceClaimTemplateWarnings = unused(
  'ResourceClaimTemplate',
  'an allocator of devices runs in the cluster',
);
