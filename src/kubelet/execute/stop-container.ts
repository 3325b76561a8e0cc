/**
 * Stops one container: its preStop hook, then its stop signal, then, when the grace is over and not before, SIGKILL.
 * The hook counts within the grace; one that used it all up gets the documented two seconds more.
 */
import { RuntimeError } from '../../cri/index.ts';
import type { PodAction } from '../plan/actions.ts';
import { allContainers, fieldPath } from '../plan/containers.ts';
import { GRACE_EXTENSION_SECONDS } from '../plan/limits.ts';
import { DONE, failed, type Job, type VerbContext, type VerbResult } from './context.ts';
import { runHook } from './hooks.ts';
import { RUNTIME_REQUEST_TIMEOUT_MS } from './limits.ts';

type Stop = Extract<PodAction, { verb: 'stop-container' }>;

export async function stopContainer(context: VerbContext, job: Job, action: Stop, podIp: string): Promise<VerbResult> {
  const { pod } = job;
  const podContainer = allContainers(pod).find(({ container }) => container.name === action.container);
  const path = podContainer === undefined ? undefined : fieldPath(podContainer);
  if (action.message !== undefined) context.events.pod(pod, 'Normal', 'Killing', action.message, path);
  const hook = podContainer?.container.lifecycle?.preStop;
  let hookRan = false;
  if (hook !== undefined && podContainer !== undefined && action.preStop && action.graceMs > 0) {
    hookRan = true;
    const target = {
      containerId: action.containerId,
      podIp,
      container: podContainer.container,
      timeoutMs: action.graceMs,
      signal: job.signal,
    };
    const problem = await boundedHook(context, action.graceMs, () => runHook(context, hook, target));
    if (problem !== undefined && !job.signal.aborted) {
      context.logger.info('preStop hook failed', { container: action.container, problem });
      context.events.pod(pod, 'Warning', 'FailedPreStopHook', 'PreStopHook failed', path);
    }
    // A shorter grace has its own stop under way.
    if (job.signal.aborted) return DONE;
  }
  const leftMs = Math.max(action.deadline - context.clock.now().mono, action.atLeastMs);
  return await stop(context, action.containerId, graceSeconds(leftMs, hookRan));
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
  const timer = context.clock.setTimer(timeoutMs, () => resolve('the hook outlived the grace period'));
  try {
    return await Promise.race([run(), promise]);
  } finally {
    timer.cancel();
  }
}

async function stop(context: VerbContext, containerId: string, graceSeconds: number): Promise<VerbResult> {
  try {
    const timeoutMs = graceSeconds * 1000 + RUNTIME_REQUEST_TIMEOUT_MS;
    await context.runtime.stopContainer(containerId, graceSeconds, { timeoutMs });
    return DONE;
  } catch (error) {
    if (error instanceof RuntimeError && error.code === 'NotFound') return DONE;
    return failed('KillContainerError', error);
  }
}
