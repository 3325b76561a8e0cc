/** The node service of the example driver: folders are bound, disks are loop devices with ext4, or as they are. */
import { spawnSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, rmSync, statfsSync, statSync, truncateSync } from 'node:fs';
import { Code, ConnectError, type ServiceImpl } from '@connectrpc/connect';
import {
  type Node,
  type NodePublishVolumeRequest,
  NodeServiceCapability_RPC_Type as Rpc,
  VolumeUsage_Unit as Unit,
} from '../../../src/csi/gen/csi_pb.js';
import { attachDevice, deviceOf, isMounted, run } from './programs.ts';
import { settings, topologyOf } from './settings.ts';
import type { Store, Volume } from './store.ts';

const EPHEMERAL = 'csi.storage.k8s.io/ephemeral';

export function nodeService(volumes: Store): ServiceImpl<typeof Node> {
  return {
    nodeGetInfo: () => ({
      nodeId: settings.node,
      maxVolumesPerNode: BigInt(settings.maxVolumes),
      ...(settings.staysOnNode && { accessibleTopology: { segments: topologyOf(settings.node) } }),
    }),
    nodeGetCapabilities: () => ({
      capabilities: [Rpc.STAGE_UNSTAGE_VOLUME, Rpc.GET_VOLUME_STATS, Rpc.VOLUME_CONDITION, Rpc.EXPAND_VOLUME].map(
        (type) => ({ type: { case: 'rpc', value: { type } } }),
      ),
    }),
    nodeStageVolume: ({ volumeId, stagingTargetPath, volumeCapability, publishContext }) => {
      const volume = volumes.get(volumeId);
      checkHere(volume, publishContext);
      const { accessType } = volumeCapability ?? {};
      const fsType = accessType?.case === 'mount' ? accessType.value.fsType : '';
      if (accessType?.case !== 'block') stage(volume, volumes.path(volumeId), stagingTargetPath, fsType);
      return {};
    },
    nodeUnstageVolume: ({ volumeId, stagingTargetPath }) => {
      while (isMounted(stagingTargetPath)) run('umount', stagingTargetPath);
      const { kind } = volumes.find(volumeId) ?? {};
      const device = kind === 'disk' ? deviceOf(volumes.path(volumeId)) : undefined;
      if (device !== undefined) run('losetup', '--detach', device);
      return {};
    },
    nodePublishVolume: (request) => {
      publish(request, volumes);
      return {};
    },
    nodeUnpublishVolume: ({ volumeId, targetPath }) => {
      while (isMounted(targetPath)) run('umount', targetPath);
      rmSync(targetPath, { recursive: true, force: true });
      if (volumes.find(volumeId)?.name === EPHEMERAL) volumes.remove(volumeId);
      return {};
    },
    nodeExpandVolume: ({ volumeId, volumePath, capacityRange }) => {
      const volume = volumes.get(volumeId);
      const bytes = Math.max(volume.bytes, Number(capacityRange?.requiredBytes ?? 0n));
      if (volume.kind === 'disk') grow(volumes.path(volumeId), bytes, volumePath);
      return { capacityBytes: BigInt(bytes) };
    },
    nodeGetVolumeStats: ({ volumeId, volumePath }) => {
      const volume = volumes.find(volumeId);
      const problem = volume === undefined ? 'the volume is gone' : isMounted(volumePath) ? '' : 'it is not mounted';
      const volumeCondition = { abnormal: problem !== '', message: problem };
      return { usage: usageOf(volumePath, volume), volumeCondition };
    },
  };
}

/** @throws `FailedPrecondition` on a node that does not have the volume */
function checkHere({ id, node, attachedTo }: Volume, { attachedTo: said }: Readonly<Record<string, string>>): void {
  const here = settings.node;
  if (node !== undefined && node !== here)
    throw new ConnectError(`volume ${id} is on node ${node}`, Code.FailedPrecondition);
  if (settings.attaches && !(attachedTo.includes(here) && said === here))
    throw new ConnectError(`volume ${id} is not attached to node ${here}`, Code.FailedPrecondition);
}

/** The file systems that a disk may have. */
function isFileSystem(name: string): name is 'ext4' | 'xfs' {
  return name === 'ext4' || name === 'xfs';
}

