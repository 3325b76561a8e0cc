/**
 * The plan of one pass over one pod: from what is wanted, observed, remembered and known to actions, memory, the time to
 * look again, events, the status to report, and why. Pure: it reads no clock and touches nothing.
 */
import type { PodStatus } from '../../api/index.ts';
import { assertNever } from '../../lib/index.ts';
import type { RuntimeSandbox, StatusAnnotations } from '../types.ts';
import { absorbObservation } from './absorb-observation.ts';
import type { PodAction } from './actions.ts';
import { backOffMono, exitMono } from './ask-back-off.ts';
import { type ContainerView, isAlive, isFinal } from './container-view.ts';
import {
  createDraft,
  type Draft,
  type EndedRestart,
  type NextStep,
  startsUnderWay,
  type StepReport,
  wait,
} from './draft.ts';
import type { PlanInput, PlannedEvent } from './facts.ts';
import { generatePodStatus } from './generate-pod-status.ts';
import { healingAnnotations } from './healing/healing-annotations.ts';
import { holdsSandbox, tellPause } from './healing/paused.ts';
import { planLadder } from './healing/plan-ladder.ts';
import { holdStatus } from './hold-status.ts';
import { type PodLifecycle, startsForbidden, stepLifecycle } from './lifecycle.ts';
import { planContainer } from './plan-container.ts';
import { planRemovals, planTerminationMessages } from './plan-dead.ts';
import { planInitContainers } from './plan-init-containers.ts';
import { allocate, planPending, planResize, resizeInProgress } from './plan-resize.ts';
import { planRestartAll } from './plan-restart-all.ts';
import { planSandbox, sandboxChange, sandboxesOf } from './plan-sandbox.ts';
import { planStart, startRetryAt } from './plan-start.ts';
import { isGone, planFinished, planTerminated, planTerminating } from './plan-termination.ts';
import type { PodMemory } from './pod-memory.ts';
import { containerMemory } from './pod-memory.ts';
import { noticeRecovery } from './recovery/notice-recovery.ts';
import { leaveRestart, planRestart } from './restart/plan-restart.ts';
import { restartTime } from './restart/restart-kill.ts';
import { takeRequest } from './restart/take-request.ts';
import { takeTryNow } from './restart/try-now.ts';
import { checkActiveDeadline, terminationRequest } from './termination-request.ts';
import { viewsOf } from './views-of.ts';
import { WallTimes } from './wall-times.ts';

export interface PodPlan {
  readonly lifecycle: PodLifecycle;
  readonly memory: PodMemory;
  readonly actions: readonly PodAction[];
  readonly events: readonly PlannedEvent[];
  readonly status: PodStatus;
  /** Our annotations on the pod, reported with the status. */
  readonly annotations: StatusAnnotations;
  /** Mono ms; `undefined`: only a change wakes the pod. */
  readonly wakeAt: number | undefined;
  /** For the metric. */
  readonly endedRestarts: readonly EndedRestart[];
  readonly why: readonly string[];
  /** Absent: nothing happens to the pod by time alone. */
  readonly next?: NextStep;
  /** Nothing is left of the pod: forget it. */
  readonly gone: boolean;
}

export function computePodActions(given: PlanInput): PodPlan {
  const allocated = allocate(given);
  const input = { ...given, pod: allocated.pod };
  const times = new WallTimes(input.memory.volatile.mapped, input.now);
  const draft = createDraft(input, times, absorbObservation(allocated.note, input.pod, input.observed));
  planPending(draft, allocated);
  const lifecycle = nextLifecycle(draft);
  const views = viewsOf(draft);
  touchTimes(draft, views);
  if (lifecycle.state === 'syncing') noticeRecovery(draft);
  planTerminationMessages(draft, views);
  planState(draft, lifecycle, views);
  const resize = { pending: allocated.pending, inProgress: resizeInProgress(draft, views) };
  const computed = generatePodStatus({
    plan: input,
    lifecycle,
    note: draft.note,
    views: viewsOf(draft),
    waiting: draft.waiting,
    resize,
  });
  const status = holdStatus(draft, viewsOf(draft), computed);
  tellResized(draft, status);
  tellPause(draft, status);
  return {
    lifecycle,
    memory: {
      note: draft.note,
      volatile: { ...input.memory.volatile, mapped: times.used(), backOffReported: draft.backOffReported },
    },
    actions: draft.actions,
    events: draft.events,
    status,
    annotations: healingAnnotations(input.pod, draft.note),
    wakeAt: draft.wakeAt,
    endedRestarts: draft.endedRestarts,
    why: draft.why,
    ...(draft.next === undefined ? {} : { next: draft.next }),
    gone: lifecycle.state === 'finished' && isGone(draft),
  };
}

