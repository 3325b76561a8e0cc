import { expect, it } from 'vitest';
import { allocatableResources } from './allocatable.ts';

it('is what eviction leaves of the memory, and the disk that the node tells', () => {
  const machine = { cpuCores: 2, memoryBytes: 8 * 1024 ** 3 };
  const node = { apiVersion: 'v1', kind: 'Node', status: { allocatable: { 'ephemeral-storage': '7G' } } };
  const keepsFree = () => 100 * 1024 ** 2 + 1;
  expect(allocatableResources(machine, keepsFree, node)).toEqual({
    cpuCores: 2,
    memoryBytes: 8 * 1024 ** 3 - 100 * 1024 ** 2 - 1024,
    ephemeralStorageBytes: 7e9,
  });
  expect(allocatableResources(machine, () => Infinity, undefined).memoryBytes).toBe(0);
  expect(allocatableResources(undefined, () => 0, undefined).cpuCores).toBe(0);
});
