/**
 * Begins a restart, for a request or for a rung of the ladder. It becomes an entry of the note; everything else follows from
 * that, also for the next agent. Pure.
 */
import { HEALING_SCOPES, MAX_RESTART_OUTCOMES, type RestartOutcome, type RestartScope } from '../../../api/index.ts';
import { formatTime, type Now } from '../../../lib/index.ts';
import type { GoingRestart, PodNote } from '../pod-memory.ts';
import { scopeText } from './restart-texts.ts';

/** The reason of the outcome of a request that could not be read, and of its event. */
export const UNREADABLE = 'InvalidRestartRequest';

/** A restart before it has begun. */
export type WantedRestart = Omit<GoingRestart, 'begunAt' | 'oldSandboxAttempt' | 'refreshed' | 'starting'>;

/**
 * The note of a pod for which this restart has begun. The same note, when a restart of this id is under way or done, or when
 * one of a wider scope is under way. Any other restart under way is superseded, and its requester is told so.
 * @param now its wall ms is the beginning of the restart
 */
export function beginRestart(note: PodNote, wanted: WantedRestart, now: Pick<Now, 'wall'>): PodNote {
  const { restart: going } = note;
  if (going?.id === wanted.id || isDone(note, wanted.id)) return note;
  if (going !== undefined && mustWaitFor(going, wanted)) return note;
  const before = going === undefined ? note : superseded(note, going, wanted, now);
  const begun = { ...before, restart: { ...wanted, begunAt: now.wall } };
  if (wanted.source === 'ladder') return begun;
  return withOutcome(begun, { id: wanted.id, phase: 'Running', at: formatTime(now.wall) });
}

/** The request has come to its end, one way or another. An unreadable request may still be corrected. */
export function isDone({ restartOutcomes = [] }: PodNote, id: string): boolean {
  return restartOutcomes.some((outcome) => outcome.id === id && isOver(outcome) && outcome.reason !== UNREADABLE);
}

/** Ends the restart under way. Only a request has an outcome: the ladder keeps its own account. */
export function endRestart(note: PodNote, outcome: Omit<RestartOutcome, 'id'>): PodNote {
  const { restart, ...rest } = note;
  if (restart === undefined) return note;
  return restart.source === 'ladder' ? rest : withOutcome(rest, { id: restart.id, ...outcome });
}

/** Newest first; an earlier outcome of this id is replaced. */
export function withOutcome(note: PodNote, outcome: RestartOutcome): PodNote {
  const others = (note.restartOutcomes ?? []).filter(({ id }) => id !== outcome.id);
  return { ...note, restartOutcomes: [outcome, ...others].slice(0, MAX_RESTART_OUTCOMES) };
}

/**
 * A restart of wider scope finishes first. With force it does not once its containers are being started: then that continues
 * by itself, and may take long, for example for an image.
 */
export function mustWaitFor(
  going: GoingRestart,
  other: { readonly scope?: RestartScope; readonly force?: boolean },
): boolean {
  const { scope = 'pod', force } = other;
  if (HEALING_SCOPES.indexOf(going.scope) <= HEALING_SCOPES.indexOf(scope)) return false;
  return force !== true || going.starting !== true;
}

function superseded(note: PodNote, going: GoingRestart, wanted: WantedRestart, { wall }: Pick<Now, 'wall'>): PodNote {
  const message = reaches(wanted, going)
    ? `another restart has taken over the restart of ${scopeText(going)}`
    : `another restart was asked for; ${scopeText(going)} starts again as soon as it can`;
  return endRestart(note, { phase: 'Succeeded', reason: 'Superseded', message, at: formatTime(wall) });
}

function reaches(wanted: WantedRestart, going: GoingRestart): boolean {
  if (wanted.scope === 'container') return going.scope === 'container' && going.container === wanted.container;
  return HEALING_SCOPES.indexOf(wanted.scope) >= HEALING_SCOPES.indexOf(going.scope);
}

function isOver({ phase }: RestartOutcome): boolean {
  return phase === 'Succeeded' || phase === 'Failed';
}
