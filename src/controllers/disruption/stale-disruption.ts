/**
 * A pod that was said to be disrupted, and then was not: its condition is taken back. Pure. Upstream:
 * DisruptionController.syncStalePodDisruption.
 */
import { findCondition, isDeleting, nameOf, namespaceOf, type Pod, PODS, uidOf } from '../../api/index.ts';
import { formatTime, parseTime } from '../../lib/index.ts';
import { STALE_DISRUPTION_TIMEOUT_MS } from '../limits.ts';
import type { Operation } from '../operation.ts';
import { isPodTerminal } from '../pods/pod-state.ts';

/** How long, ms, until its condition is stale (0: it is); undefined when it is none that could be. `now`: wall ms. */
export function staleInMs(pod: Pod, now: number): number | undefined {
  const condition = findCondition(pod.status?.conditions, 'DisruptionTarget');
  if (condition?.status !== 'True' || isDeleting(pod) || isPodTerminal(pod)) return undefined;
  // A kubelet may take its time before it ends the pod.
  if (condition.reason === 'TerminationByKubelet') return undefined;
  const since = Math.min(parseTime(condition.lastTransitionTime) ?? now, now);
  return Math.max(0, since + STALE_DISRUPTION_TIMEOUT_MS - now);
}

/** Takes the condition back. `now`: wall ms. */
export function takeBack(pod: Pod, now: number): Operation {
  const condition = {
    type: 'DisruptionTarget',
    status: 'False',
    reason: null,
    message: null,
    lastTransitionTime: formatTime(now),
  };
  return {
    verb: 'patch',
    resource: PODS,
    namespace: namespaceOf(pod),
    name: nameOf(pod),
    type: 'strategic',
    patch: { metadata: { uid: uidOf(pod) }, status: { conditions: [condition] } },
    subresource: 'status',
  };
}
