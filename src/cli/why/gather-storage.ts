/** Gathers the storage behind pods, claims and volumes: attachments of volumes that drivers serve, and these drivers. */
import {
  driverVolumeOf,
  isDeleting,
  isConditionTrue,
  NODES,
  PERSISTENT_VOLUMES,
  type PersistentVolume,
  type Pod,
  PODS,
  VOLUME_ATTACHMENTS,
  type VolumeAttachment,
} from '../../api/index.ts';
import {
  type AttachmentEvidence,
  claimNames,
  type PodEvidence,
  type StorageEvidence,
  storageWanted,
} from '../../diagnosis/index.ts';
import { type Asker, found } from './ask.ts';
import { gatherDriver, gatherNodeDrivers, podsOfNode } from './gather-drivers.ts';
import { gatherNode } from './gather-node.ts';
import { MAX_ATTACHMENTS, MAX_LISTED } from './limits.ts';

/** PersistentVolume → its attachments, by the list that they came in. */
const indexes = new WeakMap<readonly VolumeAttachment[], ReadonlyMap<string, readonly VolumeAttachment[]>>();

export async function attachmentsOf(asker: Asker, volume: string): Promise<readonly VolumeAttachment[]> {
  const all = await asker.list('volumeattachments', VOLUME_ATTACHMENTS, {});
  const index = indexes.get(all) ?? Map.groupBy(all, ({ spec }) => spec.source.persistentVolumeName ?? '');
  indexes.set(all, index);
  return index.get(volume) ?? [];
}

/** Whether an attachment asks for a closer look: most are attached to a node that is well. */
async function isUnwell(asker: Asker, attachment: VolumeAttachment): Promise<boolean> {
  if (isDeleting(attachment) || attachment.status?.attached !== true) return true;
  const { nodeName } = attachment.spec;
  const node = await asker.get(`node/${nodeName}`, NODES, undefined, nodeName);
  return node.kind !== 'found' || !isConditionTrue(node.value.status?.conditions, 'Ready');
}

/** The attachments of a volume that do not look well. */
export async function unwellAttachments(asker: Asker, volume: string): Promise<readonly VolumeAttachment[]> {
  const all = await attachmentsOf(asker, volume);
  const unwell = await Promise.all(all.map((each) => isUnwell(asker, each)));
  return all.filter((_, place) => unwell[place] === true);
}

export async function gatherAttachment(asker: Asker, attachment: VolumeAttachment): Promise<AttachmentEvidence> {
  const { attacher, nodeName, source } = attachment.spec;
  const volumeName = source.persistentVolumeName ?? '';
  const [volume, node, nodeDrivers, driver] = await Promise.all([
    volumeName === ''
      ? undefined
      : asker.get(`persistentvolume/${volumeName}`, PERSISTENT_VOLUMES, undefined, volumeName),
    gatherNode(asker, nodeName),
    gatherNodeDrivers(asker, nodeName),
    gatherDriver(asker, attacher, [nodeName]),
  ]);
  const persistent = volume && found(volume);
  const pods = persistent && (await podsWith(asker, persistent, nodeName));
  return {
    now: asker.now,
    attachment,
    ...(persistent && { volume: persistent }),
    node,
    nodeDrivers,
    ...(pods && { pods }),
    driver,
    notLookedAt: asker.notLookedAt,
  };
}

/** Pods on the node that have the volume by its claim; undefined: they could not be read. */
async function podsWith(
  asker: Asker,
  { spec }: PersistentVolume,
  nodeName: string,
): Promise<readonly Pod[] | undefined> {
  const { namespace, name = '' } = spec?.claimRef ?? {};
  if (namespace === undefined) return [];
  const pods = await asker.listAll(`pods of node/${nodeName} in namespace ${namespace}`, PODS, {
    namespace,
    fieldSelector: `spec.nodeName=${nodeName}`,
    limit: MAX_LISTED,
  });
  return pods?.filter((pod) => !isOver(pod) && claimNames(pod).includes(name));
}

function isOver({ status }: Pod): boolean {
  return status?.phase === 'Succeeded' || status?.phase === 'Failed';
}

export interface StorageWish {
  readonly attachments: readonly VolumeAttachment[];
  readonly drivers: readonly string[];
  readonly nodeNames: readonly string[];
  /** The node whose pods may keep a mount busy. */
  readonly podsOf?: string;
}

export async function gatherStorage(asker: Asker, wish: StorageWish): Promise<StorageEvidence> {
  const { attachments, drivers, nodeNames } = wish;
  if (attachments.length > MAX_ATTACHMENTS) asker.note(`volumeattachments after the first ${MAX_ATTACHMENTS}`);
  const [all, found, nodes, nodePods] = await Promise.all([
    Promise.all(attachments.slice(0, MAX_ATTACHMENTS).map((each) => gatherAttachment(asker, each))),
    Promise.all([...new Set(drivers)].map((name) => gatherDriver(asker, name, nodeNames))),
    Promise.all([...new Set(nodeNames)].map((name) => gatherNodeDrivers(asker, name))),
    wish.podsOf === undefined ? undefined : podsOfNode(asker, wish.podsOf),
  ]);
  return { attachments: all, drivers: found, nodes, ...(nodePods && { nodePods }) };
}

/** Of a pod that waits for its volumes, or cannot end because of one; undefined: it needs none of this. */
export async function gatherPodStorage(asker: Asker, evidence: PodEvidence): Promise<StorageEvidence | undefined> {
  const wanted = storageWanted(evidence);
  if (wanted === undefined) return undefined;
  const { drivers, volumes, nodeName, isEnding } = wanted;
  const lists = isEnding ? [] : await Promise.all(volumes.map((name) => attachmentsOf(asker, name)));
  return await gatherStorage(asker, {
    attachments: lists.flat(),
    drivers,
    nodeNames: nodeName === '' ? [] : [nodeName],
    ...(isEnding && nodeName !== '' && { podsOf: nodeName }),
  });
}

/** Of a claim whose volume a driver serves, if it is smaller than it should be, or an attachment of it does not look well. */
export async function gatherClaimStorage(
  asker: Asker,
  volume: PersistentVolume | undefined,
  users: readonly Pod[],
  isSmall: boolean,
): Promise<StorageEvidence | undefined> {
  const source = driverVolumeOf(volume?.spec);
  if (source === undefined) return undefined;
  const attachments = await unwellAttachments(asker, volume?.metadata?.name ?? '');
  if (attachments.length === 0 && !isSmall) return undefined;
  const nodeNames = isSmall ? users.flatMap(({ spec }) => spec?.nodeName ?? []) : [];
  return await gatherStorage(asker, { attachments, drivers: isSmall ? [source.driver] : [], nodeNames });
}
