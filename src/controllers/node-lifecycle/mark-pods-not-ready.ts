/**
 * Marks pods of a lost node as not ready, so that they get no more traffic: nothing there can report whether they still are.
 * Pure.
 */
import { findCondition, type Pod, PODS } from '../../api/index.ts';
import type { Operation } from '../operation.ts';

/** The pods that still count as ready. */
export function readyPods(pods: readonly Pod[]): readonly Pod[] {
  return pods.filter((pod) => {
    const ready = findCondition(pod.status?.conditions, 'Ready');
    return ready !== undefined && ready.status !== 'False';
  });
}

/** Sets Ready to False and nothing else, for this pod and no other of its name. `now`: RFC 3339. */
export function markNotReady(pod: Pod, now: string): Operation {
  const { namespace = '', name = '', uid, generation } = pod.metadata ?? {};
  const condition = {
    type: 'Ready',
    status: 'False',
    lastTransitionTime: now,
    ...(generation === undefined ? {} : { observedGeneration: generation }),
  };
  const patch = { metadata: { uid }, status: { conditions: [condition] } };
  return { verb: 'patch', resource: PODS, namespace, name, type: 'strategic', patch, subresource: 'status' };
}
