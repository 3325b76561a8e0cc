/**
 * In-place resize (KEP-1287). A changed spec is allocated when the node has room, else it is Deferred or Infeasible. An
 * allocation is then applied to the pod's cgroup and to running containers, in place or by a restart, as each resource's
 * resizePolicy says. Upstream: kubelet/allocation, computePodResizeAction. Pure.
 */
import type { Pod } from '../../api/index.ts';
import {
  type Allocation,
  allocatedPod,
  allocationOf,
  changedResources,
  type ContainerAllocation,
  parseAllocation,
  sameAllocation,
} from './allocation.ts';
import { type ContainerView, isAlive } from './container-view.ts';
import { act, type Draft, wait } from './draft.ts';
import type { PlanInput, ResizeVerdict } from './facts.ts';
import { RESOURCES } from './labels.ts';
import { RESIZE_RETRY_MS } from './limits.ts';
import type { PodNote } from './pod-memory.ts';

export interface Allocated {
  /** With the resources that it has been given. */
  readonly pod: Pod;
  readonly note: PodNote;
  /** Why it does not get what it wants. */
  readonly pending: Extract<ResizeVerdict, { fits: false }> | undefined;
  /** It was given something new in this pass. */
  readonly changed: boolean;
}

/** Gives the pod what its spec wants, if that can be. */
export function allocate({ pod, memory, lifecycle, facts }: PlanInput): Allocated {
  const { note } = memory;
  const wanted = allocationOf(pod);
  const as = (given: PodNote, more: Partial<Allocated> = {}): Allocated => {
    return { pod: allocatedPod(pod, given), note: given, pending: undefined, changed: false, ...more };
  };
  if (wanted === undefined || !note.admitted || (lifecycle.state !== 'waiting' && lifecycle.state !== 'syncing')) {
    return as(note);
  }
  if (note.allocated === undefined) return as({ ...note, allocated: wanted });
  if (sameAllocation(note.allocated, wanted)) return as(note);
  const verdict = facts.resize?.(pod) ?? { fits: true };
  if (!verdict.fits) return as(note, { pending: verdict });
  // Until it is done, the cgroup is as it was made for what was given before.
  const given = { ...note, allocated: wanted, cgroupFor: note.cgroupFor ?? note.allocated };
  return as(given, { changed: true });
}

/** Reports a resize that begins or is impossible, and looks again at one that was deferred. */
export function planPending(draft: Draft, { pending, changed }: Allocated): void {
  const { previousStatus, now } = draft.input;
  if (changed) draft.events.push({ type: 'Normal', reason: 'ResizeStarted', message: 'Pod resize started' });
  if (pending === undefined) return;
  wait(draft, `resize is ${pending.reason}: ${pending.message}`, now.mono + RESIZE_RETRY_MS);
  const told = previousStatus?.conditions?.find(({ type }) => type === 'PodResizePending');
  if (told?.reason === pending.reason) return;
  const message = `Pod resize ${pending.reason}: ${pending.message}`;
  draft.events.push({ type: 'Warning', reason: `Resize${pending.reason}`, message });
}

/** Brings the cgroup and running containers to what the pod has been given; restarts are `reasonToResize`'s. */
export function planResize(draft: Draft, views: readonly ContainerView[]): void {
  const { allocated, cgroupFor } = draft.note;
  if (allocated === undefined) return;
  const containers = views.flatMap((view) => {
    const instance = view.instances.find(({ state }) => state === 'running');
    if (instance === undefined || changesOf(draft, view).length === 0 || needsRestart(draft, view)) return [];
    return [{ name: view.container.name, containerId: instance.id }];
  });
  if (containers.length === 0 && (cgroupFor === undefined || sameAllocation(cgroupFor, allocated))) return;
  act(draft, { verb: 'resize', containers, from: cgroupFor ?? allocated, to: allocated });
}

/** Its text for the Killing event, when the resize of a running container needs a restart. */
export function reasonToResize(draft: Draft, view: ContainerView): string | undefined {
  return needsRestart(draft, view) ? `Container ${view.container.name} resize requires restart` : undefined;
}

function needsRestart(draft: Draft, view: ContainerView): boolean {
  const changed = changesOf(draft, view);
  return (view.container.resizePolicy ?? []).some(
    ({ resourceName, restartPolicy }) => restartPolicy === 'RestartContainer' && changed.includes(resourceName),
  );
}

/** Allocated resources that the running container does not have yet. Init containers end soon anyway. */
function changesOf(draft: Draft, view: ContainerView): readonly string[] {
  if (view.kind === 'init' || view.kind === 'ephemeral') return [];
  const given = draft.note.allocated?.[view.container.name];
  const has = appliedTo(view);
  return given === undefined || has === undefined ? [] : changedResources(has, given);
}

/**
 * The resources with which the living container of this view was made or to which it was resized; `undefined`: not known, or
 * none lives.
 */
function appliedTo({ instances, memory }: ContainerView): ContainerAllocation | undefined {
  const instance = instances.find(isAlive);
  if (instance === undefined) return undefined;
  if (memory.applied?.containerId === instance.id) return memory.applied.resources;
  return parseAllocation(instance.annotations[RESOURCES]);
}

/** The content of the condition PodResizeInProgress; `undefined`: all containers have their allocation. */
export function resizeInProgress(
  draft: Draft,
  views: readonly ContainerView[],
): { readonly error?: string } | undefined {
  const { allocated, cgroupFor } = draft.note;
  if (allocated === undefined) return undefined;
  const isDone = cgroupFor === undefined || sameAllocation(cgroupFor, allocated);
  if (isDone && views.every((view) => changesOf(draft, view).length === 0)) return undefined;
  const failure = draft.input.memory.volatile.failures['resize'];
  return failure === undefined ? {} : { error: failure.message };
}

/** The note once `to` has been done to the cgroup and to `containers`. */
export function rememberResize(
  note: PodNote,
  {
    containers,
    to,
  }: { readonly containers: readonly { name: string; containerId: string }[]; readonly to: Allocation },
): PodNote {
  const next = { ...note.containers };
  for (const { name, containerId } of containers) {
    next[name] = { ...(next[name] ?? { deaths: [] }), applied: { containerId, resources: to[name] ?? {} } };
  }
  return { ...note, containers: next, cgroupFor: to };
}
