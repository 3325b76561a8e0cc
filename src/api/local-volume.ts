/**
 * What the server and the nodes agree on about volumes that are folders of a node. The controller asks the node, over the API of
 * its kubelet, to make and to remove them; nobody else does either. So a folder that a pod does not find was lost.
 */
import type { Node, PersistentVolume } from './types.gen.ts';

/** In StorageClasses, and in `PROVISIONED_BY` of the volumes. */
export const LOCAL_PROVISIONER = 'mendlet.dev/local';

/** Upstream: k8s.io/component-helpers/storage/volume, AnnDynamicallyProvisioned. */
export const PROVISIONED_BY = 'pv.kubernetes.io/provisioned-by';

/** Upstream: k8s.io/component-helpers/storage/volume, AnnSelectedNode. Written by the scheduler to a claim. */
export const SELECTED_NODE = 'volume.kubernetes.io/selected-node';

/** Of a PersistentVolume: its folder must go first. */
export const LOCAL_VOLUME_FINALIZER = 'mendlet.dev/local-volume';

/** Of a Node, written by its agent: a `NodeVolumeSpace` as JSON. Absent: the node makes no such volumes. */
export const VOLUME_SPACE_ANNOTATION = 'mendlet.dev/volume-space';

/**
 * Of a PersistentVolume, written by a person: its node will not come back, or nobody wants to wait for it. The volume is deleted
 * without its folder. Any value but "" and "false" counts.
 *
 * Of a PersistentVolumeClaim: the name of its volume. The claim is made anew without it, and the volume is given up. A request
 * that is refused is removed, so that it cannot take effect later.
 */
export const GIVE_UP_ANNOTATION = 'mendlet.dev/give-up';

/** Of a PersistentVolume that is being given up: its claim as JSON, which is made anew. The volume stays until that is done. */
export const GIVEN_UP_CLAIM_ANNOTATION = 'mendlet.dev/given-up-claim';

/** Of a PersistentVolume, RFC 3339: since when its node is not heard of, or does not exist any more. */
export const NODE_LOST_SINCE_ANNOTATION = 'mendlet.dev/node-lost-since';

export interface NodeVolumeSpace {
  /** Bytes that volumes of the node may have together: its disk, without what the system needs. */
  readonly capacityBytes: number;
  /** Names of volumes whose folder is not there any more, at most 50. */
  readonly lost?: readonly string[];
}

/**
 * Condition of a Node that makes volumes: True while their disk fails, is read-only, hangs or is not mounted (its reasons are
 * `VolumeDiskFailing`, `VolumeDiskReadOnly`, `VolumeDiskHangs`, `VolumesFolderAway`). The node's `capacityBytes` is then 0.
 */
export const VOLUME_DISK_PROBLEM = 'VolumeDiskProblem';

/**
 * Condition of a PersistentVolumeClaim whose volume is a folder of a node: True while pods cannot have it, with the reason of the
 * node's own condition, or `NodeLost`, `NodeGone`, `VolumeLost`. A claim that never had a problem has no such condition.
 */
export const VOLUME_PROBLEM = 'mendlet.dev/VolumeProblem';

/** Path on the kubelet's port; authorized as the subresource `nodes/volumes`. */
export const NODE_VOLUMES_PATH = '/mendlet/v1/volumes';

/** The audience of tokens that are meant for the kubelet of one node, and for nobody else. */
export function nodeAudience(nodeName: string): string {
  return `mendlet.dev/node/${nodeName}`;
}

/**
 * Reasons of the answers that refuse. All bodies are Status objects, and their messages are for people.
 *
 * | code | reason              | meaning |
 * |------|---------------------|---------|
 * | 400  | `BadRequest`        | the name, the handle or the body is invalid |
 * | 409  | `Conflict`          | there is a volume of this name with another handle, or DELETE names a version that is over |
 * | 409  | `VolumeInUse`       | a pod has it, or something is mounted in it; try again later |
 * | 410  | `VolumeLost`        | PUT: it was made, and its folder is gone. DELETE of it is 200, and then PUT makes a new one |
 * | 503  | `VolumesFolderAway` | the folder of all volumes is not there: its disk may not be mounted; try again later |
 * | 507  | `NotEnoughSpace`    | it does not fit |
 *
 * 404 without a Status object: this node makes no volumes. 500: its disk refuses; try again later.
 */
export type NodeVolumeRefusal =
  | 'BadRequest'
  | 'Conflict'
  | 'VolumeInUse'
  | 'VolumeLost'
  | 'NotEnoughSpace'
  | 'VolumesFolderAway';

/** Body of PUT /mendlet/v1/volumes/NAME. Idempotent for equal handles. */
export interface MakeVolumeRequest {
  /** UID of the claim that it is made for; it stays the same when the volume is later bound to another claim. */
  readonly handle: string;
  readonly capacityBytes: number;
}

/** Answer to PUT. 507 (reason `NotEnoughSpace`) when it does not fit. */
export interface MadeVolume {
  /** Absolute path of the folder on the node. */
  readonly path: string;
}

/**
 * One of GET /mendlet/v1/volumes. DELETE /mendlet/v1/volumes/NAME?handle=UID is 200 once it is gone, 409 while a pod has it. With
 * `&version=V` it is refused (`Conflict`) when the volume was asked for, or given to a pod, after that version was listed.
 */
export interface NodeVolume {
  readonly name: string;
  readonly handle: string;
  readonly path: string;
  readonly capacityBytes: number;
  /** `lost`: it was made, and its folder is not there any more. `removing`: a removal was begun. */
  readonly state: 'ready' | 'lost' | 'removing';
  /**
   * False: no pod ever had it, so nothing of anybody's is in it. Absent counts as true. A folder that no volume names is removed
   * by the controller only when this is false: it may be one whose volume had `Retain` and was deleted.
   */
  readonly wasUsed?: boolean;
  /** Another one after each PUT, each use by a pod, and each start of the agent. Absent: it cannot be asked for again. */
  readonly version?: string;
}

export interface NodeVolumeList extends NodeVolumeSpace {
  readonly items: readonly NodeVolume[];
}

/** Whether the volume is a folder that a node made for it. */
export function isLocalVolume(volume: PersistentVolume): boolean {
  return volume.metadata?.annotations?.[PROVISIONED_BY] === LOCAL_PROVISIONER && volume.spec?.local !== undefined;
}

const HOSTNAME = 'kubernetes.io/hostname';

/** The host name of the node that has the volume's folder; '' when the volume does not say. */
export function volumeHost({ spec }: PersistentVolume): string {
  const terms = spec?.nodeAffinity?.required?.nodeSelectorTerms ?? [];
  const expressions = terms.flatMap(({ matchExpressions = [] }) => matchExpressions);
  return expressions.find(({ key }) => key === HOSTNAME)?.values?.[0] ?? '';
}

/** Whether the volume's folder is on the node. */
export function isVolumeOnNode(volume: PersistentVolume, { metadata }: Node): boolean {
  return volumeHost(volume) === (metadata?.labels?.[HOSTNAME] ?? metadata?.name ?? '');
}
