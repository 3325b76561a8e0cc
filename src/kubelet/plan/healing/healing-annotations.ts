/** Our annotations on the pod, from its note: the state of its healing. Pure. */
import { formatHealingState, HEALING_STATE, type HealingState, type Pod } from '../../../api/index.ts';
import { formatMicroTime } from '../../../lib/index.ts';
import type { StatusAnnotations } from '../../types.ts';
import type { PodNote } from '../pod-memory.ts';
import { ladderState } from './ladder-state.ts';

/** Empty for a pod that uses nothing beyond Kubernetes, and never did. */
export function healingAnnotations(pod: Pod, note: PodNote): StatusAnnotations {
  const state = healingState(pod, note);
  if (Object.keys(state).length > 0) return { [HEALING_STATE]: formatHealingState(state) };
  return pod.metadata?.annotations?.[HEALING_STATE] === undefined ? {} : { [HEALING_STATE]: undefined };
}

function healingState(pod: Pod, note: PodNote): HealingState {
  const { restartOutcomes = [], recovery, cleanRestarts } = note;
  const tellsClean = cleanRestarts !== undefined && pod.spec?.restartPolicy === 'OnFailure';
  return {
    ...ladderState(pod, note),
    ...(tellsClean ? { cleanRestarts } : {}),
    ...(restartOutcomes.length === 0 ? {} : { restarts: restartOutcomes }),
    ...(recovery?.endedAt === undefined ? {} : { recovery: earlyEnd(recovery.cause, recovery.endedAt) }),
  };
}

function earlyEnd(cause: string, at: number): NonNullable<HealingState['recovery']> {
  return { cause, at: formatMicroTime(at) };
}
