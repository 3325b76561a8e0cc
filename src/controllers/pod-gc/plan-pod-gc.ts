/**
 * Pods that nobody else will end: those being deleted before they had a node, and those whose node's object is gone.
 * Pure. Upstream's pod GC, without its cap on terminated pods.
 */
import { PODS, type Pod } from '../../api/index.ts';
import type { Operation } from '../operation.ts';

export type PodGcReason = 'unscheduled' | 'orphaned';

/** `now`: RFC 3339, for the condition. */
export function planPodGc(pods: readonly Pod[], reason: PodGcReason, now: string): readonly Operation[] {
  return pods.flatMap((pod) => (reason === 'orphaned' ? endOrphan(pod, now) : endUnscheduled(pod)));
}

function endUnscheduled(pod: Pod): readonly Operation[] {
  const ours = pod.metadata?.deletionTimestamp !== undefined && (pod.spec?.nodeName ?? '') === '';
  return ours ? [forceDelete(pod)] : [];
}

function endOrphan(pod: Pod, now: string): readonly Operation[] {
  const phase = pod.status?.phase;
  if (phase === 'Succeeded' || phase === 'Failed') return [forceDelete(pod)];
  const condition = {
    type: 'DisruptionTarget',
    status: 'True',
    reason: 'DeletionByPodGC',
    message: 'PodGC: node no longer exists',
    lastTransitionTime: now,
  };
  const patch = { metadata: { uid: pod.metadata?.uid }, status: { phase: 'Failed', conditions: [condition] } };
  const { namespace, name } = identity(pod);
  return [
    { verb: 'patch', resource: PODS, namespace, name, type: 'strategic', patch, subresource: 'status' },
    forceDelete(pod),
  ];
}

function forceDelete(pod: Pod): Operation {
  const uid = pod.metadata?.uid;
  return {
    verb: 'delete',
    resource: PODS,
    ...identity(pod),
    options: { gracePeriodSeconds: 0, ...(uid === undefined ? {} : { uid }) },
  };
}

function identity(pod: Pod): { readonly namespace: string; readonly name: string } {
  return { namespace: pod.metadata?.namespace ?? '', name: pod.metadata?.name ?? '' };
}
