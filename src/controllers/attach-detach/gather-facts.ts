/** Reads from the listers what `plan-attachments.ts` needs to know of one volume. Nothing is remembered beside the API's objects. */
import {
  attachmentName,
  claimsOf,
  controllerOf,
  CSI_DRIVERS,
  type CSIDriver,
  type DriverVolume,
  driverVolumeName,
  driverVolumeOf,
  findCondition,
  isControllerManaged,
  isDeleting,
  isOutOfService,
  nameOf,
  namespaceOf,
  type Node,
  NODES,
  parseDriverVolumeName,
  PERSISTENT_VOLUME_CLAIMS,
  PERSISTENT_VOLUMES,
  type PersistentVolume,
  type PersistentVolumeClaim,
  type Pod,
  PODS,
  uidOf,
  VOLUME_ATTACHMENTS,
  type VolumeAttachment,
} from '../../api/index.ts';
import type { Informers, Lister } from '../../client/index.ts';
import { parseTime } from '../../lib/index.ts';
import { BY_CLAIM, BY_DRIVER_VOLUME, BY_NODE, BY_SOURCE, volumesOfNode } from '../indexes.ts';
import { isPodTerminal } from '../pods/pod-state.ts';
import type { AttachmentState, NodeState, PlaceFacts } from './plan-attachments.ts';

/** One volume on one node, with the objects behind the facts. */
export interface Place {
  readonly nodeName: string;
  /** Those that need the volume there. */
  readonly pods: readonly Pod[];
  readonly attachment: VolumeAttachment | undefined;
  /** The PersistentVolume that the pods have it by. */
  readonly volume: PersistentVolume | undefined;
  readonly facts: Omit<PlaceFacts, 'unheardMs'>;
}

export interface VolumeView {
  readonly name: string;
  readonly source: DriverVolume;
  readonly places: readonly Place[];
}

/** What a pod has a volume by. */
interface Use {
  readonly volume: PersistentVolume;
  readonly mayAttach: boolean;
  readonly pods: readonly Pod[];
}

const SHARED_MODES: readonly string[] = ['ReadWriteMany', 'ReadOnlyMany'];

export class AttachmentListers {
  readonly pods: Lister<Pod>;
  readonly nodes: Lister<Node>;
  readonly claims: Lister<PersistentVolumeClaim>;
  readonly volumes: Lister<PersistentVolume>;
  readonly attachments: Lister<VolumeAttachment>;
  readonly drivers: Lister<CSIDriver>;
  readonly #hash: (text: string) => string;

  /** @param hash hexadecimal SHA-256 */
  constructor(informers: Informers, hash: (text: string) => string) {
    this.pods = informers.lister(PODS);
    this.nodes = informers.lister(NODES);
    this.claims = informers.lister(PERSISTENT_VOLUME_CLAIMS);
    this.volumes = informers.lister(PERSISTENT_VOLUMES);
    this.attachments = informers.lister(VOLUME_ATTACHMENTS);
    this.drivers = informers.lister(CSI_DRIVERS);
    this.#hash = hash;
  }

