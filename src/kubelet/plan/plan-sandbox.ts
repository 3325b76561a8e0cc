/**
 * The pod's sandbox: which one is current, and replacing it when it changed. Upstream: PodSandboxChanged
 * (kuberuntime/util), SyncPod steps 1–4. Pure.
 */
import type { Pod } from '../../api/index.ts';
import type { PodObservation, RuntimeSandbox } from '../types.ts';
import { isAlive, type ContainerView } from './container-view.ts';
import { act, type Draft, isDone, wait } from './draft.ts';
import { planKill } from './plan-stop.ts';

/** Newest first. */
export function sandboxesOf(observed: PodObservation | undefined): readonly RuntimeSandbox[] {
  return [...(observed?.sandboxes ?? [])].sort(
    (a, b) => b.metadata.attempt - a.metadata.attempt || b.createdAt - a.createdAt,
  );
}

/** Why the pod needs a new sandbox; `undefined` when the newest one is good. */
export function sandboxChange(pod: Pod, sandboxes: readonly RuntimeSandbox[]): string | undefined {
  const [newest] = sandboxes;
  if (newest === undefined) return 'there is no sandbox yet';
  if (sandboxes.filter(({ state }) => state === 'ready').length > 1) return 'more than one sandbox is ready';
  if (newest.state !== 'ready') return 'the sandbox is not ready';
  const hostNetwork = pod.spec?.hostNetwork === true;
  if (newest.hostNetwork !== hostNetwork) return 'the sandbox has the wrong network namespace';
  if (!hostNetwork && newest.ips.length === 0) return 'the sandbox has no address';
  return undefined;
}

/** The sandbox to run containers in, or `undefined` with the planned steps towards one. */
export function planSandbox(draft: Draft, views: readonly ContainerView[]): RuntimeSandbox | undefined {
  const { observed, pod } = draft.input;
  const sandboxes = sandboxesOf(observed);
  const change = sandboxChange(pod, sandboxes);
  if (change === undefined) return sandboxes[0];
  draft.why.push(change);
  if (draft.input.facts.jobs['create-sandbox'] !== undefined) {
    wait(draft, 'create-sandbox is under way');
    return undefined;
  }
  if (!planOldSandboxGone(draft, views, sandboxes, change)) return undefined;
  if (!isDone(draft, 'prepare-cgroup')) {
    act(draft, { verb: 'prepare-cgroup' });
    return undefined;
  }
  const attempt = Math.max(draft.note.sandboxAttempt ?? -1, -1) + 1;
  act(draft, { verb: 'create-sandbox', attempt });
  return undefined;
}

/** Everything of the old sandbox is dead and stopped; plans what is not. */
function planOldSandboxGone(
  draft: Draft,
  views: readonly ContainerView[],
  sandboxes: readonly RuntimeSandbox[],
  change: string,
): boolean {
  let gone = true;
  for (const view of views) {
    for (const instance of view.instances.filter(isAlive)) {
      planKill(draft, view, instance, {
        message: `Stopping container ${instance.name}`,
        restart: true,
        lostSandbox: change,
      });
      gone = false;
    }
  }
  if (!gone) return false;
  for (const sandbox of sandboxes) {
    // A sandbox that is not ready still holds its address until it is stopped.
    if (isDone(draft, `stop-sandbox/${sandbox.id}`) && sandbox.state !== 'ready') continue;
    const isNews = sandbox === sandboxes[0] && !isOfLifeBefore(draft, sandbox);
    if (isNews && act(draft, { verb: 'stop-sandbox', sandboxId: sandbox.id })) {
      const message = 'Pod sandbox changed, it will be killed and re-created.';
      draft.events.push({ type: 'Normal', reason: 'SandboxChanged', message });
    } else if (!isNews) {
      act(draft, { verb: 'stop-sandbox', sandboxId: sandbox.id });
    }
    gone = false;
  }
  return gone;
}

/** The sandbox is replaced for a restart of the whole pod, which has an event of its own. */
function isOfLifeBefore({ note }: Draft, { metadata }: RuntimeSandbox): boolean {
  return metadata.attempt <= (note.restart?.oldSandboxAttempt ?? -1);
}
