/** The numbers on the wire, as the Container Storage Interface 1.11 publishes them, and those of plugin registration v1. */
import type { DescEnum, DescMessage } from '@bufbuild/protobuf';
import { expect, it } from 'vitest';
import * as csi from './gen/csi_pb.js';
import * as registration from './gen/plugin-registration_pb.js';

type Numbers = Readonly<Record<string, number>>;

const MESSAGES: readonly (readonly [DescMessage, string, Numbers])[] = [
  [
    csi.NodeStageVolumeRequestSchema,
    'csi.v1.NodeStageVolumeRequest',
    {
      volume_id: 1,
      publish_context: 2,
      staging_target_path: 3,
      volume_capability: 4,
      secrets: 5,
      volume_context: 6,
    },
  ],
  [csi.NodeStageVolumeResponseSchema, 'csi.v1.NodeStageVolumeResponse', {}],
  [csi.NodeUnstageVolumeRequestSchema, 'csi.v1.NodeUnstageVolumeRequest', { volume_id: 1, staging_target_path: 2 }],
  [csi.NodeUnstageVolumeResponseSchema, 'csi.v1.NodeUnstageVolumeResponse', {}],
  [
    csi.NodePublishVolumeRequestSchema,
    'csi.v1.NodePublishVolumeRequest',
    {
      volume_id: 1,
      publish_context: 2,
      staging_target_path: 3,
      target_path: 4,
      volume_capability: 5,
      readonly: 6,
      secrets: 7,
      volume_context: 8,
    },
  ],
  [csi.NodePublishVolumeResponseSchema, 'csi.v1.NodePublishVolumeResponse', {}],
  [csi.NodeUnpublishVolumeRequestSchema, 'csi.v1.NodeUnpublishVolumeRequest', { volume_id: 1, target_path: 2 }],
  [csi.NodeUnpublishVolumeResponseSchema, 'csi.v1.NodeUnpublishVolumeResponse', {}],
  [
    csi.NodeGetVolumeStatsRequestSchema,
    'csi.v1.NodeGetVolumeStatsRequest',
    { volume_id: 1, volume_path: 2, staging_target_path: 3 },
  ],
  [csi.NodeGetVolumeStatsResponseSchema, 'csi.v1.NodeGetVolumeStatsResponse', { usage: 1, volume_condition: 2 }],
  [csi.VolumeUsageSchema, 'csi.v1.VolumeUsage', { available: 1, total: 2, used: 3, unit: 4 }],
  [csi.VolumeConditionSchema, 'csi.v1.VolumeCondition', { abnormal: 1, message: 2 }],
  [
    csi.NodeExpandVolumeRequestSchema,
    'csi.v1.NodeExpandVolumeRequest',
    {
      volume_id: 1,
      volume_path: 2,
      capacity_range: 3,
      staging_target_path: 4,
      volume_capability: 5,
      secrets: 6,
    },
  ],
  [csi.NodeExpandVolumeResponseSchema, 'csi.v1.NodeExpandVolumeResponse', { capacity_bytes: 1 }],
  [csi.CapacityRangeSchema, 'csi.v1.CapacityRange', { required_bytes: 1, limit_bytes: 2 }],
  [csi.VolumeCapabilitySchema, 'csi.v1.VolumeCapability', { block: 1, mount: 2, access_mode: 3 }],
  [
    csi.VolumeCapability_MountVolumeSchema,
    'csi.v1.VolumeCapability.MountVolume',
    { fs_type: 1, mount_flags: 2, volume_mount_group: 3 },
  ],
  [csi.VolumeCapability_AccessModeSchema, 'csi.v1.VolumeCapability.AccessMode', { mode: 1 }],
  [csi.NodeGetCapabilitiesResponseSchema, 'csi.v1.NodeGetCapabilitiesResponse', { capabilities: 1 }],
  [csi.NodeServiceCapabilitySchema, 'csi.v1.NodeServiceCapability', { rpc: 1 }],
  [csi.NodeServiceCapability_RPCSchema, 'csi.v1.NodeServiceCapability.RPC', { type: 1 }],
  [
    csi.NodeGetInfoResponseSchema,
    'csi.v1.NodeGetInfoResponse',
    { node_id: 1, max_volumes_per_node: 2, accessible_topology: 3 },
  ],
  [csi.TopologySchema, 'csi.v1.Topology', { segments: 1 }],
  [
    registration.PluginInfoSchema,
    'pluginregistration.PluginInfo',
    { type: 1, name: 2, endpoint: 3, supported_versions: 4 },
  ],
  [registration.RegistrationStatusSchema, 'pluginregistration.RegistrationStatus', { plugin_registered: 1, error: 2 }],
];

const ENUMS: readonly (readonly [DescEnum, Numbers])[] = [
  [
    csi.VolumeCapability_AccessMode_ModeSchema,
    {
      UNKNOWN: 0,
      SINGLE_NODE_WRITER: 1,
      SINGLE_NODE_READER_ONLY: 2,
      MULTI_NODE_READER_ONLY: 3,
      MULTI_NODE_SINGLE_WRITER: 4,
      MULTI_NODE_MULTI_WRITER: 5,
      SINGLE_NODE_SINGLE_WRITER: 6,
      SINGLE_NODE_MULTI_WRITER: 7,
    },
  ],
  [
    csi.NodeServiceCapability_RPC_TypeSchema,
    {
      UNKNOWN: 0,
      STAGE_UNSTAGE_VOLUME: 1,
      GET_VOLUME_STATS: 2,
      EXPAND_VOLUME: 3,
      VOLUME_CONDITION: 4,
      SINGLE_NODE_MULTI_WRITER: 5,
      VOLUME_MOUNT_GROUP: 6,
    },
  ],
  [csi.VolumeUsage_UnitSchema, { UNKNOWN: 0, BYTES: 1, INODES: 2 }],
];

it.each(MESSAGES.map(([schema, name, numbers]) => ({ schema, name, numbers })))(
  'of the message $name',
  ({ schema, name, numbers }) => {
    expect(schema.typeName).toBe(name);
    expect(Object.fromEntries(schema.fields.map((field) => [field.name, field.number]))).toEqual(numbers);
  },
);

it.each(ENUMS.map(([schema, numbers]) => ({ schema, numbers })))(
  'of the enum $schema.typeName',
  ({ schema, numbers }) => {
    expect(Object.fromEntries(schema.values.map((value) => [value.name, value.number]))).toEqual(numbers);
  },
);

it('of the calls: their paths', () => {
  expect(csi.Node.typeName).toBe('csi.v1.Node');
  expect(csi.Node.methods.map(({ name }) => name).toSorted()).toEqual([
    'NodeExpandVolume',
    'NodeGetCapabilities',
    'NodeGetInfo',
    'NodeGetVolumeStats',
    'NodePublishVolume',
    'NodeStageVolume',
    'NodeUnpublishVolume',
    'NodeUnstageVolume',
  ]);
  expect(registration.Registration.typeName).toBe('pluginregistration.Registration');
});