  attachmentName(source: DriverVolume, nodeName: string): string {
    return attachmentName(this.#hash, source, nodeName);
  }

  /** `undefined`: no CSI driver serves volumes of such names. */
  view(name: string): VolumeView | undefined {
    const source = parseDriverVolumeName(name);
    if (source === undefined) return undefined;
    const byNode = this.#usesByNode(name, source);
    const nodeNames = new Set(byNode.keys());
    for (const node of this.nodes.byIndex(BY_DRIVER_VOLUME, name)) nodeNames.add(nameOf(node));
    for (const volume of this.volumes.byIndex(BY_DRIVER_VOLUME, name))
      for (const { spec } of this.attachments.byIndex(BY_SOURCE, nameOf(volume))) nodeNames.add(spec.nodeName);
    for (const { spec } of this.attachments.byIndex(BY_DRIVER_VOLUME, name)) nodeNames.add(spec.nodeName);
    const places = [...nodeNames].map((nodeName) => this.#placeOf(name, source, nodeName, byNode.get(nodeName) ?? []));
    return { name, source, places: places.toSorted(byAge) };
  }

  /** The volume of an attachment that this controller could have made; `undefined`: it made no such attachment. */
  volumeOf({ metadata, spec }: VolumeAttachment): string | undefined {
    const { persistentVolumeName = '', inlineVolumeSpec } = spec.source;
    const source = driverVolumeOf(inlineVolumeSpec ?? this.volumes.getByKey(persistentVolumeName)?.spec);
    const isIts = (candidate: DriverVolume): boolean =>
      this.attachmentName(candidate, spec.nodeName) === metadata?.name;
    if (source !== undefined) return isIts(source) ? driverVolumeName(source) : undefined;
    // Its PersistentVolume is gone. The node may still say which volume that was.
    const node = this.nodes.getByKey(spec.nodeName);
    return [...(node === undefined ? [] : volumesOfNode(node))].find((name) => {
      const candidate = parseDriverVolumeName(name);
      return candidate !== undefined && isIts(candidate);
    });
  }

  /** The PersistentVolume of the attachment is gone, and its node names no volume that it could be for. */
  isForsaken(attachment: VolumeAttachment): boolean {
    const { persistentVolumeName = '' } = attachment.spec.source;
    const isGone = persistentVolumeName !== '' && this.volumes.getByKey(persistentVolumeName) === undefined;
    return isGone && this.volumeOf(attachment) === undefined;
  }

  /** Volumes of drivers that the pod's claims are bound to. */
  volumesOfPod(pod: Pod): readonly string[] {
    return claimsOf(pod).flatMap((name) => {
      const claim = this.claims.get(namespaceOf(pod), name);
      return claim === undefined ? [] : this.volumeOfClaim(claim);
    });
  }

  volumeOfClaim(claim: PersistentVolumeClaim): readonly string[] {
    const source = driverVolumeOf(this.volumes.getByKey(claim.spec?.volumeName ?? '')?.spec);
    return source === undefined ? [] : [driverVolumeName(source)];
  }

  /** All volumes that are, were or should be attached to the node. */
  volumesOfNode(node: Node): ReadonlySet<string> {
    const names = new Set(volumesOfNode(node));
    for (const attachment of this.attachments.byIndex(BY_NODE, nameOf(node))) {
      const name = this.volumeOf(attachment);
      if (name !== undefined) names.add(name);
    }
    for (const pod of this.pods.byIndex(BY_NODE, nameOf(node)))
      for (const name of this.volumesOfPod(pod)) names.add(name);
    return names;
  }

  /** Upstream attaches where no CSIDriver says otherwise. */
  needsAttachment(driver: string): boolean {
    return this.drivers.getByKey(driver)?.spec.attachRequired ?? true;
  }

  /** The volume's pods by node, by each of the PersistentVolumes that stand for it. */
  usesOf(name: string, { driver }: DriverVolume): readonly Use[] {
    if (!this.needsAttachment(driver)) return [];
    return this.volumes.byIndex(BY_DRIVER_VOLUME, name).flatMap((volume) => {
      const { namespace = '', name: claimName = '', uid } = volume.spec?.claimRef ?? {};
      const claim = this.claims.get(namespace, claimName);
      if (claimName === '' || (claim !== undefined && uidOf(claim) !== uid)) return [];
      const mayAttach = claim?.status?.phase === 'Bound' && claim.spec?.volumeName === nameOf(volume);
      const pods = this.pods.byIndex(BY_CLAIM, `${namespace}/${claimName}`);
      return [{ volume, mayAttach, pods: pods.filter((pod) => usesClaim(pod, claimName, claim) && needsVolumes(pod)) }];
    });
  }

  #usesByNode(name: string, source: DriverVolume): ReadonlyMap<string, readonly Use[]> {
    const byNode = new Map<string, Use[]>();
    for (const { volume, mayAttach, pods } of this.usesOf(name, source)) {
      for (const pod of pods) {
        const nodeName = pod.spec?.nodeName ?? '';
        byNode.set(nodeName, [...(byNode.get(nodeName) ?? []), { volume, mayAttach, pods: [pod] }]);
      }
    }
    return byNode;
  }

  #placeOf(name: string, source: DriverVolume, nodeName: string, uses: readonly Use[]): Place {
    const node = this.nodes.getByKey(nodeName);
    const attachment = this.attachments.getByKey(this.attachmentName(source, nodeName));
    const best = uses.find(({ mayAttach }) => mayAttach) ?? uses[0];
    const modes = best?.volume.spec?.accessModes ?? [];
    return {
      nodeName,
      pods: uses.flatMap(({ pods }) => pods),
      attachment,
      volume: best?.volume,
      facts: {
        nodeName,
        ...(best && {
          // A volume without modes may be anywhere, as upstream (IsMultiAttachAllowed).
          wanted: {
            mayAttach: best.mayAttach,
            isShared: modes.length === 0 || modes.some((mode) => SHARED_MODES.includes(mode)),
          },
        }),
        attachment: attachmentState(attachment),
        ...nodeFacts(node, name),
      },
    };
  }
}

