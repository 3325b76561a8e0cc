/**
 * Starts one container when its back-off is over, its last failed start is long enough ago, its image is there, the volumes
 * are ready and the sandbox is up. Preparations are asked for early, so that they run at the same time. Pure.
 */
import type { EphemeralContainer } from '../../api/index.ts';
import type { RuntimeSandbox } from '../types.ts';
import { containersNamed, neverRan } from './absorb-observation.ts';
import { exitMono, tellBackOff } from './ask-back-off.ts';
import { type ContainerView, isHistory, isKilledForRestart, isOfNext } from './container-view.ts';
import { act, type Draft, tellNext, updateContainer, wait } from './draft.ts';
import { heldByLadder } from './healing/held-by-ladder.ts';
import { heldByPause } from './healing/paused.ts';
import { restartCountOf } from './labels.ts';
import { gracePeriodSeconds } from './lifecycle.ts';
import { RETRY_BASE_MS, RETRY_CAP_MS } from './limits.ts';
import { askBackOffOrRecovery } from './recovery/ends-back-off.ts';
import { endsWait, noteStart } from './recovery/ends-wait.ts';
import { restartsAfterProbeKill } from './restart-policy.ts';
import type { BackOffState, StartFailure } from './pod-memory.ts';

/** Plans the start, or the next thing it needs. `sandbox` absent: only what can be prepared without one. */
export function planStart(draft: Draft, view: ContainerView, sandbox: RuntimeSandbox | undefined): void {
  const name = view.container.name;
  if (draft.input.facts.jobs[`start-container/${name}`] !== undefined) {
    wait(draft, `start-container/${name} is under way`);
    return;
  }
  // A container may not be given more than its pod's cgroup has.
  if (draft.input.facts.jobs['resize'] !== undefined) {
    wait(draft, `container ${name}: the pod's resize is under way`);
    return;
  }
  if (inStartBackOff(draft, view)) return;
  const backOff = decideRestart(draft, view);
  if (backOff === 'wait') return;
  const image = imageReady(draft, view);
  const volumes = volumesReady(draft, view);
  if (image === undefined || !volumes || sandbox === undefined || leftoverPlanned(draft, view)) return;
  // Written before the start that it justifies, so that a failed or repeated start does not double it again.
  if (backOff !== undefined) updateContainer(draft, name, { backOff: { ...backOff, attempt: view.nextAttempt } });
  noteStart(draft, view);
  act(draft, {
    verb: 'start-container',
    container: name,
    sandboxId: sandbox.id,
    attempt: view.nextAttempt,
    imageId: image.imageId,
    ...(image.user === undefined ? {} : { imageUser: image.user }),
    podIps: sandbox.ips,
    ...targetOf(draft, view),
    ...(backOff === undefined ? {} : { backOff }),
    ...recoveryOf(draft, view),
    onHookFailure: {
      gracePeriodSeconds: gracePeriodSeconds(draft.input.pod),
      restart: restartsAfterProbeKill(draft.input.pod, view.container, view.kind),
    },
  });
}

/** When the end was that this start heals; ends that somebody asked for are none. */
function recoveryOf(draft: Draft, view: ContainerView): { readonly endedAt?: number } {
  const { death } = view;
  if (death === undefined || isHistory(view) || isKilledForRestart(view)) return {};
  return { endedAt: exitMono(draft, death) };
}

/** The container whose processes an ephemeral one sees. It need not run; then the runtime reports the problem. */
function targetOf(draft: Draft, { container }: ContainerView): { readonly targetContainerId?: string } {
  const { targetContainerName = '' } = container as EphemeralContainer;
  const [target] = targetContainerName === '' ? [] : containersNamed(draft.input.observed, targetContainerName);
  return target === undefined ? {} : { targetContainerId: target.id };
}

/** The last try of this very start failed too recently. */
function inStartBackOff(draft: Draft, view: ContainerView): boolean {
  const { failure } = view.memory;
  if (failure === undefined || !isOfNext(view, failure.attempt)) return false;
  const until = startRetryAt(draft, view.container.name, failure);
  draft.waiting[view.container.name] = { reason: failure.reason, message: failure.message };
  if (draft.input.now.mono >= until || endsWait(draft, view, { what: 'starting', until })) return false;
  wait(draft, `container ${view.container.name}: ${failure.reason}: ${failure.message}`, until);
  tellNext(draft, 'is started again', until);
  return true;
}

