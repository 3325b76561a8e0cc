/** How much pods need a look, by their status alone. Pure. */
import { isConditionTrue, type Pod } from '../../api/index.ts';

/** A sort key: pods that are not ready come first, then pods that have restarted; of both, those with more restarts before the others. */
export function urgency(pod: Pod): number {
  const { phase, conditions } = pod.status ?? {};
  if (phase === 'Succeeded') return 0;
  const share = Math.min(0.999, restarts(pod) / 1000);
  return isConditionTrue(conditions, 'Ready') ? share : 1 + share;
}

/** Whether nothing about the pod asks for a closer look: it is ready, or has done its work, and never restarted. */
export function isQuiet(pod: Pod): boolean {
  return !isUnwell(pod) && pod.metadata?.deletionTimestamp === undefined;
}

export function isUnwell(pod: Pod): boolean {
  const { phase, conditions } = pod.status ?? {};
  if (phase === 'Succeeded') return false;
  return !isConditionTrue(conditions, 'Ready') || restarts(pod) > 0;
}

function restarts({ status }: Pod): number {
  return [...(status?.containerStatuses ?? []), ...(status?.initContainerStatuses ?? [])].reduce(
    (sum, { restartCount }) => sum + restartCount,
    0,
  );
}