/** What of a place the node says; also used for an attachment whose volume nobody knows any more (`name` undefined). */
export function nodeFacts(
  node: Node | undefined,
  name: string | undefined,
): Pick<PlaceFacts, 'node' | 'isInUse' | 'isListed'> {
  if (node === undefined) return { node: 'gone', isInUse: false, isListed: false };
  return {
    node: nodeState(node),
    isInUse: isInUse(node, name),
    isListed: node.status?.volumesAttached?.some((each) => each.name === name) === true,
  };
}

/** A node that has not reported anything yet may use any volume: its agent may be older than its object. */
export function isInUse({ status }: Node, name: string | undefined): boolean {
  if (findCondition(status?.conditions, 'Ready') === undefined) return true;
  return name !== undefined && status?.volumesInUse?.includes(name) === true;
}

function nodeState(node: Node): NodeState {
  if (!isControllerManaged(node)) return 'unmanaged';
  if (isOutOfService(node)) return 'out-of-service';
  return findCondition(node.status?.conditions, 'Ready')?.status === 'True' ? 'heard' : 'unheard';
}

export function attachmentState(attachment: VolumeAttachment | undefined): AttachmentState {
  if (attachment === undefined) return 'absent';
  if (isDeleting(attachment)) return 'detaching';
  return attachment.status?.attached === true ? 'attached' : 'attaching';
}

/** The claim of a generic ephemeral volume must be the pod's own. */
function usesClaim(pod: Pod, claimName: string, claim: PersistentVolumeClaim | undefined): boolean {
  return (pod.spec?.volumes ?? []).some(({ name, persistentVolumeClaim, ephemeral }) => {
    if (persistentVolumeClaim !== undefined) return persistentVolumeClaim.claimName === claimName;
    if (ephemeral === undefined || `${nameOf(pod)}-${name}` !== claimName) return false;
    return claim === undefined || controllerOf(claim)?.uid === uidOf(pod);
  });
}

/** Upstream: IsPodTerminated. A pod that is being deleted needs its volumes while one of its containers may run. */
export function needsVolumes(pod: Pod): boolean {
  if (!pod.spec?.nodeName || isPodTerminal(pod)) return false;
  if (!isDeleting(pod)) return true;
  return (pod.status?.containerStatuses ?? []).some(
    ({ state }) => state?.terminated === undefined && state?.waiting === undefined,
  );
}

/** Of several nodes, that with the oldest pod comes first. */
function byAge(one: Place, other: Place): number {
  return ageOf(one) - ageOf(other) || (one.nodeName < other.nodeName ? -1 : 1);
}

function ageOf({ pods }: Place): number {
  return Math.min(...pods.map(({ metadata }) => parseTime(metadata?.creationTimestamp) ?? 0));
}
