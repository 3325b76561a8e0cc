/** One container of the spec beside what runtime and memory know of it, and the verdict on its last end. Pure. */
import type { Pod } from '../../api/index.ts';
import type { PodObservation, RuntimeContainer } from '../types.ts';
import { containersNamed } from './absorb-observation.ts';
import type { PodContainer } from './containers.ts';
import { type ContainerMemory, containerMemory, type Death, type PodNote } from './pod-memory.ts';
import { restartsAfterExit } from './restart-policy.ts';

export interface ContainerView extends PodContainer {
  /** The containers of this name, newest first. */
  readonly instances: readonly RuntimeContainer[];
  readonly newest: RuntimeContainer | undefined;
  readonly memory: ContainerMemory;
  /** The end of the newest container; `undefined` while it lives or before there was one. */
  readonly death: Death | undefined;
  /** The restart count that the next start gets. */
  readonly nextAttempt: number;
}

/** `note` must have absorbed `observed`. */
export function viewContainer(
  podContainer: PodContainer,
  observed: PodObservation | undefined,
  note: PodNote,
): ContainerView {
  const instances = containersNamed(observed, podContainer.container.name);
  const memory = containerMemory(note, podContainer.container.name);
  const death = memory.deaths.find(({ containerId }) => containerId === memory.newest?.containerId);
  const nextAttempt = Math.max(memory.newest?.restartCount ?? -1, memory.usedAttempt ?? -1) + 1;
  return { ...podContainer, instances, newest: instances[0], memory, death, nextAttempt };
}

/** Whether a note with this restart count is about the next start: its own, or the last one, if that never succeeded. */
export function isOfNext({ memory, nextAttempt }: ContainerView, attempt: number | undefined): boolean {
  if (attempt === nextAttempt) return true;
  return attempt === nextAttempt - 1 && attempt === memory.usedAttempt && memory.newest?.restartCount !== attempt;
}

/** Runs, or may run: the runtime does not know. */
export function isAlive(container: RuntimeContainer): boolean {
  return container.state === 'running' || container.state === 'unknown';
}

/** Its last end is final: it is not started again in this pod's life. */
export function isFinal(pod: Pod, view: ContainerView): boolean {
  if (view.death === undefined || view.instances.some(isAlive)) return false;
  if (view.kind === 'ephemeral') return true;
  if (isHistory(view)) return false;
  const { kill } = view.memory;
  if (kill?.containerId === view.death.containerId) return !kill.restart;
  return !restartsAfterExit(pod, view.container, view.kind, view.death.exitCode);
}

/** Its last end was before all containers were restarted: it starts again, whatever its policy says about that end. */
export function isHistory({ death, memory }: Pick<ContainerView, 'death' | 'memory'>): boolean {
  return death !== undefined && death.restartCount < (memory.freshFrom ?? 0);
}

/** Its last end was caused by a restart that was requested, or that a rung of the ladder asked for. */
export function isKilledForRestart({ death, memory: { kill } }: Pick<ContainerView, 'death' | 'memory'>): boolean {
  return death !== undefined && kill?.containerId === death.containerId && kill.cause === 'restart';
}

/** It is started again although its exit code alone would leave it: a failed probe, a changed image, or another's end. */
export function restartsDespitePolicy(pod: Pod, view: ContainerView): boolean {
  if (view.death === undefined || isFinal(pod, view)) return false;
  return isHistory(view) || !restartsAfterExit(pod, view.container, view.kind, view.death.exitCode);
}
