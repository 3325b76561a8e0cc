/** What filters and scores may ask of the cluster: a consistent view for one decision. */
import type {
  ParsedLabelSelector,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  PodDisruptionBudget,
  StorageClass,
} from '../../api/index.ts';
import type { NamespaceLabels } from './affinity-term.ts';
import type { NodeInfo } from './node-info.ts';

export interface Cluster {
  /** Nodes that exist. */
  readonly nodes: readonly NodeInfo[];
  node(name: string): NodeInfo | undefined;
  readonly namespaceLabels: NamespaceLabels;
  claim(namespace: string, name: string): PersistentVolumeClaim | undefined;
  volume(name: string): PersistentVolume | undefined;
  storageClass(name: string): StorageClass | undefined;
  /** What joins the pod to its like: services and the controller that made it; undefined: nothing does. */
  spreadSelector(pod: Pod): ParsedLabelSelector | undefined;
  budgets(): readonly PodDisruptionBudget[];
  /** On how many nodes the image is. */
  imageSpread(image: string): number;
}
