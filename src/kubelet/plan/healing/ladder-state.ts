/** The ladder's part of the annotation `mendlet.dev/healing`. Pure. */
import type { HealingState, Pod, ResolvedHealingPolicy } from '../../../api/index.ts';
import { formatMicroTime } from '../../../lib/index.ts';
import type { HealingNote, PodNote } from '../pod-memory.ts';
import { answersOf, countFor } from './ladder-note.ts';
import { podPolicy } from './pod-policy.ts';

/** Empty when there is nothing to report. */
export function ladderState(pod: Pod, { healing }: PodNote): HealingState {
  const own = podPolicy(pod);
  return {
    ...(own.kind === 'valid' && healing !== undefined ? episodeState(own.policy, healing) : {}),
    ...(healing === undefined || healing.podRestarts === 0 ? {} : { podRestarts: healing.podRestarts }),
    ...(own.kind === 'invalid' ? { problem: own.problem } : {}),
  };
}

function episodeState(policy: ResolvedHealingPolicy, healing: HealingNote): HealingState {
  const { since, cause, move, stopped } = healing;
  if (since === undefined) return {};
  const rung = policy.rungs.find(({ scope }) => scope === healing.rung);
  return {
    rung: stopped === undefined ? healing.rung : 'stopped',
    ...(rung === undefined ? {} : { attempts: attemptsTold(policy, healing), of: rung.attempts }),
    since: formatMicroTime(since),
    ...(cause === undefined ? {} : { cause }),
    ...(move === undefined ? {} : { move: { id: move.id, cause: move.cause, at: formatMicroTime(move.at) } }),
  };
}

/** Attempts of the rung for the container that died last, within the window as it stood then: it changes with deaths alone. */
export function attemptsTold({ rungs }: ResolvedHealingPolicy, healing: HealingNote): number {
  const rung = rungs.find(({ scope }) => scope === healing.rung);
  const last = healing.attempts.find(({ scope, uncounted }) => scope === healing.rung && uncounted === undefined);
  if (rung === undefined || last === undefined) return 0;
  const answers = answersOf(healing, rung, ({ at }) => last.at - at);
  return Math.min(countFor(answers, rung.scope, last.container), rung.attempts);
}
