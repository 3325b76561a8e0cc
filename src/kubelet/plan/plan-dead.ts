/**
 * Dead containers: their termination messages are read as soon as they are seen, and all but the newest of each name are
 * removed once nothing more urgent is under way (upstream: maxPerPodContainer 1, for `logs --previous`). Pure.
 */
import type { RuntimeContainer, RuntimeSandbox } from '../types.ts';
import { neverRan } from './absorb-observation.ts';
import type { ContainerView } from './container-view.ts';
import { act, type Draft, startsUnderWay } from './draft.ts';
import { MAX_DEAD_IN_WAITING } from './limits.ts';
import { containerMemory } from './pod-memory.ts';
import { sandboxesOf } from './plan-sandbox.ts';

/** Reads what the dead left to say; the restart does not wait for it. */
export function planTerminationMessages(draft: Draft, views: readonly ContainerView[]): void {
  for (const view of views) {
    for (const death of containerMemory(draft.note, view.container.name).deaths) {
      const instance = view.instances.find(({ id }) => id === death.containerId);
      // Until it is put away its log may still grow.
      if (death.messageRead || instance === undefined || instance.ending === true) continue;
      act(draft, {
        verb: 'read-termination-message',
        container: view.container.name,
        containerId: instance.id,
        restartCount: death.restartCount,
        logPath: instance.logPath,
        fallbackToLogs: view.container.terminationMessagePolicy === 'FallbackToLogsOnError' && death.exitCode !== 0,
      });
    }
  }
}

/** Messages still to be read: nothing of the pod may be removed before. */
export function unreadMessages(draft: Draft, views: readonly ContainerView[]): boolean {
  return views.some((view) =>
    view.memory.deaths.some((death) => !death.messageRead && view.instances.some(({ id }) => id === death.containerId)),
  );
}

/** Removes older dead containers and empty old sandboxes, off the way of any start unless they pile up. */
export function planRemovals(draft: Draft, views: readonly ContainerView[]): void {
  const isStarting = startsUnderWay(draft).length > 0 || draft.actions.some(({ verb }) => verb === 'start-container');
  // A loop that is fast on a slow machine is always about to start.
  if (isStarting && views.every((view) => superfluous(view).length < MAX_DEAD_IN_WAITING)) return;
  const removed = new Set<string>();
  for (const view of views) {
    for (const instance of superfluous(view)) {
      if (view.memory.deaths.some((death) => death.containerId === instance.id && !death.messageRead)) continue;
      act(draft, { verb: 'remove-container', containerId: instance.id, logPath: instance.logPath });
      removed.add(instance.id);
    }
  }
  const containers = draft.input.observed?.containers ?? [];
  for (const sandbox of sandboxesOf(draft.input.observed).slice(1)) {
    if (sandbox.state === 'ready' || containers.some((container) => belongs(container, sandbox))) continue;
    act(draft, { verb: 'remove-sandbox', sandboxId: sandbox.id });
  }
}

/** Dead, and neither the newest dead one nor about to be replaced by name. */
function superfluous(view: ContainerView): readonly RuntimeContainer[] {
  return view.instances.filter((instance) => instance.state === 'exited' && !neverRan(instance)).slice(1);
}

function belongs(container: RuntimeContainer, sandbox: RuntimeSandbox): boolean {
  return container.sandboxId === sandbox.id;
}
