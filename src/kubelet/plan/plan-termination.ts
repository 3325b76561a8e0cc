/**
 * Ends a pod: first its containers, in order and within the grace period; then the sandbox; then volumes and cgroup. Remains
 * in the runtime are removed when nobody wants the pod any more. Pure.
 */
import { isAlive, type ContainerView } from './container-view.ts';
import { act, type Draft, isDone, startsUnderWay, wait, wakeBy } from './draft.ts';
import type { PodLifecycle } from './lifecycle.ts';
import { unreadMessages } from './plan-dead.ts';
import { planEnds } from './plan-end.ts';
import { sandboxesOf } from './plan-sandbox.ts';
import { asksForWait, signalTime, type WithdrawalFact } from './signal-time.ts';

export function planTerminating(
  draft: Draft,
  views: readonly ContainerView[],
  lifecycle: Extract<PodLifecycle, { state: 'terminating' }>,
): void {
  const { request, deadline } = lifecycle;
  const { gracePeriodSeconds } = request;
  for (const key of startsUnderWay(draft)) wait(draft, `${key} is under way and must end first`);
  if (startsUnderWay(draft).length > 0) draft.actions.push({ verb: 'cancel-starts' });
  const signalAt = signalTime({ gracePeriodSeconds, deadline }, withdrawalOf(draft.input, lifecycle));
  if (signalAt !== undefined && signalAt > draft.input.now.mono) {
    wait(draft, 'its traffic goes elsewhere before it gets the signal');
    wakeBy(draft, signalAt);
    return;
  }
  const alive = (draft.input.observed?.containers ?? []).filter(isAlive);
  planEnds(draft, views, alive, { deadline, gracePeriodSeconds, message: (name) => `Stopping container ${name}` });
}

/** Nobody waits for a pod that must leave its node at once, or whose containers have ended. */
function withdrawalOf(
  { pod, facts }: Draft['input'],
  { request }: Extract<PodLifecycle, { state: 'terminating' }>,
): WithdrawalFact | undefined {
  if (facts.withdrawal === 'needless' || request.reason !== 'Deleted') return undefined;
  return facts.withdrawal ?? (asksForWait(pod) ? { agreedAt: undefined } : undefined);
}

export function planTerminated(draft: Draft, views: readonly ContainerView[]): void {
  let stopped = true;
  for (const sandbox of sandboxesOf(draft.input.observed)) {
    if (isDone(draft, `stop-sandbox/${sandbox.id}`) && sandbox.state !== 'ready') continue;
    act(draft, { verb: 'stop-sandbox', sandboxId: sandbox.id });
    stopped = false;
  }
  if (!stopped || draft.note.reclaimed) return;
  if (draft.input.facts.jobs['refresh-pod'] !== undefined) {
    wait(draft, 'refresh-pod is under way');
    return;
  }
  if (unreadMessages(draft, views)) {
    wait(draft, 'termination messages are being read');
    return;
  }
  act(draft, { verb: 'reclaim-pod' });
}

/** Everything of the pod goes: containers, sandboxes, logs. */
export function planFinished(draft: Draft): void {
  const { observed } = draft.input;
  const containers = observed?.containers ?? [];
  for (const { id, logPath } of containers) act(draft, { verb: 'remove-container', containerId: id, logPath });
  if (containers.length > 0) return;
  const sandboxes = sandboxesOf(observed);
  for (const { id } of sandboxes) act(draft, { verb: 'remove-sandbox', sandboxId: id });
  if (sandboxes.length === 0 && !isDone(draft, 'remove-pod-logs')) act(draft, { verb: 'remove-pod-logs' });
}

/** Nothing is left of the pod: its worker may forget it. */
export function isGone(draft: Pick<Draft, 'input'>): boolean {
  const { observed, memory } = draft.input;
  return (
    (observed?.containers.length ?? 0) === 0 &&
    (observed?.sandboxes.length ?? 0) === 0 &&
    memory.volatile.done['remove-pod-logs'] !== undefined
  );
}
