/** The memory that a container may have. Pure. */
import { type Pod, quantityValue } from '../../api/index.ts';
import { findContainer } from '../plan/containers.ts';

/** Bytes: the container's own limit, else its pod's. `undefined`: neither has one. */
export function memoryLimitOf(pod: Pod, container: string): number | undefined {
  const own = findContainer(pod, container)?.container.resources?.limits?.['memory'];
  const limit = own ?? pod.spec?.resources?.limits?.['memory'];
  return limit === undefined ? undefined : quantityValue(limit);
}