/** The resize that the last status reported as in progress is done. */
function tellResized({ input, events }: Draft, status: PodStatus): void {
  const resizing = (told: PodStatus | undefined) =>
    told?.conditions?.some(({ type }) => type === 'PodResizeInProgress') === true;
  if (!resizing(input.previousStatus) || resizing(status)) return;
  events.push({ type: 'Normal', reason: 'ResizeCompleted', message: 'Pod resize completed' });
}

function nextLifecycle(draft: Draft): PodLifecycle {
  const { input } = draft;
  if (draft.note.admitted && draft.note.startTime === undefined) {
    draft.note = { ...draft.note, startTime: input.now.wall };
  }
  if (input.lifecycle.state === 'waiting' || input.lifecycle.state === 'syncing') checkActiveDeadline(draft);
  const views = viewsOf(draft);
  const effective = terminationRequest(draft, isDoneForGood(draft, views));
  const alive = (input.observed?.containers ?? []).some(isAlive) || startsUnderWay(draft).length > 0;
  const next = stepLifecycle(input.lifecycle, {
    ready: draft.note.admitted,
    request: effective?.request,
    requestedAtMono: effective?.requestedAtMono ?? input.now.mono,
    alive,
    wanted: input.wanted,
    reclaimed: draft.note.reclaimed,
  });
  if ('request' in next && next.request !== draft.note.termination) {
    draft.note = { ...draft.note, termination: next.request };
    draft.times.mono(`termination/${next.request.requestedAt}`, next.request.requestedAt);
  }
  return next;
}

/** Every app container has ended and none is started again; or an init container has failed for good. */
function isDoneForGood(draft: Draft, views: readonly ContainerView[]): boolean {
  const { pod, facts } = draft.input;
  const starting = (view: ContainerView) => facts.jobs[`start-container/${view.container.name}`] !== undefined;
  const apps = views.filter(({ kind }) => kind === 'app');
  if (apps.length > 0 && apps.every((view) => isFinal(pod, view) && !starting(view))) return true;
  return views.some(
    (view) =>
      view.kind === 'init' &&
      view.death !== undefined &&
      view.death.exitCode !== 0 &&
      !starting(view) &&
      isFinal(pod, view) &&
      !apps.some(({ instances }) => instances.some(isAlive)) &&
      diedInCurrentSandbox(draft, view),
  );
}

function diedInCurrentSandbox(draft: Draft, view: ContainerView): boolean {
  const [newest] = sandboxesOf(draft.input.observed);
  return newest === undefined || view.newest === undefined || view.newest.sandboxId === newest.id;
}

function planState(draft: Draft, lifecycle: PodLifecycle, views: readonly ContainerView[]): void {
  if (startsForbidden(lifecycle) && lifecycle.state !== 'waiting') {
    leaveRestart(draft, views);
    takeRequest(draft, views, true);
  }
  switch (lifecycle.state) {
    case 'waiting':
      wait(draft, 'the pod is not admitted yet');
      return;
    case 'syncing':
      planSyncing(draft, views);
      return;
    case 'terminating':
      planTerminating(draft, views, lifecycle);
      return;
    case 'terminated':
      planTerminated(draft, views);
      return;
    case 'finished':
      planFinished(draft);
      return;
    default:
      assertNever(lifecycle);
  }
}

function planSyncing(draft: Draft, seen: readonly ContainerView[]): void {
  if (draft.input.facts.volumes === undefined) draft.actions.push({ verb: 'prepare-volumes' });
  if (planRestarts(draft, seen).holdsStarts) return;
  const views = viewsOf(draft);
  const ephemeral = views.filter(({ kind }) => kind === 'ephemeral');
  const [current] = sandboxesOf(draft.input.observed);
  const idle = nothingToStart(draft, views);
  const held = !idle && holdsSandbox(draft, views);
  const sandbox = idle ? current : held ? undefined : planSandbox(draft, views);
  if (!idle) planEphemeralContainers(draft, ephemeral, sandbox);
  const inits = views.filter(({ kind }) => kind === 'init' || kind === 'sidecar');
  const apps = views.filter(({ kind }) => kind === 'app');
  if (sandbox === undefined) {
    prepareStarts(draft, inits.length > 0 ? inits.slice(0, 1) : apps);
    return;
  }
  planResize(draft, views);
  if (!planInitContainers(draft, inits, sandbox)) {
    planRemovals(draft, views);
    return;
  }
  planAppContainers(draft, apps, sandbox);
  planRemovals(draft, views);
}

