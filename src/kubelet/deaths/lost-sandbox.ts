/**
 * Decides whether a container ended because its pod's sandbox was lost: when a shim is killed, the runtime knows nothing of the
 * processes any more, and tells of all containers of the pod an exit code that no program gave. Pure.
 */
import type { Death, PodNote } from '../plan/pod-memory.ts';
import type { PodObservation } from '../types.ts';
import { LOST_SANDBOX_WINDOW_MS } from './limits.ts';

export interface SandboxFacts {
  readonly container: string;
  readonly death: Death;
  /** After the pass that shows the death, and before it. */
  readonly note: PodNote;
  readonly noteBefore: PodNote;
  /** The pass: wall ms, and what the runtime showed of the pod. */
  readonly seen: { readonly at: number; readonly observed: PodObservation | undefined };
}

/** containerd's exit code for a task that was gone when it looked. */
const UNKNOWN_EXIT_CODE = 255;

/**
 * What was seen of the sandbox; `undefined`: the container ended in another way. A sandbox that this agent takes down, for the
 * end or a restart of its pod, is not lost.
 */
export function lostSandboxOf(facts: SandboxFacts): string | undefined {
  const { container, death, note, noteBefore } = facts;
  const { containerId, exitCode } = death;
  if ([note, noteBefore].some(({ termination, restart }) => termination !== undefined || restart !== undefined)) {
    return undefined;
  }
  const kill = [note, noteBefore]
    .map(({ containers }) => containers[container]?.kill)
    .find((each) => each?.containerId === containerId);
  if (kill !== undefined) return kill.lostSandbox;
  return exitCode === UNKNOWN_EXIT_CODE && isWithoutSandbox(facts) ? 'the sandbox is not ready' : undefined;
}

function isWithoutSandbox({ death, seen }: SandboxFacts): boolean {
  const { at, observed } = seen;
  const { containerId, finishedAt } = death;
  if (finishedAt > 0 && at - finishedAt > LOST_SANDBOX_WINDOW_MS) return false;
  const instance = observed?.containers.find(({ id }) => id === containerId);
  const sandbox = observed?.sandboxes.find(({ id }) => id === instance?.sandboxId);
  return instance !== undefined && sandbox?.state !== 'ready';
}
