/** Invariant: healing climbs its ladder by the pod's policy. */
import {
  HEALING_POLICY,
  HEALING_SCOPES,
  type HealingPolicySpec,
  type HealingState,
  type Pod,
} from '../../api/index.ts';
import type { Facts } from '../facts.ts';
import { healingStateOf } from './healing-words.ts';
import { InvariantViolation } from './violation.ts';

const RUNGS: readonly string[] = [...HEALING_SCOPES, 'stopped'];

/**
 * A pod's healing state follows its policy: within an episode the rung never falls, attempts never exceed the rung's maximum,
 * whole-pod restarts neither fall nor exceed theirs, and each state names its cause.
 */
export function climbsOnly(facts: Facts): void {
  const last = new Map<string, HealingState>();
  facts.on({
    'pod-deleted': ({ pod }) => void last.delete(pod.metadata?.uid ?? ''),
    'pod-written': ({ pod }) => {
      const uid = pod.metadata?.uid ?? '';
      const state = healingStateOf(pod);
      const policy = policyOf(pod);
      if (policy !== undefined) check(uid, last.get(uid) ?? {}, state, policy);
      last.set(uid, state);
    },
  });
}

function check(uid: string, before: HealingState, state: HealingState, policy: HealingPolicySpec): void {
  const fail = (what: string): never => {
    throw new InvariantViolation('healing ladder', `${uid}: ${what}`);
  };
  const { rung, attempts = 0, of = Number.POSITIVE_INFINITY, podRestarts = 0 } = state;
  if (attempts > of) fail(`${attempts} attempts where ${of} are allowed`);
  if (podRestarts < (before.podRestarts ?? 0)) fail(`pod restarts fell from ${before.podRestarts} to ${podRestarts}`);
  const maximum = policy.maxPodRestarts ?? Number.POSITIVE_INFINITY;
  if (podRestarts > maximum) fail(`${podRestarts} pod restarts where ${maximum} are allowed`);
  if (rung === undefined) return;
  if (state.cause === undefined) fail(`rung ${rung} without a cause`);
  const sameEpisode = state.since !== undefined && state.since === before.since;
  if (sameEpisode && before.rung !== undefined && RUNGS.indexOf(rung) < RUNGS.indexOf(before.rung)) {
    fail(`rung fell from ${before.rung} to ${rung}`);
  }
}

function policyOf(pod: Pod): HealingPolicySpec | undefined {
  const text = pod.metadata?.annotations?.[HEALING_POLICY];
  return text === undefined ? undefined : (JSON.parse(text) as HealingPolicySpec);
}
