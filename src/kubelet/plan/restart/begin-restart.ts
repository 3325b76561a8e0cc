/**
 * How a restart begins, whoever wants it: a request, or a rung of the ladder. It becomes a line of the note; everything else
 * follows from that, also for an agent that comes after us. Pure.
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
 * The note of a pod that is being restarted so. The same note, when a restart of this id goes on or is done, or when one of a
 * wider scope goes on. What goes on otherwise is superseded: who asked for it is told so.
 *
 * @param now its wall ms is when the restart begins
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

/** It has come to its end, one way or another. What could not be read may still be put right. */
export function isDone({ restartOutcomes = [] }: PodNote, id: string): boolean {
  return restartOutcomes.some((outcome) => outcome.id === id && isOver(outcome) && outcome.reason !== UNREADABLE);
}

/** Ends the restart that goes on. Only a request has an outcome: the ladder keeps its own account. */
export function endRestart(note: PodNote, outcome: Omit<RestartOutcome, 'id'>): PodNote {
  const { restart, ...rest } = note;
  if (restart === undefined) return note;
  return restart.source === 'ladder' ? rest : withOutcome(rest, { id: restart.id, ...outcome });
}

/** Newest first; what was said of this id before is replaced. */
export function withOutcome(note: PodNote, outcome: RestartOutcome): PodNote {
  const others = (note.restartOutcomes ?? []).filter(({ id }) => id !== outcome.id);
  return { ...note, restartOutcomes: [outcome, ...others].slice(0, MAX_RESTART_OUTCOMES) };
}

/**
 * One that restarts more comes to its end first. By force not once all of it begins anew: that goes on without it, and may
 * wait for long, as for an image.
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
