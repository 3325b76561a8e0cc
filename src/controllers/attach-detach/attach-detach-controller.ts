/**
 * Has the volumes of CSI drivers attached to the nodes whose pods need them, and detached from others: makes and removes
 * VolumeAttachments, which the drivers' own attachers carry out, and lists in each Node what its agent may mount. Keys are
 * volumes (`volume NAME`), and attachments whose volume is unknown (`attachment NAME`). Upstream:
 * pkg/controller/volume/attachdetach.
 */
import {
  CSI_DRIVERS,
  driverVolumeName,
  driverVolumeOf,
  equalJson,
  findCondition,
  isControllerManaged,
  isOutOfService,
  nameOf,
  type Node,
  NODES,
  PERSISTENT_VOLUME_CLAIMS,
  PERSISTENT_VOLUMES,
  PODS,
  VOLUME_ATTACHMENTS,
  type VolumeAttachment,
} from '../../api/index.ts';
import type { Change } from '../../client/index.ts';
import { type Controller, type ControllerSource, source } from '../controller.ts';
import { BY_NODE, BY_SOURCE } from '../indexes.ts';
import { createAttachMetrics } from './attach-metrics.ts';
import { AttachmentListers, needsVolumes } from './gather-facts.ts';
import { PlaceWorker } from './place-worker.ts';
import type { AttachDetachOptions, AttachDetachSettings } from './settings.ts';

const VOLUME = 'volume ';
const ATTACHMENT = 'attachment ';

export function attachDetachController(options: AttachDetachOptions, settings: AttachDetachSettings): Controller {
  const listers = new AttachmentListers(options.informers, settings.hash);
  const worker = new PlaceWorker(options, settings, listers, createAttachMetrics(options.metrics, listers));
  return {
    name: 'attachdetach',
    sources: sourcesOf(listers),
    reconcile: (key, context) =>
      key.startsWith(VOLUME)
        ? worker.volume(key.slice(VOLUME.length), context)
        : worker.attachment(key.slice(ATTACHMENT.length), context),
  };
}

function sourcesOf(listers: AttachmentListers): readonly ControllerSource[] {
  const keyOf = (attachment: VolumeAttachment): string => {
    const name = listers.volumeOf(attachment);
    return name === undefined ? `${ATTACHMENT}${nameOf(attachment)}` : `${VOLUME}${name}`;
  };
  return [
    source(VOLUME_ATTACHMENTS, ({ object }) => [keyOf(object)]),
    source(PERSISTENT_VOLUMES, ({ object }) => {
      const volume = driverVolumeOf(object.spec);
      if (volume === undefined) return [];
      const attachments = listers.attachments.byIndex(BY_SOURCE, nameOf(object));
      return [`${VOLUME}${driverVolumeName(volume)}`, ...attachments.map(keyOf)];
    }),
    source(PERSISTENT_VOLUME_CLAIMS, ({ object }) => listers.volumeOfClaim(object).map(volumeKey)),
    source(PODS, (change) => {
      const { object } = change;
      const before = previousOf(change);
      if (!object.spec?.nodeName || (object.spec.volumes ?? []).length === 0) return [];
      const isSame = before?.spec?.nodeName === object.spec.nodeName && needsVolumes(before) === needsVolumes(object);
      return isSame && change.type === 'apply' ? [] : listers.volumesOfPod(object).map(volumeKey);
    }),
    source(CSI_DRIVERS, (change) => {
      const { object } = change;
      const isSame = previousOf(change)?.spec.attachRequired === object.spec.attachRequired;
      if (isSame && change.type === 'apply') return [];
      const volumes = listers.volumes.list().flatMap(({ spec }) => driverVolumeOf(spec) ?? []);
      return volumes
        .filter(({ driver }) => driver === nameOf(object))
        .map(driverVolumeName)
        .map(volumeKey);
    }),
    source(NODES, (change) => {
      const keys = volumesToLookAt(change, listers);
      if (keys.length === 0 && isSameNode(change)) return [];
      // Those whose volume is gone may be waiting for the node alone.
      const attachments = listers.attachments.byIndex(BY_NODE, nameOf(change.object));
      return [...keys, ...attachments.map(keyOf).filter((key) => key.startsWith(ATTACHMENT))];
    }),
  ];
}

function volumeKey(name: string): string {
  return `${VOLUME}${name}`;
}

function previousOf<T>(change: Change<T>): T | undefined {
  return 'previous' in change ? change.previous : undefined;
}

/** Most changes of a node are heartbeats, and most others concern few volumes. */
function volumesToLookAt(change: Change<Node>, listers: AttachmentListers): readonly string[] {
  const { object } = change;
  if (!isSameNode(change)) return [...listers.volumesOfNode(object)].map(volumeKey);
  const before = previousOf(change)?.status;
  const { status } = object;
  const changed = [
    ...difference(before?.volumesInUse, status?.volumesInUse),
    ...difference(
      before?.volumesAttached?.map(({ name }) => name),
      status?.volumesAttached?.map(({ name }) => name),
    ),
  ];
  return changed.map(volumeKey);
}

function isSameNode(change: Change<Node>): boolean {
  const before = previousOf(change);
  return change.type === 'apply' && before !== undefined && equalJson(healthOf(before), healthOf(change.object));
}

function healthOf(node: Node): readonly unknown[] {
  const ready = findCondition(node.status?.conditions, 'Ready')?.status ?? null;
  return [ready, isOutOfService(node), isControllerManaged(node), node.metadata?.uid ?? null];
}

function difference(before: readonly string[] = [], after: readonly string[] = []): readonly string[] {
  return [...before.filter((name) => !after.includes(name)), ...after.filter((name) => !before.includes(name))];
}
