/** Evicts one victim of preemption: writes the reason into its status, then deletes it with its own grace period. */
import { findCondition, isConflict, isNotFound, namesOtherUid, PODS, setCondition } from '../../api/index.ts';
import type { KubeClient } from '../../client/index.ts';
import { type Clock, formatTime } from '../../lib/index.ts';
import type { PodInfo } from '../cluster/pod-info.ts';

/** @returns false when the pod was gone already. Rejects when the victim may still be running. */
export async function evictVictim(
  victim: PodInfo,
  schedulerName: string,
  { client, clock, signal }: { readonly client: KubeClient; readonly clock: Clock; readonly signal: AbortSignal },
): Promise<boolean> {
  if (victim.ending) return false;
  const { pod, namespace, uid } = victim;
  const name = pod.metadata?.name ?? '';
  const generation = pod.metadata?.generation;
  const condition = {
    type: 'DisruptionTarget',
    status: 'True',
    reason: 'PreemptionByScheduler',
    message: `${schedulerName}: preempting to accommodate a higher priority pod`,
    ...(generation === undefined ? {} : { observedGeneration: generation }),
  };
  try {
    const before = findCondition(pod.status?.conditions, 'DisruptionTarget');
    if (before?.status !== 'True' || before.reason !== condition.reason) {
      const conditions = setCondition(pod.status?.conditions, condition, formatTime(clock.now().wall)).filter(
        ({ type }) => type === condition.type,
      );
      const patch = { metadata: { uid }, status: { conditions } };
      await client.patch(PODS, namespace, name, 'strategic', patch, 'status', signal);
    }
    await client.delete(PODS, namespace, name, { uid }, signal);
    return true;
  } catch (error) {
    // It is gone, or another pod has its name by now.
    if (isNotFound(error) || isConflict(error) || namesOtherUid(error)) return false;
    throw error;
  }
}
