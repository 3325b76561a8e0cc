/**
 * The node's allocatable resources as numbers: the same values as in its Node object, known before the API server has it.
 * Pure.
 */
import { type Node, quantityValue } from '../api/index.ts';
import type { NodeResources } from './types.ts';

/**
 * @param keepsFree of so many bytes, what eviction's hard thresholds keep free
 * @param node as the API server has it; its disk is read now and then, not with the machine's facts
 */
export function allocatableResources(
  machine: { readonly cpuCores: number; readonly memoryBytes: number } | undefined,
  keepsFree: (signal: 'memory.available', capacityBytes: number) => number,
  node: Node | undefined,
): NodeResources {
  const { cpuCores = 0, memoryBytes = 0 } = machine ?? {};
  const left = Math.max(0, memoryBytes - keepsFree('memory.available', memoryBytes));
  const storage = node?.status?.allocatable?.['ephemeral-storage'];
  return {
    cpuCores,
    // In whole kibibytes, as the Node object has it.
    memoryBytes: Math.floor(left / 1024) * 1024,
    ephemeralStorageBytes: storage === undefined ? 0 : quantityValue(storage),
  };
}
