/**
 * RestartAllContainers (KEP-5532): an exit that a rule names ends all containers except the ephemeral ones, quickly and
 * without their preStop hooks. When none runs any more, the pod starts again in the same sandbox, with its init containers.
 * Upstream restarts at once each time; here the back-off of the container whose exit asked for it delays all of them. Pure.
 */
import { type ContainerView, isAlive, isHistory } from './container-view.ts';
import { type Draft, GOES_ON, HOLDS_STARTS, type StepReport, updateContainer, wait } from './draft.ts';
import { isPaused } from './healing/paused.ts';
import { GRACE_EXTENSION_SECONDS } from './limits.ts';
import { decideRestart } from './plan-start.ts';
import { planKill } from './plan-stop.ts';
import type { BackOffState } from './pod-memory.ts';
import { restartsAllAfterExit } from './restart-policy.ts';

const WAITING = {
  reason: 'RestartingAllContainers',
  message: 'All containers of the pod are being restarted',
} as const;

/**
 * Continues a restart of all containers, or begins one. Starts are held until all have ended and the back-off is over; then
 * the note says that all start again.
 */
export function planRestartAll(draft: Draft, all: readonly ContainerView[]): StepReport {
  const views = all.filter(({ kind }) => kind !== 'ephemeral');
  const sources = draft.note.restartAll?.sources ?? views.filter(asksForAll).map(({ container }) => container.name);
  if (sources.length === 0) return GOES_ON;
  if (draft.note.restartAll === undefined) {
    if (isPaused(draft)) return GOES_ON;
    draft.why.push(`${sources.join(', ')} ended so that all containers are restarted`);
    draft.note = { ...draft.note, restartAll: { sources } };
  }
  const decisions = allEnded(draft, views) ? decide(draft, views, sources) : undefined;
  if (decisions === undefined) {
    for (const view of views) {
      const { name } = view.container;
      if (view.death !== undefined) draft.waiting[name] ??= WAITING;
    }
    return HOLDS_STARTS;
  }
  for (const view of views) {
    const { name } = view.container;
    const backOff = decisions.get(name);
    updateContainer(draft, name, {
      freshFrom: view.nextAttempt,
      ...(backOff === undefined ? {} : { backOff: { ...backOff, attempt: view.nextAttempt } }),
    });
  }
  const note = { ...draft.note };
  delete note.restartAll;
  delete note.initializedSandboxId;
  draft.note = note;
  return GOES_ON;
}

/** It ended by itself, since all were last restarted, in a way that a rule of its own names. */
function asksForAll(view: ContainerView): boolean {
  const { death, memory, instances, container } = view;
  if (death === undefined || isHistory(view) || instances.some(isAlive)) return false;
  return memory.kill?.containerId !== death.containerId && restartsAllAfterExit(container, death.exitCode);
}

/** True when none runs and none is being started; plans the missing stops. */
function allEnded(draft: Draft, views: readonly ContainerView[]): boolean {
  let ended = true;
  for (const view of views) {
    const { name } = view.container;
    for (const instance of view.instances.filter(isAlive)) {
      planKill(draft, view, instance, {
        message: `Stopping container ${name} to restart all containers of the pod`,
        gracePeriodSeconds: GRACE_EXTENSION_SECONDS,
        restart: true,
        skipPreStop: true,
      });
      ended = false;
    }
    const key = `start-container/${name}`;
    if (draft.input.facts.jobs[key] === undefined) continue;
    wait(draft, `${key} is under way and must end first`);
    if (!draft.actions.some(({ verb }) => verb === 'cancel-starts')) draft.actions.push({ verb: 'cancel-starts' });
    ended = false;
  }
  return ended;
}

/** The back-offs of the sources, by name; `undefined`: one of them has to wait, and so do all. */
function decide(
  draft: Draft,
  views: readonly ContainerView[],
  sources: readonly string[],
): ReadonlyMap<string, BackOffState> | undefined {
  const found = new Map<string, BackOffState>();
  let mayStart = true;
  for (const view of views.filter(({ container }) => sources.includes(container.name))) {
    const backOff = decideRestart(draft, view);
    if (backOff === 'wait') mayStart = false;
    else if (backOff !== undefined) found.set(view.container.name, backOff);
  }
  return mayStart ? found : undefined;
}
