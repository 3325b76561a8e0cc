/** Our annotations on the pod, from its note: where its healing stands. Pure. */
import { formatTime } from '../../../lib/index.ts';
import { HEALING_STATE, type HealingState, type Pod } from '../../../api/index.ts';
import type { StatusAnnotations } from '../../types.ts';
import type { PodNote } from '../pod-memory.ts';

/** Empty for a pod that uses nothing beyond Kubernetes, and never did. */
export function healingAnnotations(pod: Pod, note: PodNote): StatusAnnotations {
  const state = healingState(note);
  if (Object.keys(state).length > 0) return { [HEALING_STATE]: JSON.stringify(state) };
  return pod.metadata?.annotations?.[HEALING_STATE] === undefined ? {} : { [HEALING_STATE]: undefined };
}

function healingState({ healing, restartOutcomes = [] }: PodNote): HealingState {
  return {
    ...(healing?.since === undefined ? {} : { rung: healing.rung, since: formatTime(healing.since) }),
    ...(restartOutcomes.length === 0 ? {} : { restarts: restartOutcomes }),
  };
}
