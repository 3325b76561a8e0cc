/**
 * The ladder's answer to one death: the rung that it stands on while that has attempts left, else the next one that can help,
 * else stop. Within an episode it never comes down. Pure.
 */
import type { HealingScope, ResolvedHealingPolicy, ResolvedRung } from '../../../api/index.ts';
import { HEALING_SCOPES } from '../../../api/index.ts';
import { MAX_LADDER_ATTEMPTS } from '../limits.ts';
import type { HealingNote, LadderAttempt, StopReason } from '../pod-memory.ts';
import { type DeathFacts, ruleFor } from './death-facts.ts';
import { answersOf, countFor } from './ladder-note.ts';

export interface ClimbInput {
  readonly policy: ResolvedHealingPolicy;
  /** The note under this policy. */
  readonly note: HealingNote;
  readonly death: DeathFacts;
  /** A controller would create the pod again on another node. */
  readonly canMove: boolean;
  /** How long ago an answer was given, ms. */
  readonly ageMs: (attempt: LadderAttempt) => number;
}

export type LadderAnswer =
  | {
      readonly kind: 'restart';
      readonly rung: ResolvedRung;
      /** This one, counted from 1; and how many deaths of the rung before led to it. */
      readonly attempt: number;
      /** The rung that has been left for this one, with its attempts within its window. */
      readonly from?: { readonly rung: ResolvedRung; readonly attempts: number };
    }
  | { readonly kind: 'stop'; readonly reason: StopReason; readonly skippedNode: boolean };

export function climb(input: ClimbInput): LadderAnswer {
  const { policy, note, death } = input;
  const rule = ruleFor(policy, death);
  if (rule?.action === 'Stop') return { kind: 'stop', reason: 'RuleStop', skippedNode: false };
  // A rule stops a container; the end of the ladder is the end for all.
  if (note.stopped !== undefined && note.stopped.reason !== 'RuleStop')
    return { kind: 'stop', reason: note.stopped.reason, skippedNode: false };
  const current = currentRung(policy, note);
  if (rule?.action !== 'Escalate') return search(input, current, current);
  const from = Math.max(current, rungAtLeast(policy, rule.rung, current + 1));
  // There is no rung above `node`: a pod that has asked in vain asks again.
  const top = input.canMove ? policy.rungs.findIndex(({ scope }) => scope === 'node') : -1;
  return search(input, current, top < 0 ? from : Math.min(from, top));
}

function search(input: ClimbInput, current: number, from: number): LadderAnswer {
  const { policy, note, death, ageMs, canMove } = input;
  let spent = false;
  let skippedNode = false;
  for (const [position, rung] of policy.rungs.entries()) {
    if (position < from) continue;
    if (rung.scope === 'node') {
      if (canMove) return restart(input, rung, position, current);
      skippedNode = true;
    } else if (rung.scope === 'pod' && note.podRestarts >= (policy.maxPodRestarts ?? Number.POSITIVE_INFINITY)) {
      spent = true;
    } else {
      const answers = answersOf(note, rung, ageMs);
      const left = rung.attempts - countFor(answers, rung.scope, death.container);
      if (left > 0 && answers.length < MAX_LADDER_ATTEMPTS) return restart(input, rung, position, current);
    }
  }
  return { kind: 'stop', reason: spent ? 'MaxPodRestarts' : 'AttemptsExhausted', skippedNode };
}

function restart({ policy, note, death, ageMs }: ClimbInput, rung: ResolvedRung, position: number, current: number) {
  const count = (of: ResolvedRung) => countFor(answersOf(note, of, ageMs), of.scope, death.container);
  const left = policy.rungs[current];
  const climbed = position > current && left !== undefined;
  return {
    kind: 'restart' as const,
    rung,
    attempt: count(rung) + 1,
    ...(climbed ? { from: { rung: left, attempts: count(left) } } : {}),
  };
}

/** The rung of the episode; the first rung when there is no episode. */
function currentRung(policy: ResolvedHealingPolicy, { since, rung }: HealingNote): number {
  return since === undefined ? 0 : rungAtLeast(policy, rung, 0);
}

/** The first rung that is not below `scope`; `otherwise` without one. Behind the last: there is none. */
function rungAtLeast(policy: ResolvedHealingPolicy, scope: HealingScope | undefined, otherwise: number): number {
  if (scope === undefined) return otherwise;
  const found = policy.rungs.findIndex((rung) => HEALING_SCOPES.indexOf(rung.scope) >= HEALING_SCOPES.indexOf(scope));
  return found < 0 ? policy.rungs.length : found;
}
