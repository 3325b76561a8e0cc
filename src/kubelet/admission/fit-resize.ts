/** Has the node room for a running pod that wants other resources (upstream: allocation manager, canResizePod)? Pure. */
import { type Pod, podRequests, quantityMilliValue, quantityValue } from '../../api/index.ts';
import type { ResizeVerdict } from '../plan/facts.ts';
import type { NodeAllocatable } from './resource-amounts.ts';

const CONFIG_SOURCE = 'kubernetes.io/config.source';

/** `others`: with what they have been given. Infeasible: not even on an empty node. */
export function fitResize(pod: Pod, others: readonly Pod[], allocatable: NodeAllocatable): ResizeVerdict {
  const source = pod.metadata?.annotations?.[CONFIG_SOURCE];
  if (source !== undefined && source !== 'api') {
    return { fits: false, reason: 'Infeasible', message: 'In-place resize of static-pods is not supported' };
  }
  const amounts = [
    { name: 'memory', of: memoryOf, capacity: allocatable.memoryBytes },
    { name: 'cpu', of: milliCpuOf, capacity: allocatable.milliCpu },
  ];
  for (const { name, of, capacity } of amounts) {
    if (of(pod) <= capacity) continue;
    const message = `Node didn't have enough capacity: ${name}, requested: ${of(pod)}, capacity: ${capacity}`;
    return { fits: false, reason: 'Infeasible', message };
  }
  for (const { name, of, capacity } of amounts) {
    const used = others.reduce((sum, other) => sum + of(other), 0);
    if (of(pod) === 0 || used + of(pod) <= capacity) continue;
    const numbers = `requested: ${of(pod)}, used: ${used}, capacity: ${capacity}`;
    return { fits: false, reason: 'Deferred', message: `Node didn't have enough resource: ${name}, ${numbers}` };
  }
  return { fits: true };
}

function memoryOf(pod: Pod): number {
  const { memory } = podRequests(pod.spec ?? { containers: [] });
  return memory === undefined ? 0 : quantityValue(memory);
}

function milliCpuOf(pod: Pod): number {
  const { cpu } = podRequests(pod.spec ?? { containers: [] });
  return cpu === undefined ? 0 : quantityMilliValue(cpu);
}
