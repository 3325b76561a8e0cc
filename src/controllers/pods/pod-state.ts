/** Questions of controllers about a pod: whether it counts, whether it is ready, and for long enough. Pure. */
import { findCondition, isDeleting, type Pod } from '../../api/index.ts';
import { parseTime } from '../../lib/index.ts';

/** Its containers have ended for good: phase Succeeded or Failed. */
export function isPodTerminal({ status }: Pod): boolean {
  return status?.phase === 'Succeeded' || status?.phase === 'Failed';
}

/** Counts as a replica: neither ended nor being deleted (upstream: IsPodActive). */
export function isPodActive(pod: Pod): boolean {
  return !isDeleting(pod) && !isPodTerminal(pod);
}

/** On its way out and not there yet (upstream: IsPodTerminating). */
export function isPodTerminating(pod: Pod): boolean {
  return isDeleting(pod) && !isPodTerminal(pod);
}

export function isPodReady({ status }: Pod): boolean {
  return findCondition(status?.conditions, 'Ready')?.status === 'True';
}

/** Wall ms since when it is ready; undefined for one that is not, or does not say it. */
export function readySince({ status }: Pod): number | undefined {
  const ready = findCondition(status?.conditions, 'Ready');
  return ready?.status === 'True' ? parseTime(ready.lastTransitionTime) : undefined;
}

/**
 * How long until a pod has been ready for `minReadySeconds`, ms: 0 when it is available, undefined when it is not ready and
 * time alone does not help. A time in the future counts as now. Upstream: IsPodAvailable.
 * @param now wall ms
 */
export function availableInMs(pod: Pod, minReadySeconds: number, now: number): number | undefined {
  if (!isPodReady(pod)) return undefined;
  if (minReadySeconds <= 0) return 0;
  const since = Math.min(readySince(pod) ?? now, now);
  return Math.max(0, since + minReadySeconds * 1000 - now);
}
