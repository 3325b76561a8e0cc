/** Reads a pod's annotations about healing: its policy, and requested restarts. */
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

/** Whether a restart of this pod has been requested, so that its restart policy alone does not explain its restarts. */
export function wasAsked(pod: Pod | undefined): boolean {
  return pod?.metadata?.annotations?.[RESTART_REQUEST] !== undefined;
}

/** The grace period of the requested restart, seconds; undefined: the pod's own. */
export function graceOfRestart(pod: Pod): number | undefined {
  const text = pod.metadata?.annotations?.[RESTART_REQUEST];
  return text === undefined ? undefined : (JSON.parse(text) as RestartRequest).gracePeriodSeconds;
}
