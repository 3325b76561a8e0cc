/**
 * A restart that is under way (`note.restart`), in two stages. First the containers in its scope end, in order and within the
 * grace period; with scope pod the sandbox is stopped, too, and shared resources are renewed. Then all of them start again,
 * which is the work of the rest of the plan; the restart is over when all have started. Every stage is in the note before
 * anything is done for it, so it continues whatever happens to the agent. Pure.
 */
import { RESTARTING_POD_REASON } from '../../../api/index.ts';
import { formatTime } from '../../../lib/index.ts';
import { type ContainerView, isAlive } from '../container-view.ts';
import { act, type Draft, GOES_ON, HOLDS_STARTS, isDone, type StepReport, type WaitingReason, wait } from '../draft.ts';
import { isStoppedByLadder } from '../healing/held-by-ladder.ts';
import { planEnds } from '../plan-end.ts';
import { sandboxesOf } from '../plan-sandbox.ts';
import type { GoingRestart } from '../pod-memory.ts';
import { signalTime } from '../signal-time.ts';
import { beginAnew } from './begin-anew.ts';
import { endRestart } from './begin-restart.ts';
import { deadlineOf, graceOf, killMessage, noteKill, restartTime } from './restart-kill.ts';
import { scopeText, whoAndWhy } from './restart-texts.ts';
import { tryAfresh } from './try-afresh.ts';

/** Jobs that must not be under way while what they work on goes. */
const WORKS_ON_SHARED = ['create-sandbox', 'prepare-cgroup', 'resize'] as const;

/** Plans its next step. Starts are held until all containers in its scope have ended and shared resources are renewed. */
export function planRestart(draft: Draft, views: readonly ContainerView[]): StepReport {
  const { restart } = draft.note;
  if (restart === undefined) return GOES_ON;
  tellBegun(draft, restart);
  draft.times.mono(restartTime(restart), restart.begunAt);
  if (restart.starting === true) {
    if (hasStarted(draft, views, restart)) end(draft, restart, 'Restarted');
    else wait(draft, `the restart of ${scopeText(restart)} is over when all of it has started`);
    return GOES_ON;
  }
  if (waitsForTraffic(draft, views, restart)) return GOES_ON;
  return restart.scope === 'container' ? endOne(draft, views, restart) : endAll(draft, views, restart);
}

/** Clients go elsewhere before the first signal; the wait counts within the grace. */
function waitsForTraffic(draft: Draft, views: readonly ContainerView[], restart: GoingRestart): boolean {
  const { memory, facts, now } = draft.input;
  if (restart.leaves !== true || !views.some(({ instances }) => instances.some(isAlive))) return false;
  // Routing hears of it after the first pass.
  const isTold = memory.note.restart?.id === restart.id;
  const withdrawal = (isTold ? facts.withdrawal : undefined) ?? { agreedAt: undefined };
  if (withdrawal === 'needless') return false;
  const grace = { gracePeriodSeconds: graceOf(draft, restart), deadline: deadlineOf(draft, restart) };
  const signalAt = signalTime(grace, withdrawal);
  if (signalAt === undefined || signalAt <= now.mono) return false;
  wait(draft, 'its traffic goes elsewhere before it gets the signal', signalAt);
  return true;
}

/** A pod that ends takes its restart with it. `views`: to see whether that came to its end before. */
export function leaveRestart(draft: Draft, views: readonly ContainerView[]): void {
  const { restart } = draft.note;
  if (restart === undefined) return;
  tellBegun(draft, restart);
  if (restart.starting === true && hasStarted(draft, views, restart)) end(draft, restart, 'Restarted');
  else end(draft, restart, 'PodFinished');
}

/** Once, in the pass in which it began; the same holds for the end of a restart that it replaced. */
function tellBegun(draft: Draft, restart: GoingRestart): void {
  const before = draft.input.memory.note.restart;
  if (before?.id === restart.id) return;
  if (before !== undefined) draft.endedRestarts.push({ ...before, result: 'Superseded' });
  const message = `Restarting ${scopeText(restart)} (${whoAndWhy(restart)})`;
  draft.why.push(message);
  draft.events.push({ type: 'Normal', reason: 'PodRestarting', message });
}

function end(draft: Draft, restart: GoingRestart, result: 'Restarted' | 'PodFinished'): void {
  const { now } = draft.input;
  draft.endedRestarts.push({ ...restart, result });
  const seconds = Math.round((now.mono - draft.times.mono(restartTime(restart), restart.begunAt)) / 1000);
  const isWell = result === 'Restarted';
  const message = isWell
    ? `Restarted ${scopeText(restart)} in ${seconds}s (${whoAndWhy(restart)})`
    : `The pod ended before ${scopeText(restart)} had been restarted (${whoAndWhy(restart)})`;
  draft.events.push({
    type: isWell ? 'Normal' : 'Warning',
    reason: isWell ? 'PodRestarted' : 'PodRestartFailed',
    message,
  });
  draft.note = endRestart(draft.note, {
    phase: isWell ? 'Succeeded' : 'Failed',
    reason: result,
    message,
    at: formatTime(now.wall),
  });
}

/** The containers in its scope, except init containers, which are done once others start. */
function hasStarted(draft: Draft, views: readonly ContainerView[], restart: GoingRestart): boolean {
  const { scope, container } = restart;
  // The others wait for it, and it is not started any more.
  if (views.some((view) => view.kind === 'init' && isStoppedByLadder(draft, view))) return true;
  const awaited = views.filter((view) =>
    scope === 'container' ? view.container.name === container : view.kind === 'app' || view.kind === 'sidecar',
  );
  return awaited.every((view) => {
    const { name } = view.container;
    // It will not be started.
    if (isStoppedByLadder(draft, view)) return true;
    const { newest, freshFrom = 0 } = view.memory;
    const isStarting = draft.input.facts.jobs[`start-container/${name}`] !== undefined;
    return newest !== undefined && newest.restartCount >= freshFrom && !isStarting;
  });
}

