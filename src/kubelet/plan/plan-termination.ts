/**
 * Ending a pod: first its app containers, then its sidecars in reverse order, each with what is left of the grace; then
 * the sandbox; then volumes and cgroup. What is left in the runtime goes when nobody wants the pod any more. Pure.
 */
import type { RuntimeContainer } from '../types.ts';
import { isAlive, type ContainerView } from './container-view.ts';
import { act, type Draft, isDone, startsUnderWay, wait } from './draft.ts';
import type { PodLifecycle } from './lifecycle.ts';
import { unreadMessages } from './plan-dead.ts';
import { sandboxesOf } from './plan-sandbox.ts';
import { planStop, watchDeadline } from './plan-stop.ts';

export function planTerminating(
  draft: Draft,
  views: readonly ContainerView[],
  { request, deadline }: Extract<PodLifecycle, { state: 'terminating' }>,
): void {
  const { gracePeriodSeconds } = request;
  for (const key of startsUnderWay(draft)) wait(draft, `${key} is under way and must end first`);
  if (startsUnderWay(draft).length > 0) draft.actions.push({ verb: 'cancel-starts' });
  const alive = (draft.input.observed?.containers ?? []).filter(isAlive);
  const rank = new Map(views.map((view, index) => [view.container.name, view.kind === 'sidecar' ? index : -1]));
  // Sidecars outlive what they serve, unless the grace is over.
  const inTime = draft.input.now.mono < deadline;
  const wave = inTime ? lastWave(alive.map(({ name }) => rank.get(name) ?? -1)) : undefined;
  for (const instance of alive) {
    const message = `Stopping container ${instance.name}`;
    if (wave !== undefined && (rank.get(instance.name) ?? -1) !== wave) {
      wait(draft, `sidecar ${instance.name} is stopped after the others`);
      planPreStop(draft, views, instance, deadline);
      continue;
    }
    const key = `pre-stop/${instance.id}`;
    if (inTime && draft.input.facts.jobs[key] !== undefined) {
      wait(draft, `${key} is under way`);
      continue;
    }
    const told = isDone(draft, key) ? { preStop: false } : { message };
    planStop(draft, instance, { deadline, gracePeriodSeconds, ...told });
  }
  watchDeadline(draft, deadline);
}

/** Hooks don't wait for their containers' turn (upstream: killContainer runs them before waitForTurn). */
function planPreStop(
  draft: Draft,
  views: readonly ContainerView[],
  instance: RuntimeContainer,
  deadline: number,
): void {
  const view = views.find(({ container }) => container.name === instance.name);
  if (view?.container.lifecycle?.preStop === undefined || isDone(draft, `pre-stop/${instance.id}`)) return;
  act(draft, {
    verb: 'pre-stop',
    container: instance.name,
    containerId: instance.id,
    graceMs: deadline - draft.input.now.mono,
    message: `Stopping container ${instance.name}`,
  });
}

/** App containers (−1) first, then the sidecar that started last. */
function lastWave(ranks: readonly number[]): number | undefined {
  if (ranks.length === 0) return undefined;
  return ranks.includes(-1) ? -1 : Math.max(...ranks);
}

export function planTerminated(draft: Draft, views: readonly ContainerView[]): void {
  let stopped = true;
  for (const sandbox of sandboxesOf(draft.input.observed)) {
    if (isDone(draft, `stop-sandbox/${sandbox.id}`) && sandbox.state !== 'ready') continue;
    act(draft, { verb: 'stop-sandbox', sandboxId: sandbox.id });
    stopped = false;
  }
  if (!stopped || draft.note.reclaimed) return;
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