/** Plans restarts that were requested, that are under way, and that an exit asks for. */
function planRestarts(draft: Draft, seen: readonly ContainerView[]): StepReport {
  const views = takeTryNow(draft, seen) ? viewsOf(draft) : seen;
  takeRequest(draft, views, false);
  planLadder(draft, views);
  const asked = planRestart(draft, viewsOf(draft));
  const report = asked.holdsStarts ? asked : planRestartAll(draft, viewsOf(draft));
  if (report.holdsStarts && draft.note.restart?.scope !== 'pod') planEphemeralBesideRestart(draft);
  return report;
}

/** They are no part of what is restarted, unless the whole pod is. */
function planEphemeralBesideRestart(draft: Draft): void {
  const [current] = sandboxesOf(draft.input.observed);
  const isGood = sandboxChange(draft.input.pod, sandboxesOf(draft.input.observed)) === undefined;
  const ephemeral = viewsOf(draft).filter(({ kind }) => kind === 'ephemeral');
  planEphemeralContainers(draft, ephemeral, isGood ? current : undefined);
}

/**
 * Ephemeral containers come first and wait for nothing: they are for looking at a pod that may be stuck. None is ever started
 * again.
 */
function planEphemeralContainers(
  draft: Draft,
  views: readonly ContainerView[],
  sandbox: RuntimeSandbox | undefined,
): void {
  for (const view of views) {
    if (!view.instances.some(isAlive) && !isFinal(draft.input.pod, view)) planStart(draft, view, sandbox);
  }
}

/** Side by side, but for one with a postStart hook: those after it in the spec wait for the hook, as upstream's loop does. */
function planAppContainers(draft: Draft, views: readonly ContainerView[], sandbox: RuntimeSandbox): void {
  let hooked: string | undefined;
  for (const view of views) {
    const starts = !view.instances.some(isAlive) && !isFinal(draft.input.pod, view);
    if (hooked !== undefined && starts) {
      planStart(draft, view, undefined);
      wait(draft, `container ${view.container.name} starts after the postStart hook of ${hooked}`);
    } else {
      planContainer(draft, view, sandbox);
    }
    if (hasHookAhead(draft, view)) hooked ??= view.container.name;
  }
}

/**
 * The container is about to run and has a postStart hook that has not ended. A container that waits after a failure delays no
 * other.
 */
function hasHookAhead(draft: Draft, view: ContainerView): boolean {
  const { name, lifecycle } = view.container;
  if (lifecycle?.postStart === undefined || isFinal(draft.input.pod, view)) return false;
  if (draft.input.facts.jobs[`start-container/${name}`] !== undefined) return true;
  return !view.instances.some(isAlive) && draft.waiting[name] === undefined;
}

/** Images are asked for while the sandbox comes up. */
function prepareStarts(draft: Draft, views: readonly ContainerView[]): void {
  for (const view of views) {
    if (!view.instances.some(isAlive) && !isFinal(draft.input.pod, view)) planStart(draft, view, undefined);
  }
}

/** No sandbox is made for containers that have all ended and are not started again. */
function nothingToStart(draft: Draft, views: readonly ContainerView[]): boolean {
  const { pod } = draft.input;
  return (
    views.some(({ kind }) => kind === 'app') &&
    views.filter(({ kind }) => kind === 'app').every((view) => isFinal(pod, view))
  );
}

/** Wall times noted earlier stay mapped as they were first mapped, whether this plan needs them or not. */
function touchTimes(draft: Draft, views: readonly ContainerView[]): void {
  const { startTime, termination, restart } = draft.note;
  if (startTime !== undefined) draft.times.mono('start-time', startTime);
  if (restart !== undefined) draft.times.mono(restartTime(restart), restart.begunAt);
  if (termination !== undefined) {
    draft.times.mono(`termination/${termination.requestedAt}`, termination.requestedAt);
  }
  for (const view of views) {
    const { deaths, backOff, failure, kill } = containerMemory(draft.note, view.container.name);
    for (const death of deaths) exitMono(draft, death);
    if (backOff !== undefined) backOffMono(draft, view.container.name, backOff);
    if (failure !== undefined) startRetryAt(draft, view.container.name, failure);
    if (kill !== undefined) draft.times.mono(`kill/${kill.containerId}`, kill.requestedAt);
  }
}
