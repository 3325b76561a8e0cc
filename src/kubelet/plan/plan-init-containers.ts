/**
 * Init containers, one after the other in the spec's order; a sidecar (restartPolicy Always) is passed once it has
 * started, and is kept running from then on. Upstream: computeInitContainerActions, KEP-753. Pure.
 */
import type { PodObservation, RuntimeSandbox } from '../types.ts';
import { containersNamed, neverRan } from './absorb-observation.ts';
import { isAlive, isFinal, isHistory, type ContainerView } from './container-view.ts';
import { type Draft, wait } from './draft.ts';
import { planContainer } from './plan-container.ts';
import { planStart } from './plan-start.ts';

/**
 * True when every init container is done, so that app containers may start. Plans the next step otherwise. Containers before
 * the furthest one that was started are passed: a sidecar among them is kept running, and delays no other any more.
 */
export function planInitContainers(
  draft: Draft,
  views: readonly ContainerView[],
  sandbox: RuntimeSandbox | undefined,
): boolean {
  const initialized = sandbox !== undefined && draft.note.initializedSandboxId === sandbox.id;
  const furthest = initialized ? views.length : views.findLastIndex((view) => wasStarted(view, sandbox));
  for (const [index, view] of views.entries()) {
    if (index < furthest) {
      if (view.kind === 'sidecar') planContainer(draft, view, sandbox);
    } else if (view.kind === 'sidecar' ? !sidecarStarted(draft, view, sandbox) : !initDone(draft, view, sandbox)) {
      return false;
    }
  }
  if (sandbox === undefined) return views.length === 0;
  if (!initialized) draft.note = { ...draft.note, initializedSandboxId: sandbox.id };
  return true;
}

/** In this sandbox, and since all containers were last restarted. */
function wasStarted(view: ContainerView, sandbox: RuntimeSandbox | undefined): boolean {
  if (isHistory(view)) return false;
  return view.instances.some((instance) => instance.sandboxId === sandbox?.id && !neverRan(instance));
}

function initDone(draft: Draft, view: ContainerView, sandbox: RuntimeSandbox | undefined): boolean {
  const name = view.container.name;
  if (view.instances.some(isAlive)) {
    wait(draft, `init container ${name} runs`);
    return false;
  }
  if (sandbox !== undefined && !isHistory(view) && succeededIn(draft.input.observed, name, sandbox.id)) return true;
  // An end in an earlier sandbox is history: there the work is done again.
  const inThisSandbox = view.newest?.sandboxId === sandbox?.id;
  if (inThisSandbox && isFinal(draft.input.pod, view) && view.death?.exitCode !== 0) {
    wait(draft, `init container ${name} failed and its restart policy leaves it`);
    return false;
  }
  planStart(draft, view, sandbox);
  return false;
}

function succeededIn(observed: PodObservation | undefined, name: string, sandboxId: string): boolean {
  const [newest] = containersNamed(observed, name);
  return newest?.sandboxId === sandboxId && newest.state === 'exited' && newest.exitCode === 0;
}

/** Its postStart hook and its startup probe, if it has them, must have succeeded before the next init container starts. */
function sidecarStarted(draft: Draft, view: ContainerView, sandbox: RuntimeSandbox | undefined): boolean {
  if (!planContainer(draft, view, sandbox)) return false;
  if (draft.input.facts.jobs[`start-container/${view.container.name}`] !== undefined) {
    wait(draft, `sidecar ${view.container.name} is being started`);
    return false;
  }
  if (view.container.startupProbe === undefined || view.newest === undefined) return true;
  const started = draft.input.facts.probes[view.newest.id]?.startup === 'success';
  if (!started) wait(draft, `sidecar ${view.container.name} has not started`);
  return started;
}
