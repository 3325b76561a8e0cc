/** Amounts that pods request and that a node has, as plain numbers: pods, thousandths of a core, bytes. Pure. */
import { type Pod, podRequests, quantityMilliValue, quantityValue } from '../../api/index.ts';

export type ResourceName = 'pods' | 'cpu' | 'memory' | 'ephemeral-storage';

/** In the order in which upstream looks at them. */
export const RESOURCES: readonly ResourceName[] = ['pods', 'cpu', 'memory', 'ephemeral-storage'];

/** Cores in thousandths, bytes, pods. */
export interface NodeAllocatable {
  readonly milliCpu: number;
  readonly memoryBytes: number;
  /** Absent: not known (yet); then no pod is refused for it. */
  readonly ephemeralStorageBytes?: number;
  readonly pods: number;
}

export function requestOf(pod: Pod, resource: ResourceName): number {
  if (resource === 'pods') return 1;
  const quantity = podRequests(pod.spec ?? { containers: [] })[resource];
  if (quantity === undefined) return 0;
  return resource === 'cpu' ? quantityMilliValue(quantity) : quantityValue(quantity);
}

/** `undefined`: not known. */
export function capacityOf(allocatable: NodeAllocatable, resource: ResourceName): number | undefined {
  const { pods, milliCpu, memoryBytes, ephemeralStorageBytes } = allocatable;
  return { pods, cpu: milliCpu, memory: memoryBytes, 'ephemeral-storage': ephemeralStorageBytes }[resource];
}