/** Mono ms at which a failed start may be tried again. */
export function startRetryAt(draft: Draft, name: string, failure: StartFailure): number {
  const failedAt = draft.times.mono(`failure/${name}/${failure.failedAt}`, failure.failedAt);
  return failedAt + Math.min(RETRY_BASE_MS * 2 ** Math.min(failure.failures - 1, 16), RETRY_CAP_MS);
}

/** CrashLoopBackOff. `undefined`: the first start, which has no entry. */
export function decideRestart(draft: Draft, view: ContainerView): BackOffState | undefined | 'wait' {
  const { death, memory } = view;
  if (death === undefined) return undefined;
  if (heldByPause(draft, view) || heldByLadder(draft, view)) return 'wait';
  if (memory.backOff !== undefined && isOfNext(view, memory.backOff.attempt)) return memory.backOff;
  // It ended for another's sake, or for a restart: its own curve stays as it is.
  if (isHistory(view) ? memory.ownEnd !== death.containerId : isKilledForRestart(view)) return memory.backOff;
  const answer = askBackOffOrRecovery(draft, view, death);
  if (answer.restart) return answer.state;
  tellBackOff(draft, view, death, answer);
  return 'wait';
}

function imageReady(draft: Draft, view: ContainerView) {
  const name = view.container.name;
  const attempt = view.nextAttempt;
  const fact = draft.input.facts.image(name, attempt);
  if (fact?.state === 'present') return fact;
  if (fact?.state === 'pulling') {
    wait(draft, `container ${name}: its image is being pulled`);
    return undefined;
  }
  if (fact?.state === 'failed') {
    draft.waiting[name] = { reason: fact.reason, message: fact.message };
    wait(draft, `container ${name}: ${fact.reason}: ${fact.message}`, fact.retryAt);
    if (fact.retryAt === undefined) return undefined;
    const { retryAt: until } = fact;
    if (draft.input.now.mono < until) {
      const isPulled = view.container.imagePullPolicy !== 'Never';
      const what = isPulled ? 'pulling the image of' : 'looking for the image of';
      const ended = endsWait(draft, view, { what, until });
      if (ended) act(draft, { verb: 'request-image', container: name, attempt, afresh: true });
      else tellNext(draft, isPulled ? 'pulls its image again' : 'looks for its image again', until);
      return undefined;
    }
  }
  act(draft, { verb: 'request-image', container: name, attempt });
  return undefined;
}

function volumesReady(draft: Draft, view: ContainerView): boolean {
  const { name } = view.container;
  const fact = draft.input.facts.volumes;
  if (fact?.state === 'ready') return true;
  if (fact === undefined) planVolumes(draft);
  else if (fact.state === 'failed') {
    if (fact.reason !== undefined) draft.waiting[name] = { reason: fact.reason, message: fact.message };
    wait(draft, `volumes: ${fact.message}`);
    // Also while a try is under way: it may have begun before the recovery.
    const ended = { what: 'setting up the volumes of', until: fact.retryAt } as const;
    if (endsWait(draft, view, ended)) planVolumes(draft, true);
    else if (fact.retryAt !== undefined) tellNext(draft, 'sets up its volumes again', fact.retryAt);
  }
  if (fact?.state === 'preparing') wait(draft, 'volumes are being prepared');
  return false;
}

/** Once per plan. */
function planVolumes(draft: Draft, afresh = false): void {
  if (draft.actions.some(({ verb }) => verb === 'prepare-volumes')) return;
  act(draft, { verb: 'prepare-volumes', ...(afresh && { afresh }) });
}

/** A container that was created and never ran blocks its name: it goes first. */
function leftoverPlanned(draft: Draft, view: ContainerView): boolean {
  const leftovers = view.instances.filter(neverRan);
  // Nobody starts it now, but somebody may have: an earlier agent, or this one before containerd died.
  const used = leftovers.filter(({ state }) => state === 'created').map(restartCountOf);
  if (used.length > 0) {
    updateContainer(draft, view.container.name, { usedAttempt: Math.max(...used, view.memory.usedAttempt ?? 0) });
  }
  for (const { id, logPath } of leftovers) act(draft, { verb: 'remove-container', containerId: id, logPath });
  return leftovers.length > 0;
}