function stage({ kind, bytes }: Volume, source: string, path: string, fsType: string): void {
  if (isMounted(path)) return;
  mkdirSync(path, { recursive: true });
  if (kind === 'folder') return void run('mount', '--bind', source, path);
  const wanted = fsType === '' ? 'ext4' : fsType;
  if (!isFileSystem(wanted)) throw new ConnectError(`file system ${wanted} is not served`, Code.InvalidArgument);
  // What was grown while no node had it.
  if (statSync(source).size < bytes) truncateSync(source, bytes);
  const device = attachDevice(source);
  const known = spawnSync('blkid', ['--output', 'value', '--match-tag', 'TYPE', device], { encoding: 'utf8' });
  const found = known.stdout.trim();
  if (found === '' && wanted === 'ext4') run('mke2fs', '-q', '-t', 'ext4', device);
  else if (found === '') run('mkfs.xfs', '-q', device);
  else if (found === 'ext4') growUnmounted(device);
  // A snapshot and its origin have one name in common, which XFS mounts once.
  run('mount', '-t', found || wanted, ...((found || wanted) === 'xfs' ? ['-o', 'nouuid'] : []), device, path);
  if (found === 'xfs') run('xfs_growfs', path);
}

/** Growing what is mounted takes a right that a machine may not have. */
function growUnmounted(device: string): void {
  // 1: what was wrong is right now.
  const { status, stdout, stderr } = spawnSync('e2fsck', ['-f', '-p', device], { encoding: 'utf8' });
  if (status !== 0 && status !== 1) throw new ConnectError(`e2fsck ${device}: ${stdout}${stderr}`, Code.Internal);
  run('resize2fs', device);
}

function publish(request: NodePublishVolumeRequest, volumes: Store): void {
  const { volumeId, stagingTargetPath, targetPath, volumeContext, volumeCapability, readonly } = request;
  if (isMounted(targetPath)) return;
  if (volumeContext[EPHEMERAL] === 'true') {
    const createdAt = new Date().toISOString();
    const own: Volume = { id: volumeId, name: EPHEMERAL, kind: 'folder', bytes: 0, attachedTo: [], createdAt };
    if (volumes.find(volumeId) === undefined) volumes.make(own);
    mkdirSync(targetPath, { recursive: true });
    run('mount', '--bind', volumes.path(volumeId), targetPath);
    return;
  }
  const volume = volumes.get(volumeId);
  const isBlock = volumeCapability?.accessType.case === 'block';
  if (isBlock) {
    checkHere(volume, request.publishContext);
    closeSync(openSync(targetPath, 'a'));
  } else {
    if (!isMounted(stagingTargetPath))
      throw new ConnectError(`volume ${volumeId} is not staged`, Code.FailedPrecondition);
    mkdirSync(targetPath, { recursive: true });
  }
  run('mount', '--bind', isBlock ? attachDevice(volumes.path(volumeId)) : stagingTargetPath, targetPath);
  if (readonly && !isBlock) run('mount', '-o', 'remount,bind,ro', targetPath);
}

const isFolder = (path: string): boolean => statSync(path).isDirectory();

/** Grows image, device and, if it is mounted, file system. */
function grow(image: string, bytes: number, path: string): void {
  if (statSync(image).size < bytes) truncateSync(image, bytes);
  const device = attachDevice(image);
  run('losetup', '--set-capacity', device);
  if (!isMounted(path) || !isFolder(path)) return;
  const type = run('blkid', '--output', 'value', '--match-tag', 'TYPE', device);
  if (type === 'xfs') run('xfs_growfs', path);
  else run('resize2fs', device);
}

function usageOf(path: string, volume: Volume | undefined) {
  if (!isFolder(path)) return [{ unit: Unit.BYTES, total: BigInt(volume?.bytes ?? 0), used: 0n, available: 0n }];
  const { bsize, blocks, bfree, bavail, files, ffree } = statfsSync(path);
  return [
    {
      unit: Unit.BYTES,
      total: BigInt(blocks * bsize),
      used: BigInt((blocks - bfree) * bsize),
      available: BigInt(bavail * bsize),
    },
    { unit: Unit.INODES, total: BigInt(files), used: BigInt(files - ffree), available: BigInt(ffree) },
  ];
}
