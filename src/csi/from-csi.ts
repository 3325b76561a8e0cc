/** Answers of plugins in the port's words. Pure. */
import {
  type NodeGetCapabilitiesResponse,
  type NodeGetVolumeStatsResponse,
  NodeServiceCapability_RPC_Type as Rpc,
  type VolumeUsage,
  VolumeUsage_Unit as Unit,
} from './gen/csi_pb.js';
import { told } from './told.ts';
import type { NodeCapability, Usage, VolumeStats } from './plugins.ts';

const CAPABILITIES: ReadonlyMap<Rpc, NodeCapability> = new Map([
  [Rpc.STAGE_UNSTAGE_VOLUME, 'stage'],
  [Rpc.GET_VOLUME_STATS, 'stats'],
  [Rpc.EXPAND_VOLUME, 'expand'],
  [Rpc.VOLUME_CONDITION, 'condition'],
  [Rpc.SINGLE_NODE_MULTI_WRITER, 'single-node-multi-writer'],
  [Rpc.VOLUME_MOUNT_GROUP, 'mount-group'],
]);

/** Capabilities that are not known here are left out. */
export function capabilitiesFromCsi({ capabilities }: NodeGetCapabilitiesResponse): ReadonlySet<NodeCapability> {
  return new Set(
    capabilities.flatMap(({ type }) => (type.case === 'rpc' ? (CAPABILITIES.get(type.value.type) ?? []) : [])),
  );
}

export function statsFromCsi({ usage, volumeCondition }: NodeGetVolumeStatsResponse): VolumeStats {
  const bytes = usageOf(usage, Unit.BYTES);
  const inodes = usageOf(usage, Unit.INODES);
  return {
    ...(bytes && { bytes }),
    ...(inodes && { inodes }),
    ...(volumeCondition && {
      condition: { isAbnormal: volumeCondition.abnormal, message: told(volumeCondition.message) },
    }),
  };
}

function usageOf(all: readonly VolumeUsage[], unit: Unit): Usage | undefined {
  const found = all.find((each) => each.unit === unit);
  return found && { available: count(found.available), total: count(found.total), used: count(found.used) };
}

/** A driver that counts below zero counts nothing. */
export function count(value: bigint): number {
  return value < 0n ? 0 : Number(value);
}
