/**
 * A pod whose healing a person has paused: what has ended stays as it ended, and what runs is not ended for its probes, so that
 * somebody can look. Whatever a person asks for is done all the same: a restart, a try, a change of the spec, a deletion. Pure.
 */
import {
  findCondition,
  HEALING_PAUSED_CONDITION,
  HEALING_PAUSED_REASON,
  type Pause,
  pauseOf,
  type Pod,
  type PodStatus,
} from '../../../api/index.ts';
import { type ContainerView, isAlive, isHistory } from '../container-view.ts';
import { type Draft, wait } from '../draft.ts';
import type { Verdict } from '../generate-conditions.ts';
import { sandboxChange, sandboxesOf } from '../plan-sandbox.ts';

export function isPaused({ input }: Pick<Draft, 'input'>): boolean {
  return pauseOf(input.pod) !== undefined;
}

/** The container has ended, and is not started again until healing is resumed. Notes why. */
export function heldByPause(draft: Draft, view: ContainerView): boolean {
  const pause = pauseOf(draft.input.pod);
  if (pause === undefined || !endedByItself(view)) return false;
  const { name } = view.container;
  const message = `${pausedText(pause)}; it starts again when it is resumed`;
  draft.waiting[name] ??= { reason: HEALING_PAUSED_REASON, message };
  wait(draft, `container ${name}: ${HEALING_PAUSED_REASON}: ${message}`);
  return true;
}

/** Nobody asked for its end: no restart, and no change of the spec. */
function endedByItself(view: ContainerView): boolean {
  const { death, memory } = view;
  if (death === undefined || isHistory(view)) return false;
  const { kill } = memory;
  if (kill?.containerId !== death.containerId || kill.lostSandbox !== undefined) return true;
  return kill.cause !== undefined && kill.cause !== 'restart';
}

/** The sandbox is lost, and nothing is to start in another one. */
export function holdsSandbox(draft: Draft, views: readonly ContainerView[]): boolean {
  if (!isPaused(draft) || draft.note.restart !== undefined) return false;
  const { pod, observed } = draft.input;
  const sandboxes = sandboxesOf(observed);
  const change = sandboxChange(pod, sandboxes);
  if (sandboxes.length === 0 || change === undefined) return false;
  const began = views.some(({ memory }) => memory.newest !== undefined);
  const starts = views.some((view) => isHistory(view) && !view.instances.some(isAlive));
  if (!began || starts) return false;
  wait(draft, `${change}, and healing is paused`);
  return true;
}

/** A condition that was reported once stays, so that clients can wait for it. @param terminated the pod is over */
export function pausedVerdict(pod: Pod, terminated: boolean): readonly Verdict[] {
  const type = HEALING_PAUSED_CONDITION;
  const pause = terminated ? undefined : pauseOf(pod);
  if (pause !== undefined) return [{ type, status: 'True', reason: 'PausedByHand', message: pausedText(pause) }];
  return findCondition(pod.status?.conditions, type) === undefined
    ? []
    : [{ type, status: 'False', reason: terminated ? 'PodEnded' : 'NotPaused' }];
}

/** @param status that is reported now */
export function tellPause({ input, events }: Draft, status: PodStatus): void {
  const told = (each: PodStatus | undefined) => findCondition(each?.conditions, HEALING_PAUSED_CONDITION);
  const [before, now] = [told(input.previousStatus), told(status)];
  if (now === undefined || (before?.status ?? 'False') === now.status) return;
  const isPause = now.status === 'True';
  const message = isPause ? `${now.message ?? ''}; nothing of the pod is restarted until it is resumed` : RESUMED;
  if (isPause || now.reason === 'NotPaused') {
    events.push({ type: 'Normal', reason: isPause ? 'HealingPaused' : 'HealingResumed', message });
  }
}

const RESUMED = 'Healing goes on: what has ended is started again, after its back-off';

function pausedText({ reason }: Pause): string {
  return `Healing is paused by hand${reason === undefined ? '' : `: ${reason}`}`;
}
