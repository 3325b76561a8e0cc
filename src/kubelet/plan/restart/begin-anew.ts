/**
 * Starts containers again that have ended for a restart, whatever their policies say about those ends. A restart is no crash,
 * so back-off curves stay as they are. A back-off that a container's own end has begun still holds, unless the restart is
 * forced. Pure.
 */
import { type ContainerView, isFinal, isHistory, isKilledForRestart } from '../container-view.ts';
import type { Draft } from '../draft.ts';
import { type ContainerMemory, type GoingRestart, withContainer } from '../pod-memory.ts';

export function beginAnew(draft: Draft, views: readonly ContainerView[], { force }: Pick<GoingRestart, 'force'>): void {
  for (const view of views) {
    const memory = force ? { ...withoutWaits(view.memory), curveFrom: view.nextAttempt } : view.memory;
    const sick = ownEndOf(draft, view);
    const ownEnd = force ? undefined : sick;
    if (sick === undefined && isRestartedNow(view)) {
      draft.note = { ...draft.note, cleanRestarts: (draft.note.cleanRestarts ?? 0) + 1 };
    }
    draft.note = withContainer(draft.note, view.container.name, {
      ...memory,
      freshFrom: view.nextAttempt,
      ...(ownEnd === undefined ? {} : { ownEnd }),
    });
  }
}

/** Its next life is one more, and not counted yet. */
function isRestartedNow({ memory, nextAttempt }: ContainerView): boolean {
  return memory.newest !== undefined && memory.freshFrom !== nextAttempt;
}

function withoutWaits(memory: ContainerMemory): ContainerMemory {
  const rest = { ...memory };
  delete rest.backOff;
  delete rest.failure;
  delete rest.ownEnd;
  return rest;
}

/** The container that ended by itself, and would be started again after a back-off. */
function ownEndOf(draft: Draft, view: ContainerView): string | undefined {
  const { death, memory } = view;
  if (death === undefined) return undefined;
  if (isHistory(view)) return memory.ownEnd;
  return isKilledForRestart(view) || isFinal(draft.input.pod, view) ? undefined : death.containerId;
}
