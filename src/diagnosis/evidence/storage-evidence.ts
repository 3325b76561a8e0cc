/** The evidence about a driver's volume: its driver's parts, its attachments, and its PersistentVolume. An absent field was not read. */
import type { CSIDriver, CSINode, VolumeAttachment } from '../../api/index.ts';
import type { PersistentVolume, Pod, WorkloadObject } from './kinds.ts';
import type { NodeEvidence } from './node-evidence.ts';

/** What a workload does for a driver, by its containers. */
export type DriverRole = 'node' | 'attacher' | 'provisioner' | 'resizer';

/** A workload, or a pod without one, that looks like a part of a driver. */
export interface DriverPart {
  readonly roles: readonly DriverRole[];
  /** Absent: a pod that nobody made anew. */
  readonly workload?: WorkloadObject;
  readonly pods: readonly Pod[];
}

export interface DriverEvidence {
  readonly name: string;
  readonly object?: CSIDriver;
  /** There is no CSIDriver of its name. */
  readonly missing?: boolean;
  /** Absent: they could not be read, and nothing is concluded. */
  readonly parts?: readonly DriverPart[];
}

/** The drivers that are registered on one node. */
export interface NodeDriversEvidence {
  readonly nodeName: string;
  readonly csiNode?: CSINode;
  /** There is no CSINode of its name: no driver has ever registered there. */
  readonly missing?: boolean;
}

export interface AttachmentEvidence {
  /** Wall ms. */
  readonly now: number;
  readonly attachment: VolumeAttachment;
  readonly volume?: PersistentVolume;
  readonly node: NodeEvidence;
  readonly nodeDrivers?: NodeDriversEvidence;
  /** Pods on its node that have, or may have, the volume by its claim; absent: they could not be read. */
  readonly pods?: readonly Pod[];
  readonly driver: DriverEvidence;
  readonly notLookedAt: readonly string[];
}

/** The volumes of drivers that a pod or a claim has. */
export interface StorageEvidence {
  readonly drivers: readonly DriverEvidence[];
  /** Those of the volumes, on any node. */
  readonly attachments: readonly AttachmentEvidence[];
  /** Of the nodes of its pods. */
  readonly nodes: readonly NodeDriversEvidence[];
  /** Pods on the pod's node; absent: not asked for. */
  readonly nodePods?: readonly Pod[];
}
