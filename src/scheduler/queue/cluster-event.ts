/** What happened in the cluster, as far as it may help a pod that fitted nowhere. */
import type { Node, PersistentVolumeClaim } from '../../api/index.ts';
import type { NodeInfo } from '../cluster/node-info.ts';
import type { PodInfo } from '../cluster/pod-info.ts';

export type ClusterEvent =
  /** It came, or changed in what filters look at. */
  | { readonly kind: 'node'; readonly info: NodeInfo; readonly before: Node | undefined }
  | { readonly kind: 'node-gone' }
  /** A pod has its node now, or other labels there. */
  | { readonly kind: 'pod-placed'; readonly pod: PodInfo; readonly before: PodInfo | undefined }
  /** A pod gives back what it held, all or (by resize) some of it. */
  | { readonly kind: 'pod-gone'; readonly pod: PodInfo }
  | { readonly kind: 'pod-shrunk'; readonly pod: PodInfo }
  | { readonly kind: 'claim'; readonly claim: PersistentVolumeClaim }
  /** Volumes and storage classes. */
  | { readonly kind: 'volume' }
  | { readonly kind: 'namespace' };

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
    case 'namespace':
      return 'NamespaceUpdate';
  }
}
