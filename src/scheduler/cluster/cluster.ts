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
import type { DriverFacts } from './driver-facts.ts';
import type { NodeInfo } from './node-info.ts';
import type { Promised } from './volume-promises.ts';

export interface Cluster {
  /** Nodes that exist. */
  readonly nodes: readonly NodeInfo[];
  node(name: string): NodeInfo | undefined;
  readonly namespaceLabels: NamespaceLabels;
  claim(namespace: string, name: string): PersistentVolumeClaim | undefined;
  claims(): readonly PersistentVolumeClaim[];
  volume(name: string): PersistentVolume | undefined;
  volumes(): readonly PersistentVolume[];
  /** What earlier decisions have promised to claims. */
  readonly promised: Promised;
  storageClass(name: string): StorageClass | undefined;
  readonly drivers: DriverFacts;
  /** Selects the pods that spread together with this one, by its services and its controller; undefined: it has none. */
  spreadSelector(pod: Pod): ParsedLabelSelector | undefined;
  budgets(): readonly PodDisruptionBudget[];
  /** The number of nodes that have the image. */
  imageSpread(image: string): number;
}
