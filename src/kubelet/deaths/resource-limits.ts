/** The memory and CPU that a container may have. Pure. */
import { type Pod, quantityMilliValue, quantityValue } from '../../api/index.ts';
import { findContainer } from '../plan/containers.ts';

/** Bytes: the container's own limit, else its pod's. `undefined`: neither has one. */
export function memoryLimitOf(pod: Pod, container: string): number | undefined {
  const limit = limitOf(pod, container, 'memory');
  return limit === undefined ? undefined : quantityValue(limit);
}

/** Thousandths of a core: the container's own limit, else its pod's. `undefined`: neither has one. */
export function cpuLimitOf(pod: Pod, container: string): number | undefined {
  const limit = limitOf(pod, container, 'cpu');
  return limit === undefined ? undefined : quantityMilliValue(limit);
}

function limitOf(pod: Pod, container: string, resource: 'cpu' | 'memory'): string | undefined {
  const own = findContainer(pod, container)?.container.resources?.limits?.[resource];
  return own ?? pod.spec?.resources?.limits?.[resource];
}
