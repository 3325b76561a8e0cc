/** What a pod's annotations say of its healing: who heals by a policy, and whether somebody asked for a restart of it. */
import {
  HEALING_POLICY,
  HEALING_STATE,
  type HealingState,
  type Pod,
  RESTART_REQUEST,
  type RestartRequest,
} from '../../api/index.ts';

export function healsByPolicy(pod: Pod | undefined): boolean {
  return pod?.metadata?.annotations?.[HEALING_POLICY] !== undefined;
}

export function healingStateOf(pod: Pod | undefined): HealingState {
  const text = pod?.metadata?.annotations?.[HEALING_STATE];
  return text === undefined ? {} : (JSON.parse(text) as HealingState);
}

/** Somebody has asked for a restart of this pod: what its containers do then is not their restart policy's. */
export function wasAsked(pod: Pod | undefined): boolean {
  return pod?.metadata?.annotations?.[RESTART_REQUEST] !== undefined;
}

/** The grace that a restart gives the pod's containers, seconds; undefined: the pod's own. */
export function graceOfRestart(pod: Pod): number | undefined {
  const text = pod.metadata?.annotations?.[RESTART_REQUEST];
  return text === undefined ? undefined : (JSON.parse(text) as RestartRequest).gracePeriodSeconds;
}
