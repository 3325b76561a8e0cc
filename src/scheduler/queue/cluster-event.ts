/** The events of the cluster that may help a pod that fitted nowhere. */
import type { Node, PersistentVolumeClaim } from '../../api/index.ts';
import type { NodeInfo } from '../cluster/node-info.ts';
import type { PodInfo } from '../cluster/pod-info.ts';

export type ClusterEvent =
  /** A node was added, or a part of it changed that filters look at. */
  | { readonly kind: 'node'; readonly info: NodeInfo; readonly before: Node | undefined }
  | { readonly kind: 'node-gone' }
  /** A pod got its node, or its labels there changed or it began to end. */
  | { readonly kind: 'pod-placed'; readonly pod: PodInfo; readonly before: PodInfo | undefined }
  /** A pod gives back all of its resources, or by a resize (`pod-shrunk`) some of them. */
  | { readonly kind: 'pod-gone'; readonly pod: PodInfo }
  | { readonly kind: 'pod-shrunk'; readonly pod: PodInfo }
  | { readonly kind: 'claim'; readonly claim: PersistentVolumeClaim }
  /** Volumes and storage classes. */
  | { readonly kind: 'volume' }
  /** A CSI driver can have more volumes on a node, or has more room for new ones. */
  | { readonly kind: 'driver'; readonly news: DriverNews }
  | { readonly kind: 'namespace' };

/** Upstream's names. */
export type DriverNews =
  | 'CSINodeAdd'
  | 'CSINodeUpdate'
  | 'CSINodeDelete'
  | 'VolumeAttachmentDelete'
  | 'CSIDriverUpdate'
  | 'CSIStorageCapacityAdd'
  | 'CSIStorageCapacityUpdate';

/** Upstream's names, for metrics. */
export function eventLabel(event: ClusterEvent): string {
  switch (event.kind) {
    case 'node':
      return event.before === undefined ? 'NodeAdd' : 'NodeUpdate';
    case 'node-gone':
      return 'NodeDelete';
    case 'pod-placed':
      return event.before === undefined ? 'AssignedPodAdd' : 'AssignedPodUpdate';
    case 'pod-gone':
      return 'AssignedPodDelete';
    case 'pod-shrunk':
      return 'AssignedPodUpdate';
    case 'claim':
      return 'PersistentVolumeClaimAdd';
    case 'volume':
      return 'PersistentVolumeAdd';
    case 'driver':
      return event.news;
    case 'namespace':
      return 'NamespaceUpdate';
  }
}
