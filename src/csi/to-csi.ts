/** Requests to drivers in CSI's words. Pure. */
import type { MessageInitShape } from '@bufbuild/protobuf';
import {
  type NodeExpandVolumeRequestSchema,
  type NodePublishVolumeRequestSchema,
  type NodeStageVolumeRequestSchema,
  VolumeCapability_AccessMode_Mode as Mode,
  type VolumeCapabilitySchema,
} from './gen/csi_pb.js';
import type { AccessMode, ExpandRequest, PublishRequest, StageRequest, VolumeCapability } from './plugins.ts';

const MODES: Readonly<Record<AccessMode, Mode>> = {
  'single-node-writer': Mode.SINGLE_NODE_WRITER,
  'single-node-single-writer': Mode.SINGLE_NODE_SINGLE_WRITER,
  'single-node-multi-writer': Mode.SINGLE_NODE_MULTI_WRITER,
  'multi-node-reader-only': Mode.MULTI_NODE_READER_ONLY,
  'multi-node-multi-writer': Mode.MULTI_NODE_MULTI_WRITER,
};

export function capabilityToCsi({ mode, mount }: VolumeCapability): MessageInitShape<typeof VolumeCapabilitySchema> {
  return {
    accessMode: { mode: MODES[mode] },
    accessType:
      mount === undefined
        ? { case: 'block', value: {} }
        : {
            case: 'mount',
            value: { fsType: mount.fsType, mountFlags: [...mount.flags], volumeMountGroup: mount.group ?? '' },
          },
  };
}

export function stageToCsi(request: StageRequest): MessageInitShape<typeof NodeStageVolumeRequestSchema> {
  return common(request);
}

export function publishToCsi(request: PublishRequest): MessageInitShape<typeof NodePublishVolumeRequestSchema> {
  return { ...common(request), targetPath: request.targetPath, readonly: request.readOnly };
}

/** The fields that staging and publishing share. */
function common({ handle, stagingPath, capability, publishContext, volumeContext, secrets }: StageRequest) {
  return {
    volumeId: handle,
    stagingTargetPath: stagingPath,
    volumeCapability: capabilityToCsi(capability),
    publishContext: { ...publishContext },
    volumeContext: { ...volumeContext },
    secrets: { ...secrets },
  };
}

export function expandToCsi(request: ExpandRequest): MessageInitShape<typeof NodeExpandVolumeRequestSchema> {
  const { handle, volumePath, stagingPath, requiredBytes, capability, secrets } = request;
  return {
    volumeId: handle,
    volumePath,
    stagingTargetPath: stagingPath,
    capacityRange: { requiredBytes: BigInt(requiredBytes) },
    volumeCapability: capabilityToCsi(capability),
    secrets: { ...secrets },
  };
}
