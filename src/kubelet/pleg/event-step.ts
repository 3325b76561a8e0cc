/** Decides what a runtime event announces, and when to look again while the runtime does not show it yet. Pure. */
import type { ContainerState, RuntimeEvent, SandboxState } from '../../cri/index.ts';
import {
  EVENT_REREAD_BASE_MS,
  EVENT_REREAD_DENSE_MS,
  EVENT_REREAD_DENSE_UNTIL_MS,
  EVENT_REREAD_TOTAL_MS,
} from './limits.ts';

export type EventKind = RuntimeEvent['kind'];

const RANK: Readonly<Record<EventKind, number>> = { oom: 0, created: 1, started: 2, stopped: 3, deleted: 4 };

/** The announcement of two events about one id together. */
export function laterKind(a: EventKind, b: EventKind): EventKind {
  return RANK[b] > RANK[a] ? b : a;
}

/** Whether this state is the announced one. `undefined` state: there is no such container or sandbox (any more). */
export function shows(kind: EventKind, state: ContainerState | SandboxState | undefined): boolean {
  switch (kind) {
    case 'started':
      return (
        state === undefined || state === 'running' || state === 'exited' || state === 'ready' || state === 'notready'
      );
    case 'stopped':
      return state === undefined || state === 'exited' || state === 'notready';
    case 'created':
    case 'deleted':
    case 'oom':
      // A container outlives the task whose deletion is announced; an OOM kill may leave it running.
      return true;
  }
}

/**
 * Pause before the next read, or `undefined` when it is time to leave it to the relist. Doubling from 5 ms, but dense at
 * first: containerd shows an exit 33 to 125 ms after it announced it, and a pause is a delay of the restart.
 */
export function rereadDelayMs(elapsedMs: number, previousMs: number | undefined): number | undefined {
  if (elapsedMs >= EVENT_REREAD_TOTAL_MS) return undefined;
  const doubled = previousMs === undefined ? EVENT_REREAD_BASE_MS : previousMs * 2;
  const delayMs = elapsedMs < EVENT_REREAD_DENSE_UNTIL_MS ? Math.min(doubled, EVENT_REREAD_DENSE_MS) : doubled;
  return Math.min(delayMs, EVENT_REREAD_TOTAL_MS - elapsedMs);
}
