/** Facts of a pod that `restart` uses. Pure. */
import { type ContainerStatus, findCondition, isDeleting, type Pod } from '../../api/index.ts';
import { parseTime } from '../../lib/index.ts';

export function isReady({ status }: Pod): boolean {
  return findCondition(status?.conditions, 'Ready')?.status === 'True';
}

/** Whether the pod's containers have ended for good. */
function hasEnded({ status }: Pod): boolean {
  return status?.phase === 'Succeeded' || status?.phase === 'Failed';
}

export function isActive(pod: Pod): boolean {
  return !isDeleting(pod) && !hasEnded(pod);
}

/**
 * Ms until the pod has been ready for `minReadySeconds`; 0: it has; undefined: it is not ready.
 * @param now wall ms, as the cluster's clock has it
 */
export function availableInMs(pod: Pod, minReadySeconds: number, now: number): number | undefined {
  if (!isReady(pod)) return undefined;
  const since = parseTime(findCondition(pod.status?.conditions, 'Ready')?.lastTransitionTime) ?? now;
  return Math.max(0, Math.min(since, now) + minReadySeconds * 1000 - now);
}

/** Statuses of init containers, then of containers. */
export function containerStatuses({ status }: Pod): readonly ContainerStatus[] {
  return [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
}

/** Names of the containers that a request may name: containers and sidecars. */
export function containerNames({ spec }: Pod): readonly string[] {
  const sidecars = (spec?.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always');
  return [...(spec?.containers ?? []), ...sidecars].map(({ name }) => name);
}
