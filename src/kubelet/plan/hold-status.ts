/**
 * Reports a death and its message together: a client that waits for a pod's end reads the message in the same answer
 * (upstream reads it while it looks at the container). So the previous status stays until the message is read, but never for
 * long. Pure.
 */
import type { PodStatus } from '../../api/index.ts';
import { exitMono } from './ask-back-off.ts';
import type { ContainerView } from './container-view.ts';
import { type Draft, wait } from './draft.ts';
import { MESSAGE_HOLD_MS } from './limits.ts';
import type { Death } from './pod-memory.ts';

/** @returns `status`, or the previous one while a message is still being read. */
export function holdStatus(draft: Draft, views: readonly ContainerView[], status: PodStatus): PodStatus {
  const { previousStatus, now } = draft.input;
  if (previousStatus === undefined) return status;
  const until = views.flatMap((view) => unreadOf(view).map((death) => sinceMono(draft, death) + MESSAGE_HOLD_MS));
  const ends = until.filter((mono) => now.mono < mono);
  if (ends.length === 0) return status;
  wait(draft, 'the status waits for a termination message', Math.max(...ends));
  return previousStatus;
}

function unreadOf({ memory, instances }: ContainerView): readonly Death[] {
  return memory.deaths.filter((death) => !death.messageRead && instances.some(({ id }) => id === death.containerId));
}

/** Mono ms: when the reading began; for one that cannot begin yet, when the container ended. */
function sinceMono(draft: Draft, death: Death): number {
  const { jobs } = draft.input.facts;
  const asked = draft.actions.find(
    (action) => action.verb === 'read-termination-message' && action.containerId === death.containerId,
  );
  if (asked !== undefined) return draft.input.now.mono;
  return jobs[`read-termination-message/${death.containerId}`]?.startedAt ?? exitMono(draft, death);
}