/** Its kill is noted, which the rest of the plan carries out; the other containers go on as ever. */
function endOne(draft: Draft, views: readonly ContainerView[], restart: GoingRestart): StepReport {
  const view = views.find(({ container }) => container.name === restart.container);
  if (view === undefined) {
    end(draft, restart, 'PodFinished');
    return GOES_ON;
  }
  const alive = view.instances.filter(isAlive);
  for (const instance of alive) noteKill(draft, view, instance, restart);
  if (alive.length > 0) return GOES_ON;
  const key = `start-container/${view.container.name}`;
  if (draft.input.facts.jobs[key] !== undefined) {
    wait(draft, `${key} is under way and must end first`);
    return GOES_ON;
  }
  startAnew(draft, [view], restart);
  return GOES_ON;
}

function endAll(draft: Draft, views: readonly ContainerView[], restart: GoingRestart): StepReport {
  const ended = containersEnd(draft, views, restart);
  if (!ended || (restart.scope === 'pod' && !sharedIsFresh(draft, restart))) {
    tellWaiting(draft, views, restart);
    return HOLDS_STARTS;
  }
  const note = { ...draft.note };
  delete note.restartAll;
  delete note.initializedSandboxId;
  draft.note = note;
  startAnew(
    draft,
    views.filter(({ kind }) => kind !== 'ephemeral'),
    restart,
  );
  return GOES_ON;
}

function startAnew(draft: Draft, views: readonly ContainerView[], going: GoingRestart): void {
  beginAnew(draft, views, going);
  if (going.force) tryAfresh(draft, views);
  const { restart } = draft.note;
  if (restart !== undefined) draft.note = { ...draft.note, restart: { ...restart, starting: true } };
}

/** True when none runs and none is being started; plans the missing stops. */
function containersEnd(draft: Draft, views: readonly ContainerView[], restart: GoingRestart): boolean {
  const { observed, facts } = draft.input;
  const starts = Object.keys(facts.jobs).filter((key) => key.startsWith('start-container/'));
  for (const key of starts) wait(draft, `${key} is under way and must end first`);
  if (starts.length > 0) draft.actions.push({ verb: 'cancel-starts' });
  const spared = new Set(
    views.filter(({ kind }) => kind === 'ephemeral' && restart.scope !== 'pod').map(({ container: { name } }) => name),
  );
  const alive = (observed?.containers ?? []).filter((each) => isAlive(each) && !spared.has(each.name));
  const deadlines = new Map<string, number>();
  for (const instance of alive) {
    const view = views.find(({ container }) => container.name === instance.name);
    if (view === undefined) continue;
    const kill = noteKill(draft, view, instance, restart);
    const begun = draft.times.mono(`kill/${instance.id}`, kill.requestedAt);
    deadlines.set(instance.id, begun + kill.gracePeriodSeconds * 1000);
  }
  planEnds(draft, views, alive, {
    deadline: deadlineOf(draft, restart),
    gracePeriodSeconds: graceOf(draft, restart),
    message: (name) => killMessage(name, restart),
    ownDeadline: ({ id }) => deadlines.get(id),
  });
  return alive.length === 0 && starts.length === 0;
}

/** Sandbox, network, IPC, cgroup and the emptyDirs named are not those of before; plans what is missing. */
function sharedIsFresh(draft: Draft, restart: GoingRestart): boolean {
  if (restart.refreshed === true) return true;
  const busy = WORKS_ON_SHARED.filter((key) => draft.input.facts.jobs[key] !== undefined);
  for (const key of busy) wait(draft, `${key} is under way and must end first`);
  if (busy.length > 0) return false;
  if (restart.oldSandboxAttempt === undefined) {
    draft.note = { ...draft.note, restart: { ...restart, oldSandboxAttempt: draft.note.sandboxAttempt ?? -1 } };
  }
  if (!sandboxesStopped(draft)) return false;
  const troubles = (draft.input.facts.volumeTroubles ?? []).map(({ volume }) => volume);
  const volumes = [...new Set([...(restart.volumes ?? []), ...troubles])];
  act(draft, { verb: 'refresh-pod', restart: restart.id, emptyDirs: restart.emptyDirs, volumes });
  return false;
}

function sandboxesStopped(draft: Draft): boolean {
  let stopped = true;
  for (const sandbox of sandboxesOf(draft.input.observed)) {
    // One that is not ready still holds its address until it is stopped.
    if (isDone(draft, `stop-sandbox/${sandbox.id}`) && sandbox.state !== 'ready') continue;
    act(draft, { verb: 'stop-sandbox', sandboxId: sandbox.id });
    stopped = false;
  }
  return stopped;
}

function tellWaiting(draft: Draft, views: readonly ContainerView[], restart: GoingRestart): void {
  const reason = restart.scope === 'pod' ? RESTARTING_POD_REASON : 'RestartingAllContainers';
  const waiting: WaitingReason = { reason, message: `Restarting ${scopeText(restart)} (${whoAndWhy(restart)})` };
  for (const { kind, container, death } of views) {
    if (kind !== 'ephemeral' && death !== undefined) draft.waiting[container.name] ??= waiting;
  }
}
