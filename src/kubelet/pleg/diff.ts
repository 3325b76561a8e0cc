/**
 * Computes what happened to a pod between two observations: upstream's event table (pkg/kubelet/pleg/generic.go
 * generateEvents). Pure. Sandboxes count as containers. A ContainerChanged is upstream's "no idea yet" and wakes no worker.
 */
import type { ContainerState, SandboxState } from '../../cri/index.ts';

export type PlegState = 'running' | 'exited' | 'unknown';

/** State of every sandbox and container of one pod, by id. */
export type PodSnapshot = ReadonlyMap<string, PlegState>;

export type PlegEventType = 'ContainerStarted' | 'ContainerDied' | 'ContainerRemoved' | 'ContainerChanged';

export interface PlegEvent {
  readonly type: PlegEventType;
  readonly id: string;
}

const NOTHING: PodSnapshot = new Map();

/** A created container is "unknown" to PLEG, as upstream: nothing that needs an action has happened. */
export function containerPlegState(state: ContainerState): PlegState {
  return state === 'running' || state === 'exited' ? state : 'unknown';
}

export function sandboxPlegState(state: SandboxState): PlegState {
  return state === 'ready' ? 'running' : 'exited';
}

/** Snapshot of what a list or an observation shows. */
export function snapshotOf(
  sandboxes: readonly { readonly id: string; readonly state: SandboxState }[],
  containers: readonly { readonly id: string; readonly state: ContainerState }[],
): PodSnapshot {
  const snapshot = new Map<string, PlegState>();
  for (const { id, state } of sandboxes) snapshot.set(id, sandboxPlegState(state));
  for (const { id, state } of containers) snapshot.set(id, containerPlegState(state));
  return snapshot;
}

/** Events that lead from `before` to `after`, in order of appearance; an absent snapshot has nothing in it. */
export function diffSnapshots(before: PodSnapshot = NOTHING, after: PodSnapshot = NOTHING): readonly PlegEvent[] {
  const events: PlegEvent[] = [];
  for (const [id, state] of before) {
    if (!after.has(id)) events.push(...removalOf(id, state));
  }
  for (const [id, state] of after) {
    if (before.get(id) !== state) events.push({ type: EVENT_OF[state], id });
  }
  return events;
}

/** Cheap answer to "is there any difference?" for the many pods to which nothing happened. */
export function sameSnapshot(before: PodSnapshot, after: PodSnapshot): boolean {
  if (before.size !== after.size) return false;
  for (const [id, state] of after) {
    if (before.get(id) !== state) return false;
  }
  return true;
}

/**
 * Whether the worker must look at the pod again. Upstream also ignores ContainerRemoved and relies on its resync once a
 * minute; nothing here polls, so a removal from outside wakes the worker.
 */
export function isSyncWorthy(event: PlegEvent): boolean {
  return event.type !== 'ContainerChanged';
}

const EVENT_OF: Readonly<Record<PlegState, PlegEventType>> = {
  running: 'ContainerStarted',
  exited: 'ContainerDied',
  unknown: 'ContainerChanged',
};

/** Gone without having been seen dead: it died, too. */
function removalOf(id: string, state: PlegState): readonly PlegEvent[] {
  const removed: PlegEvent = { type: 'ContainerRemoved', id };
  return state === 'exited' ? [removed] : [{ type: 'ContainerDied', id }, removed];
}
