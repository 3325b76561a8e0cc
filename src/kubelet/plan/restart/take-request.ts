/**
 * The annotation `mendlet.dev/restart-request`: read, weighed once and answered. A request becomes a restart in the note; one
 * that needs none, or cannot be done, gets its answer at once. Pure.
 */
import {
  type Pod,
  readRestartRequest,
  RESTART_REQUEST,
  type RestartOutcome,
  type RestartRequest,
} from '../../../api/index.ts';
import { formatTime, parseTime, fnv1a64 } from '../../../lib/index.ts';
import type { ContainerView } from '../container-view.ts';
import { type Draft, tellNext, wait } from '../draft.ts';
import { isStoppedByLadder } from '../healing/held-by-ladder.ts';
import { resetLadder } from '../healing/ladder-note.ts';
import { MAX_RESTART_WAIT_MS } from '../limits.ts';
import { asksForWait } from '../signal-time.ts';
import type { GoingRestart } from '../pod-memory.ts';
import { sandboxesOf } from '../plan-sandbox.ts';
import { beginRestart, isDone, mustWaitFor, UNREADABLE, withOutcome } from './begin-restart.ts';
import { scopeText } from './restart-texts.ts';

/** @param over the pod ends or has ended: nothing is restarted any more */
export function takeRequest(draft: Draft, views: readonly ContainerView[], over: boolean): void {
  const text = draft.input.pod.metadata?.annotations?.[RESTART_REQUEST];
  if (text === undefined) return;
  const reading = readRestartRequest(text);
  if (!reading.ok) {
    refuseUnreadable(draft, text, reading.problem);
    return;
  }
  const { request } = reading;
  if (isKnown(draft, request.id)) return;
  if (over) {
    answer(draft, request, 'PodFinished', 'The pod has ended, or is about to: it is not restarted any more');
    return;
  }
  if (!isDue(draft, request)) return;
  const stopped = stoppedBy(draft, views);
  const problem = problemOf(draft.input.pod, views, request) ?? stoppedProblem(stopped, request);
  if (problem !== undefined) {
    answer(draft, request, 'Refused', problem);
    return;
  }
  const { restart: going } = draft.note;
  if (going !== undefined && mustWaitFor(going, request)) {
    tellBlocked(draft, request, going);
    return;
  }
  const unneeded = whyUnneeded(draft, views, request);
  if (unneeded === undefined) begin(draft, request, stopped.length === 0 || touches(stopped, request));
  else answer(draft, request, 'NotNeeded', unneeded);
}

/** It is under way or done. */
function isKnown({ note }: Draft, id: string): boolean {
  return note.restart?.id === id || isDone(note, id);
}

/** @param anew the ladder is reset with it */
function begin(draft: Draft, request: RestartRequest, anew: boolean): void {
  const { id, scope, container, reason = '', by, gracePeriodSeconds, force = false, emptyDirs = [] } = request;
  const wanted = {
    id,
    source: 'request',
    scope,
    ...(container === undefined ? {} : { container }),
    reason,
    ...(by === undefined ? {} : { by }),
    ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
    force,
    emptyDirs,
    ...(leaves(draft) ? { leaves: true } : {}),
  } as const;
  // A restart by a person starts a new episode of the ladder, except for stopped containers outside of its scope.
  const note = anew ? resetLadder(draft.note) : draft.note;
  draft.note = beginRestart(note, wanted, draft.input.now);
}

/** Whether its traffic goes elsewhere first. A pod that serves alone serves until its signal. */
function leaves({ input: { pod, facts } }: Draft): boolean {
  return facts.canLeave?.() ?? asksForWait(pod);
}

/** A request for a time to come waits for it. */
function isDue(draft: Draft, { id, scope, container, notBefore }: RestartRequest): boolean {
  const wall = parseTime(notBefore);
  if (wall === undefined) return true;
  const { now } = draft.input;
  const due = draft.times.due(`restart-request/${id}`, wall);
  if (now.mono >= due) return true;
  const what = scopeText({ scope, ...(container === undefined ? {} : { container }) });
  wait(draft, `the restart of ${what} waits until ${notBefore}`, Math.min(due, now.mono + MAX_RESTART_WAIT_MS));
  tellNext(draft, 'restarts, as somebody asked', due);
  return false;
}

/** Why it cannot be done; `undefined`: it can. */
function problemOf(pod: Pod, views: readonly ContainerView[], request: RestartRequest): string | undefined {
  const { scope, container, emptyDirs = [] } = request;
  if (scope === 'container') {
    const kind = views.find((view) => view.container.name === container)?.kind;
    if (kind === undefined) return `The pod has no container ${container}`;
    if (kind === 'init') return `Container ${container} is an init container: restart all containers instead`;
    if (kind === 'ephemeral') return `Container ${container} is an ephemeral container, which runs once`;
  }
  const own = new Set((pod.spec?.volumes ?? []).filter((each) => each.emptyDir !== undefined).map(({ name }) => name));
  const unknown = emptyDirs.filter((name) => name !== '*' && !own.has(name));
  return unknown.length === 0 ? undefined : `The pod has no emptyDir named ${unknown.join(', ')}`;
}

