/**
 * Finds pods that no kubelet will end, and excess ended pods. Pure. Upstream: PodGCController.
 *
 *   unscheduled      being deleted before it had a node
 *   orphaned         its node's object is gone
 *   out-of-service   being deleted on a node that is down, and that an administrator has declared out of service
 *   terminated       ended long ago, and there are more than may be kept
 */
import { isDeleting, nameOf, namespaceOf, type Pod, PODS, uidOf } from '../../api/index.ts';
import { parseTime } from '../../lib/index.ts';
import type { Operation } from '../operation.ts';
import { isPodTerminal } from '../pods/pod-state.ts';

export type PodGcReason = 'unscheduled' | 'orphaned' | 'out-of-service' | 'terminated';

export function isUnscheduledTerminating(pod: Pod): boolean {
  return isDeleting(pod) && !pod.spec?.nodeName;
}

/** The oldest of those that are too many; pods that were evicted first, as they are of least use. */
export function surplusOf(terminated: readonly Pod[], threshold: number): readonly Pod[] {
  const surplus = terminated.length - threshold;
  if (surplus <= 0) return [];
  return terminated
    .map((pod) => ({ pod, evicted: isEvicted(pod), created: parseTime(pod.metadata?.creationTimestamp) ?? 0 }))
    .toSorted(
      (a, b) =>
        Number(b.evicted) - Number(a.evicted) || a.created - b.created || (nameOf(a.pod) < nameOf(b.pod) ? -1 : 1),
    )
    .slice(0, surplus)
    .map(({ pod }) => pod);
}

function isEvicted({ status }: Pod): boolean {
  return status?.phase === 'Failed' && status.reason === 'Evicted';
}

/** The end of one pod: first its status says so, because no kubelet will. `now`: RFC 3339. */
export function endPod(pod: Pod, reason: PodGcReason, now: string): readonly Operation[] {
  return isPodTerminal(pod) ? [forceDelete(pod)] : [markFailed(pod, reason, now), forceDelete(pod)];
}

function markFailed(pod: Pod, reason: PodGcReason, now: string): Operation {
  const condition = {
    type: 'DisruptionTarget',
    status: 'True',
    reason: 'DeletionByPodGC',
    message: 'PodGC: node no longer exists',
    lastTransitionTime: now,
  };
  const status = { phase: 'Failed', ...(reason === 'orphaned' ? { conditions: [condition] } : {}) };
  const patch = { metadata: { uid: uidOf(pod) }, status };
  return { verb: 'patch', resource: PODS, ...identity(pod), type: 'strategic', patch, subresource: 'status' };
}

function forceDelete(pod: Pod): Operation {
  const { uid } = pod.metadata ?? {};
  const options = { gracePeriodSeconds: 0, ...(uid === undefined ? {} : { uid }) };
  return { verb: 'delete', resource: PODS, ...identity(pod), options };
}

function identity(pod: Pod): { readonly namespace: string; readonly name: string } {
  return { namespace: namespaceOf(pod), name: nameOf(pod) };
}
