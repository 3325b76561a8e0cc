/** The ladder's part of the note: answers to deaths, counted and bounded, and the ways in which it is reset. Pure. */
import type { HealingScope, ResolvedRung } from '../../../api/index.ts';
import { MAX_LADDER_ATTEMPTS } from '../limits.ts';
import type { HealingNote, LadderAttempt, PodNote } from '../pod-memory.ts';

/** No episode is under way. Whole-pod restarts are counted over the pod's life. */
export function calmHealing(policy: string, podRestarts: number): HealingNote {
  return { policy, rung: 'container', attempts: [], podRestarts };
}

/**
 * Somebody restarted the pod, or a container of it: the episode is over, and a ladder that had stopped continues at its first
 * rung. The same note when there is nothing to forget.
 */
export function resetLadder(note: PodNote): PodNote {
  const { healing } = note;
  if (healing === undefined || (healing.since === undefined && healing.attempts.length === 0)) return note;
  return { ...note, healing: calmHealing(healing.policy, healing.podRestarts) };
}

/** The ladder's answer to this death. */
export function answerTo({ attempts }: Pick<HealingNote, 'attempts'>, containerId: string): LadderAttempt | undefined {
  return attempts.find((attempt) => attempt.containerId === containerId);
}

/** With one more answer. Answers that count stay, and so does the newest answer of each container. */
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

/** Restarts of a container are counted for each container, wider ones for the pod. Lost answers count for all. */
export function countFor(answers: readonly LadderAttempt[], scope: HealingScope, container: string): number {
  if (scope !== 'container') return answers.length;
  return answers.filter((answer) => answer.container === container || answer.container === ANY_CONTAINER).length;
}

/** An answer whose container is no longer known: the note was lost, and only the number was reported. */
export const ANY_CONTAINER = '';

export function withHealing(note: PodNote, healing: HealingNote): PodNote {
  return { ...note, healing };
}