/** Names of the containers that the healing ladder starts no more. */
function stoppedBy(draft: Draft, views: readonly ContainerView[]): readonly string[] {
  return views.filter((view) => isStoppedByLadder(draft, view)).map(({ container }) => container.name);
}

/** Going past the end of the ladder requires `force`. */
function stoppedProblem(stopped: readonly string[], request: RestartRequest): string | undefined {
  if (request.force === true || !touches(stopped, request)) return undefined;
  return `The healing ladder has stopped starting ${stopped.join(', ')}: only a forced restart goes past that`;
}

function touches(stopped: readonly string[], { scope, container = '' }: RestartRequest): boolean {
  return scope === 'container' ? stopped.includes(container) : stopped.length > 0;
}

/** Containers that started at `notBefore` or later are left alone; `undefined`: one of them did not. */
function whyUnneeded(draft: Draft, views: readonly ContainerView[], request: RestartRequest): string | undefined {
  const { scope, container, notBefore } = request;
  const meant = views.filter((view) => {
    if (scope === 'container') return view.container.name === container;
    return view.kind !== 'ephemeral';
  });
  if (request.force !== true && meant.every(({ memory }) => memory.newest === undefined)) {
    return 'Nothing of it has started yet: there is nothing to restart; what it waits for is tried again now by force';
  }
  const since = parseTime(notBefore);
  if (since === undefined) return undefined;
  const running = meant.filter(({ kind }) => kind !== 'init').flatMap(({ memory }) => memory.newest ?? []);
  const isFresh = running.length > 0 && running.every(({ startedAt }) => startedAt >= since);
  const sandbox = sandboxesOf(draft.input.observed)[0];
  const isFreshPod = scope !== 'pod' || (sandbox !== undefined && sandbox.createdAt >= since);
  return isFresh && isFreshPod ? `Started since ${notBefore}: left alone` : undefined;
}

/** While it is blocked it is reported as waiting: a user who asked by annotation sees that nowhere else. */
function tellBlocked(draft: Draft, request: RestartRequest, going: GoingRestart): void {
  const which = going.source === 'ladder' ? 'the healing ladder’s' : going.id;
  const waits = `restart of ${scopeText(request)} waits until that of ${scopeText(going)} (${which}) is over`;
  wait(draft, `the ${waits}`);
  const message = `The ${waits}${request.force === true ? '' : '; one with force would not'}`;
  const told = draft.note.restartOutcomes?.some(({ id, message: before }) => id === request.id && before === message);
  if (told !== true) record(draft, { id: request.id, phase: 'Pending', reason: 'OneAtATime', message });
}

type Answer = 'NotNeeded' | 'PodFinished' | 'Refused';

function answer(draft: Draft, request: RestartRequest, result: Answer, message: string): void {
  const isWell = result === 'NotNeeded';
  draft.why.push(message);
  draft.events.push({
    type: isWell ? 'Normal' : 'Warning',
    reason: isWell ? 'PodRestartNotNeeded' : 'PodRestartFailed',
    message,
  });
  draft.endedRestarts.push({ scope: request.scope, source: 'request', result });
  record(draft, { id: request.id, phase: isWell ? 'Succeeded' : 'Failed', reason: result, message });
}

/** Reported once: its id, or else its text, is remembered. */
function refuseUnreadable(draft: Draft, text: string, problem: string): void {
  const named = idIn(text);
  const id = named === undefined || isKnown(draft, named) ? `unreadable-${fnv1a64(text)}` : named;
  const message = `Annotation ${RESTART_REQUEST}: ${problem}`;
  const told = draft.note.restartOutcomes?.some((outcome) => outcome.id === id && outcome.message === message);
  if (told === true) return;
  draft.events.push({ type: 'Warning', reason: UNREADABLE, message });
  record(draft, { id, phase: 'Failed', reason: UNREADABLE, message });
}

function record(draft: Draft, outcome: Omit<RestartOutcome, 'at'>): void {
  draft.note = withOutcome(draft.note, { ...outcome, at: formatTime(draft.input.now.wall) });
}

/** The id of a request that cannot be read as a whole; ids of the wrong form are ignored. */
function idIn(text: string): string | undefined {
  try {
    const { id } = JSON.parse(text) as { id?: unknown };
    return typeof id === 'string' && /^[\w.:/@+-]{1,128}$/.test(id) ? id : undefined;
  } catch {
    return undefined;
  }
}
