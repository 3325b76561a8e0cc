/** The controller service of the example driver: it makes, attaches, grows, copies and removes volumes. */
import { Code, ConnectError, type ServiceImpl } from '@connectrpc/connect';
import {
  type Controller,
  type CreateVolumeRequest,
  ControllerServiceCapability_RPC_Type as Rpc,
  VolumeCapability_AccessMode_Mode as Mode,
} from './gen/csi-controller_pb.js';
import { settings, topologyKey, topologyOf } from './settings.ts';
import type { Store, Volume } from './store.ts';

const DEFAULT_BYTES = 16 << 20;
const SHARED: ReadonlySet<Mode> = new Set([
  Mode.MULTI_NODE_READER_ONLY,
  Mode.MULTI_NODE_SINGLE_WRITER,
  Mode.MULTI_NODE_MULTI_WRITER,
]);

export function controllerService(volumes: Store, snapshots: Store): ServiceImpl<typeof Controller> {
  return {
    controllerGetCapabilities: () => ({
      capabilities: [
        Rpc.CREATE_DELETE_VOLUME,
        Rpc.EXPAND_VOLUME,
        Rpc.CREATE_DELETE_SNAPSHOT,
        Rpc.CLONE_VOLUME,
        Rpc.GET_CAPACITY,
        ...(settings.attaches ? [Rpc.PUBLISH_UNPUBLISH_VOLUME] : []),
      ].map((type) => ({ type: { case: 'rpc', value: { type } } })),
    }),
    createVolume: (request) => ({ volume: answer(create(request, volumes, snapshots), request) }),
    deleteVolume: ({ volumeId }) => {
      const nodes = volumes.find(volumeId)?.attachedTo ?? [];
      if (nodes.length > 0) throw refused(`volume ${volumeId} is attached to ${nodes.join(', ')}`);
      volumes.remove(volumeId);
      return {};
    },
    controllerPublishVolume: ({ volumeId, nodeId, volumeCapability }) => {
      const volume = volumes.get(volumeId);
      const others = volume.attachedTo.filter((each) => each !== nodeId);
      const isShared = SHARED.has(volumeCapability?.accessMode?.mode ?? Mode.UNKNOWN);
      if (others.length > 0 && !isShared) throw refused(`volume ${volumeId} is attached to ${others.join(', ')}`);
      volumes.put({ ...volume, attachedTo: [...others, nodeId] });
      return { publishContext: { attachedTo: nodeId } };
    },
    controllerUnpublishVolume: ({ volumeId, nodeId }) => {
      const volume = volumes.find(volumeId);
      if (volume === undefined) return {};
      const attachedTo = nodeId === '' ? [] : volume.attachedTo.filter((each) => each !== nodeId);
      volumes.put({ ...volume, attachedTo });
      return {};
    },
    controllerExpandVolume: ({ volumeId, capacityRange }) => {
      const volume = volumes.get(volumeId);
      const bytes = Math.max(volume.bytes, Number(capacityRange?.requiredBytes ?? 0n));
      checkRoom(bytes - volume.bytes, volumes, volume.node);
      volumes.put({ ...volume, bytes });
      return { capacityBytes: BigInt(bytes), nodeExpansionRequired: volume.kind === 'disk' };
    },
    createSnapshot: ({ name, sourceVolumeId }) => {
      const id = `snap-${name}`;
      const known = snapshots.find(id);
      if (known !== undefined && known.source !== sourceVolumeId)
        throw new ConnectError(`snapshot ${name} is of ${known.source}`, Code.AlreadyExists);
      const { attachedTo: _, ...origin } = volumes.get(sourceVolumeId);
      const createdAt = new Date().toISOString();
      const made = known ?? { ...origin, id, name, attachedTo: [], source: sourceVolumeId, createdAt };
      if (known === undefined) snapshots.make(made, volumes.path(sourceVolumeId));
      const seconds = BigInt(Math.floor(Date.parse(made.createdAt) / 1000));
      return {
        snapshot: {
          snapshotId: id,
          sourceVolumeId,
          sizeBytes: BigInt(made.bytes),
          creationTime: { seconds, nanos: 0 },
          readyToUse: true,
        },
      };
    },
    deleteSnapshot: ({ snapshotId }) => {
      snapshots.remove(snapshotId);
      return {};
    },
    getCapacity: ({ accessibleTopology }) => ({
      availableCapacity: BigInt(free(volumes, accessibleTopology?.segments[topologyKey])),
    }),
  };
}

const refused = (text: string): ConnectError => new ConnectError(text, Code.FailedPrecondition);

function free(volumes: Store, node: string | undefined): number {
  const used = volumes
    .list()
    .filter((each) => !settings.staysOnNode || each.node === node)
    .reduce((sum, { bytes }) => sum + bytes, 0);
  return Math.max(0, settings.capacity - used);
}

/** @throws `ResourceExhausted` when there are not so many bytes more */
function checkRoom(bytes: number, volumes: Store, node: string | undefined): void {
  const left = free(volumes, node);
  if (bytes > left) throw new ConnectError(`${bytes} bytes are asked for, ${left} are left`, Code.ResourceExhausted);
}

function create(request: CreateVolumeRequest, volumes: Store, snapshots: Store): Volume {
  const { name, parameters, volumeCapabilities, volumeContentSource: content } = request;
  const isBlock = volumeCapabilities.some(({ accessType }) => accessType.case === 'block');
  const [store, origin] =
    content?.type.case === 'snapshot'
      ? [snapshots, snapshots.get(content.type.value.snapshotId)]
      : content?.type.case === 'volume'
        ? [volumes, volumes.get(content.type.value.volumeId)]
        : [];
  const kind = origin?.kind ?? (isBlock || parameters['kind'] === 'disk' ? 'disk' : 'folder');
  const bytes = Math.max(Number(request.capacityRange?.requiredBytes ?? 0n) || DEFAULT_BYTES, origin?.bytes ?? 0);
  const id = `${kind}-${name}`;
  const known = volumes.find(id);
  if (known !== undefined) {
    if (known.bytes < bytes) throw new ConnectError(`volume ${name} has another size`, Code.AlreadyExists);
    return known;
  }
  const node = settings.staysOnNode ? chosenNode(request) : undefined;
  checkRoom(bytes, volumes, node);
  const createdAt = new Date().toISOString();
  const made: Volume = { id, name, kind, bytes, attachedTo: [], createdAt, ...(node !== undefined && { node }) };
  volumes.make(made, origin && store?.path(origin.id));
  return made;
}

function chosenNode({ accessibilityRequirements: asked }: CreateVolumeRequest): string {
  const [first] = [...(asked?.preferred ?? []), ...(asked?.requisite ?? [])];
  const node = first?.segments[topologyKey];
  if (node === undefined) throw new ConnectError('nobody says on which node', Code.InvalidArgument);
  return node;
}

function answer({ id, bytes, node, kind }: Volume, { volumeContentSource }: CreateVolumeRequest) {
  return {
    volumeId: id,
    capacityBytes: BigInt(bytes),
    volumeContext: { kind },
    ...(volumeContentSource && { contentSource: volumeContentSource }),
    ...(node !== undefined && { accessibleTopology: [{ segments: topologyOf(node) }] }),
  };
}
