/**
 * Finds the containers of a pod whose end the ladder answers: they ended by themselves or because of a probe, and are to be
 * started again. Pure.
 */
import { LOST_REASON } from '../absorb-observation.ts';
import { type ContainerView, isAlive, isFinal, isHistory } from '../container-view.ts';
import type { Draft } from '../draft.ts';
import type { Death, PodNote, RequestedRestart } from '../pod-memory.ts';
import type { PodObservation } from '../../types.ts';
import { restartsAllAfterExit } from '../restart-policy.ts';

/** A container whose last life has ended, and is to be followed by another. */
export interface Dead {
  readonly view: ContainerView;
  readonly death: Death;
}

/**
 * Excluded are ends that somebody asked for, by a restart, a change or a rule of the pod's own (KEP-5532), and ends of the
 * machine or of the sandbox.
 */
export function deadContainers(draft: Draft, views: readonly ContainerView[]): readonly Dead[] {
  return views.flatMap((view) => deadOf(draft, view));
}

function deadOf({ input, note }: Draft, view: ContainerView): readonly Dead[] {
  const { death, kind, container, memory, instances } = view;
  if (death === undefined || kind === 'ephemeral' || instances.some(isAlive)) return [];
  if (diedWithMachine(death) || diedWithSandbox(view, death, input.observed)) return [];
  if (isHistory(view) || isFinal(input.pod, view) || isRestarted(note, container.name)) return [];
  if (memory.kill?.containerId === death.containerId) return wasAskedFor(memory.kill.cause) ? [] : [{ view, death }];
  return restartsAllAfterExit(container, death.exitCode) ? [] : [{ view, death }];
}

/** After a reboot, or a loss of its containers, the runtime has no exit code: that is not the pod's sickness. */
function diedWithMachine({ exitCode, reason }: Death): boolean {
  return reason === LOST_REASON || (exitCode === UNKNOWN_EXIT_CODE && reason === 'Unknown');
}

/** Its shim, or its whole sandbox, was killed: nobody knows how it would have ended. */
function diedWithSandbox(
  { newest }: ContainerView,
  { exitCode }: Death,
  observed: PodObservation | undefined,
): boolean {
  if (exitCode !== UNKNOWN_EXIT_CODE || newest === undefined) return false;
  return observed?.sandboxes.find(({ id }) => id === newest.sandboxId)?.state !== 'ready';
}

/** containerd's for a task that was gone when it looked. */
const UNKNOWN_EXIT_CODE = 255;

function wasAskedFor(cause: RequestedRestart['cause']): boolean {
  return cause === undefined || cause === 'restart';
}

/** A restart is about to end it, or has. */
function isRestarted({ restart }: PodNote, name: string): boolean {
  return (
    restart !== undefined && restart.starting !== true && (restart.scope !== 'container' || restart.container === name)
  );
}
