/** One container that should run (app or sidecar) beside what is: kept, killed, started or left dead. Pure. */
import type { RuntimeContainer, RuntimeSandbox } from '../types.ts';
import { containerHash } from './container-hash.ts';
import { isAlive, isFinal, type ContainerView } from './container-view.ts';
import { type Draft, wait } from './draft.ts';
import { isPaused } from './healing/paused.ts';
import { CONTAINER_HASH } from './labels.ts';
import { reasonToResize } from './plan-resize.ts';
import { planStart } from './plan-start.ts';
import { planKill } from './plan-stop.ts';
import { restartsAfterProbeKill } from './restart-policy.ts';

/** True when the container runs and nothing has to be done about it. */
export function planContainer(draft: Draft, view: ContainerView, sandbox: RuntimeSandbox | undefined): boolean {
  const [newest, ...older] = view.instances.filter(isAlive);
  for (const instance of older) {
    planKill(draft, view, instance, { message: `Stopping container ${instance.name}`, restart: true });
  }
  if (newest !== undefined) return !planRunning(draft, view, newest);
  if (isFinal(draft.input.pod, view)) {
    wait(draft, `container ${view.container.name} ended and its restart policy leaves it`);
    return false;
  }
  planStart(draft, view, sandbox);
  return false;
}

/** Plans the kill of a running container that must not go on; false: it is well. */
function planRunning(draft: Draft, view: ContainerView, instance: RuntimeContainer): boolean {
  const { kill } = view.memory;
  if (kill?.containerId === instance.id) {
    planKill(draft, view, instance, kill);
    return true;
  }
  const reason = reasonToKill(draft, view, instance);
  if (reason === undefined) return false;
  planKill(draft, view, instance, {
    ...reason,
    message: reason.restart && reason.resize !== true ? `${reason.message}, will be restarted` : reason.message,
  });
  return true;
}

interface KillReason {
  readonly message: string;
  readonly restart: boolean;
  readonly gracePeriodSeconds?: number;
  readonly cause?: 'liveness' | 'startup';
  /** Its message says already that it is restarted. */
  readonly resize?: true;
}

/** Upstream: computePodActions, with its texts. */
function reasonToKill(draft: Draft, view: ContainerView, instance: RuntimeContainer): KillReason | undefined {
  const { container } = view;
  const hash = instance.annotations[CONTAINER_HASH];
  if (instance.state === 'unknown') {
    return { message: `Container is in "unknown" state, try killing it before restart`, restart: true };
  }
  if (hash !== undefined && hash !== containerHash(container)) {
    return { message: `Container ${container.name} definition changed`, restart: true };
  }
  const resize = reasonToResize(draft, view);
  if (resize !== undefined) return { message: resize, restart: true, resize: true };
  if (isPaused(draft)) return undefined;
  const results = draft.input.facts.probes[instance.id];
  const restart = restartsAfterProbeKill(draft.input.pod, container, view.kind);
  if (results?.liveness === 'failure') {
    const gracePeriodSeconds = container.livenessProbe?.terminationGracePeriodSeconds;
    const message = `Container ${container.name} failed liveness probe`;
    return { message, restart, cause: 'liveness', ...grace(gracePeriodSeconds) };
  }
  if (results?.startup === 'failure') {
    const gracePeriodSeconds = container.startupProbe?.terminationGracePeriodSeconds;
    const message = `Container ${container.name} failed startup probe`;
    return { message, restart, cause: 'startup', ...grace(gracePeriodSeconds) };
  }
  return undefined;
}

function grace(gracePeriodSeconds: number | undefined): { gracePeriodSeconds?: number } {
  return gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds };
}
