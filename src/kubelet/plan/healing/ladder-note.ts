/** What the note keeps of the ladder: answers to deaths, counted and bounded; and the ways in which it begins anew. Pure. */
import type { HealingScope, ResolvedRung } from '../../../api/index.ts';
import { MAX_LADDER_ATTEMPTS } from '../limits.ts';
import type { HealingNote, LadderAttempt, PodNote } from '../pod-memory.ts';

/** No episode goes on. Whole-pod restarts are counted for the pod's life. */
export function calmHealing(policy: string, podRestarts: number): HealingNote {
  return { policy, rung: 'container', attempts: [], podRestarts };
}

/**
 * Somebody restarted the pod, or a container of it: the episode is over, a ladder that had stopped goes on from its first rung.
 * The same note when there is nothing to forget.
 */
export function resetLadder(note: PodNote): PodNote {
  const { healing } = note;
  if (healing === undefined || (healing.since === undefined && healing.attempts.length === 0)) return note;
  return { ...note, healing: calmHealing(healing.policy, healing.podRestarts) };
}

/** What the ladder said to this death. */
export function answerTo({ attempts }: Pick<HealingNote, 'attempts'>, containerId: string): LadderAttempt | undefined {
  return attempts.find((attempt) => attempt.containerId === containerId);
}

/** With one answer more. Those that count stay; of each container so does its newest answer. */
export function withAnswer(attempts: readonly LadderAttempt[], answer: LadderAttempt): readonly LadderAttempt[] {
  const seen = new Set<string>();
  return [answer, ...attempts].filter((attempt, position) => {
    const newest = !seen.has(attempt.container);
    seen.add(attempt.container);
    return newest || (position < MAX_LADDER_ATTEMPTS && attempt.uncounted === undefined);
  });
}

/** Answers of this rung within its window: those to deaths of any container, for which the rung counts as a whole. */
export function answersOf(
  { attempts }: Pick<HealingNote, 'attempts'>,
  { scope, windowMs }: Pick<ResolvedRung, 'scope' | 'windowMs'>,
  ageMs: (attempt: LadderAttempt) => number,
): readonly LadderAttempt[] {
  return attempts.filter(
    (attempt) =>
      attempt.scope === scope &&
      attempt.uncounted === undefined &&
      (windowMs === undefined || ageMs(attempt) < windowMs),
  );
}

/** Restarts of a container are counted for each container; wider ones for the pod. What was lost counts for all. */
export function countFor(answers: readonly LadderAttempt[], scope: HealingScope, container: string): number {
  if (scope !== 'container') return answers.length;
  return answers.filter((answer) => answer.container === container || answer.container === ANY_CONTAINER).length;
}

/** Of an answer whose container is no longer known: the note was lost, its number was told. */
export const ANY_CONTAINER = '';

export function withHealing(note: PodNote, healing: HealingNote): PodNote {
  return { ...note, healing };
}
