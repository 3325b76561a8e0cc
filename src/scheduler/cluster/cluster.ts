/** The view of the cluster that filters and scores query; it is consistent for one decision. */
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
  /** Selects the pods that spread together with this one, by its services and its controller; undefined: it has none. */
  spreadSelector(pod: Pod): ParsedLabelSelector | undefined;
  budgets(): readonly PodDisruptionBudget[];
  /** The number of nodes that have the image. */
  imageSpread(image: string): number;
}
