/** Containers that the ladder does not let start now: it has stopped them, or waits for something wider than their restart. Pure. */
import { HEALING_STOPPED_REASON } from '../../../api/index.ts';
import { backOffKey } from '../back-off.ts';
import { type ContainerView, isHistory } from '../container-view.ts';
import { type Draft, wait, type WaitingReason } from '../draft.ts';
import type { HealingNote, LadderAttempt } from '../pod-memory.ts';
import { answerTo } from './ladder-note.ts';
import { podPolicy } from './pod-policy.ts';

/** `state.waiting.reason` of a container that has asked to go on on another node. */
const WAITING_FOR_MOVE_REASON = 'WaitingForMove';

/** Notes why, where nothing was noted before. */
export function heldByLadder(draft: Draft, view: ContainerView): boolean {
  const { healing } = draft.note;
  if (healing === undefined || podPolicy(draft.input.pod).kind !== 'valid') return false;
  const { name } = view.container;
  const reason = stopReason(draft, view, healing) ?? waitReason(view, healing);
  if (reason === undefined) return false;
  draft.waiting[name] ??= reason;
  wait(draft, `container ${name}: ${reason.reason}: ${reason.message}`);
  return true;
}

/** The ladder starts it no more. */
export function isStoppedByLadder(draft: Draft, view: ContainerView): boolean {
  const { healing } = draft.note;
  if (healing === undefined || podPolicy(draft.input.pod).kind !== 'valid') return false;
  return stopReason(draft, view, healing) !== undefined;
}

/** The stop holds through restarts of others, as long as the container is unchanged. */
function stopReason(
  { input }: Draft,
  { container }: ContainerView,
  { stopped }: HealingNote,
): WaitingReason | undefined {
  const own = stopped?.containers[container.name];
  if (stopped === undefined || own?.key !== backOffKey(input.pod, container)) return undefined;
  return { reason: HEALING_STOPPED_REASON, message: own.message ?? stopped.message };
}

function waitReason(view: ContainerView, healing: HealingNote): WaitingReason | undefined {
  if (view.death === undefined || isHistory(view)) return undefined;
  const answer = answerTo(healing, view.death.containerId);
  return answer === undefined ? undefined : reasonOf(answer);
}

function reasonOf({ scope }: LadderAttempt): WaitingReason | undefined {
  switch (scope) {
    case 'container':
      return undefined;
    case 'containers':
      return { reason: 'CrashLoopBackOff', message: 'waits until all containers of the pod are restarted' };
    case 'pod':
      return { reason: 'CrashLoopBackOff', message: 'waits until the whole pod is restarted' };
    case 'node':
      return { reason: WAITING_FOR_MOVE_REASON, message: 'waits until the pod goes on on another node' };
  }
}
