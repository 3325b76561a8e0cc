/**
 * Stops one container: its preStop hook, then its stop signal, then, when the grace is over and not before, SIGKILL.
 * The hook counts within the grace; one that used it all up gets the documented two seconds more.
 */
import { RuntimeError } from '../../cri/index.ts';
import type { PodAction } from '../plan/actions.ts';
import { fieldPath, findContainer } from '../plan/containers.ts';
import { GRACE_EXTENSION_SECONDS } from '../plan/limits.ts';
import { DONE, failed, type Job, type VerbContext, type VerbResult } from './context.ts';
import { runHook } from './hooks.ts';
import { RUNTIME_REQUEST_TIMEOUT_MS } from './limits.ts';

type Stop = Extract<PodAction, { verb: 'stop-container' }>;
type PreStop = Extract<PodAction, { verb: 'pre-stop' }>;

export async function stopContainer(context: VerbContext, job: Job, action: Stop, podIp: string): Promise<VerbResult> {
  tellKilling(context, job, action);
  const hookRan = action.preStop && (await runPreStop(context, job, action, podIp));
  // A shorter grace has its own stop under way.
  if (job.signal.aborted) return DONE;
  const leftMs = Math.max(action.deadline - context.ports.clock.now().mono, action.atLeastMs);
  return await stop(context, action.containerId, graceSeconds(leftMs, hookRan));
}

/** Runs only the hook, for a container that is stopped later. A hook that fails is reported, and not run again. */
export async function preStop(context: VerbContext, job: Job, action: PreStop, podIp: string): Promise<VerbResult> {
  tellKilling(context, job, action);
  await runPreStop(context, job, action, podIp);
  return DONE;
}

function tellKilling(context: VerbContext, { pod }: Job, { container, message }: Stop | PreStop): void {
  if (message === undefined) return;
  const podContainer = findContainer(pod, container);
  const path = podContainer === undefined ? undefined : fieldPath(podContainer);
  context.parts.events.pod(pod, 'Normal', 'Killing', message, path);
}

/** False: there is no hook to run, or no time for it. */
async function runPreStop(
  context: VerbContext,
  { pod, signal }: Job,
  action: Stop | PreStop,
  podIp: string,
): Promise<boolean> {
  const podContainer = findContainer(pod, action.container);
  const hook = podContainer?.container.lifecycle?.preStop;
  if (hook === undefined || podContainer === undefined || action.graceMs <= 0) return false;
  const { containerId, graceMs: timeoutMs } = action;
  const target = { pod, containerId, podIp, container: podContainer.container, timeoutMs, signal };
  const problem = await boundedHook(context, timeoutMs, () => runHook(context, hook, target));
  if (problem !== undefined && !signal.aborted) {
    context.ports.logger.info('preStop hook failed', { container: action.container, problem });
    context.parts.events.pod(pod, 'Warning', 'FailedPreStopHook', 'PreStopHook failed', fieldPath(podContainer));
  }
  return true;
}

/** Whole seconds, rounded up: SIGKILL never comes early. */
function graceSeconds(leftMs: number, hookRan: boolean): number {
  return Math.max(Math.ceil(Math.max(0, leftMs) / 1000), hookRan ? GRACE_EXTENSION_SECONDS : 0);
}

async function boundedHook(
  context: VerbContext,
  timeoutMs: number,
  run: () => Promise<string | undefined>,
): Promise<string | undefined> {
  const { promise, resolve } = Promise.withResolvers<string>();
  const timer = context.ports.clock.setTimer(timeoutMs, () => resolve('the hook outlived the grace period'));
  try {
    return await Promise.race([run(), promise]);
  } finally {
    timer.cancel();
  }
}

async function stop(context: VerbContext, containerId: string, graceSeconds: number): Promise<VerbResult> {
  try {
    const timeoutMs = graceSeconds * 1000 + RUNTIME_REQUEST_TIMEOUT_MS;
    await context.ports.runtime.stopContainer(containerId, graceSeconds, { timeoutMs });
    return DONE;
  } catch (error) {
    if (error instanceof RuntimeError && error.code === 'NotFound') return DONE;
    return failed('KillContainerError', error);
  }
}
