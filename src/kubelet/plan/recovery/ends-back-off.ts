/** A crash loop's wait, unless a recovery ends it. Pure. */
import { askBackOff } from '../ask-back-off.ts';
import type { BackOffAnswer } from '../back-off.ts';
import type { ContainerView } from '../container-view.ts';
import { type Draft, updateContainer } from '../draft.ts';
import { containerMemory, type Death } from '../pod-memory.ts';
import { endsWait } from './ends-wait.ts';

/** May the container be restarted now? If a recovery allows it, the curve continues as if the wait were over. */
export function askBackOffOrRecovery(draft: Draft, view: ContainerView, death: Death): BackOffAnswer {
  const answer = askBackOff(draft, view, death);
  noteDelay(draft, view, death, answer.delayMs);
  if (answer.restart || !endsWait(draft, view, { what: 'starting', until: answer.until })) return answer;
  const now = { wall: draft.input.now.wall, mono: answer.until };
  const early = askBackOff({ ...draft, input: { ...draft.input, now } }, view, death);
  // Noted at once: the start may still have to wait for its image or the sandbox, and no recovery ends a wait twice.
  if (early.restart) {
    updateContainer(draft, view.container.name, { backOff: { ...early.state, attempt: view.nextAttempt } });
  }
  return early;
}

/** Kept with the death, for its record: a short delay may be over before it could be reported. */
function noteDelay(draft: Draft, { container }: ContainerView, { containerId }: Death, exactMs: number): void {
  const delayMs = Math.round(exactMs);
  const { deaths } = containerMemory(draft.note, container.name);
  if (!deaths.some((each) => each.containerId === containerId && each.delayMs !== delayMs)) return;
  updateContainer(draft, container.name, {
    deaths: deaths.map((each) => (each.containerId === containerId ? { ...each, delayMs } : each)),
  });
}
