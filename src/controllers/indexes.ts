/** By what controllers find objects in the listers that they share. Pure. */
import {
  claimsOf,
  controllerOf,
  driverVolumeName,
  driverVolumeOf,
  type KubeObject,
  type Node,
  type PersistentVolume,
  type PersistentVolumeClaim,
  type PersistentVolumeSpec,
  type Pod,
  type PodRestart,
  type VolumeAttachment,
} from '../api/index.ts';
import type { Indexes } from '../client/index.ts';

/** Index of every lister: the UID of an object's controller; '' for those without one. */
export const BY_CONTROLLER = 'controller';
/** Index of pods and attachments of volumes: `spec.nodeName`; '' for those without a node. */
export const BY_NODE = 'node';

/** Index of restarts: `namespace/name` of the pod that is to be restarted. */
export const BY_POD = 'pod';

/** Index of pods and volumes: `namespace/name` of each of a pod's claims, and of the claim that a volume is for. */
export const BY_CLAIM = 'claim';

/** Index of claims: the name of their volume. */
export const BY_VOLUME = 'volume';

/** Index of volumes, attachments and nodes: names of the volumes of CSI drivers that they are, attach inline, or list. */
export const BY_DRIVER_VOLUME = 'driver volume';

/** Index of attachments: the name of their PersistentVolume. */
export const BY_SOURCE = 'source';

/** Index of every lister: the UIDs of an object's owners. */
export const BY_OWNER = 'owner';

export const CONTROLLER_INDEXES: Indexes<KubeObject> = {
  [BY_CONTROLLER]: (object) => [controllerOf(object)?.uid ?? ''],
  [BY_OWNER]: (object) => (object.metadata?.ownerReferences ?? []).map((reference) => reference.uid),
  [BY_NODE]: (object) => {
    if (object.kind === 'VolumeAttachment') return [attachmentOf(object).spec?.nodeName ?? ''];
    if (object.kind !== 'Pod') return [];
    return [(object as Pod).spec?.nodeName ?? ''];
  },
  [BY_CLAIM]: (object) => {
    if (object.kind === 'PersistentVolume') return claimOfVolume(object);
    if (object.kind !== 'Pod') return [];
    return claimsOf(object as Pod).map((name) => `${object.metadata?.namespace ?? ''}/${name}`);
  },
  [BY_VOLUME]: (object) => {
    const name =
      object.kind === 'PersistentVolumeClaim' ? (object as PersistentVolumeClaim).spec?.volumeName : undefined;
    return name === undefined ? [] : [name];
  },
  [BY_DRIVER_VOLUME]: (object) => {
    if (object.kind === 'PersistentVolume') return namesOf((object as PersistentVolume).spec);
    if (object.kind === 'VolumeAttachment') return namesOf(attachmentOf(object).spec?.source.inlineVolumeSpec);
    return object.kind === 'Node' ? [...volumesOfNode(object)] : [];
  },
  [BY_SOURCE]: (object) => {
    if (object.kind !== 'VolumeAttachment') return [];
    return [attachmentOf(object).spec?.source.persistentVolumeName ?? ''];
  },
  [BY_POD]: (object) => {
    if (object.kind !== 'PodRestart') return [];
    return [`${object.metadata?.namespace ?? ''}/${(object as PodRestart).spec?.podName ?? ''}`];
  },
};

function claimOfVolume({ spec }: PersistentVolume): readonly string[] {
  const { namespace, name } = spec?.claimRef ?? {};
  return name === undefined ? [] : [`${namespace ?? ''}/${name}`];
}

/** Where only metadata is kept, there is no spec. */
function attachmentOf(object: KubeObject): Partial<VolumeAttachment> {
  return object;
}

function namesOf(spec: PersistentVolumeSpec | undefined): readonly string[] {
  const volume = driverVolumeOf(spec);
  return volume === undefined ? [] : [driverVolumeName(volume)];
}

/** Names of the volumes that a node uses, or that its status lists as attached. */
export function volumesOfNode({ status }: Node): ReadonlySet<string> {
  return new Set([...(status?.volumesInUse ?? []), ...(status?.volumesAttached ?? []).map(({ name }) => name)]);
}
