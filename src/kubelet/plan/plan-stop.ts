/** Stopping containers: with what is left of their grace, a shorter grace overtaking a stop under way. Pure. */
import type { RuntimeContainer } from '../types.ts';
import { act, type Draft, updateContainer, wait, wakeBy } from './draft.ts';
import type { ContainerView } from './container-view.ts';
import { gracePeriodSeconds as podGracePeriodSeconds } from './lifecycle.ts';
import { GRACE_EXTENSION_SECONDS } from './limits.ts';
import type { RequestedRestart } from './pod-memory.ts';

export interface StopOptions {
  /** Mono ms when the grace ends. */
  readonly deadline: number;
  /** The whole grace. */
  readonly gracePeriodSeconds: number;
  /** Text of the Killing event; absent when it was sent already. */
  readonly message?: string;
  /** Default true. */
  readonly preStop?: boolean;
}

export function planStop(draft: Draft, instance: RuntimeContainer, options: StopOptions): void {
  const { deadline, gracePeriodSeconds, message } = options;
  const { facts, now } = draft.input;
  const key = `stop-container/${instance.id}`;
  const graceMs = Math.max(0, deadline - now.mono);
  const stop = {
    verb: 'stop-container',
    container: instance.name,
    containerId: instance.id,
    graceMs,
    deadline,
  } as const;
  const running = facts.jobs[key];
  if (running === undefined) {
    // It is not known whether a stop of an earlier life, or one that failed, ever arrived: the process gets this one.
    const atLeastMs = Math.min(gracePeriodSeconds, GRACE_EXTENSION_SECONDS) * 1000;
    const told = message === undefined ? {} : { message };
    if (act(draft, { ...stop, atLeastMs, ...told, preStop: graceMs > 0 && options.preStop !== false }))
      draft.why.push(message ?? `container ${instance.name} is stopped`);
    return;
  }
  if (deadline < (running.deadline ?? Number.POSITIVE_INFINITY)) {
    draft.actions.push({ ...stop, atLeastMs: 0, preStop: false });
    return;
  }
  wait(draft, `container ${instance.name} has until its grace ends to stop`);
}

/**
 * Kills a running container to start it again (or, under policy Never, only kills it). The decision is in the note first:
 * after a restart of the agent the same stop continues with the rest of its grace period.
 */
export function planKill(
  draft: Draft,
  view: ContainerView,
  instance: RuntimeContainer,
  kill: {
    readonly message: string;
    readonly gracePeriodSeconds?: number;
    readonly restart: boolean;
    readonly skipPreStop?: boolean;
    readonly lostSandbox?: string;
    readonly cause?: RequestedRestart['cause'];
  },
): void {
  const { now, pod } = draft.input;
  const known = view.memory.kill?.containerId === instance.id ? view.memory.kill : undefined;
  const decided = known ?? {
    containerId: instance.id,
    message: kill.message,
    gracePeriodSeconds: kill.gracePeriodSeconds ?? podGracePeriodSeconds(pod),
    requestedAt: now.wall,
    restart: kill.restart,
    ...(kill.skipPreStop === undefined ? {} : { skipPreStop: kill.skipPreStop }),
    ...(kill.lostSandbox === undefined ? {} : { lostSandbox: kill.lostSandbox }),
    ...(kill.cause === undefined ? {} : { cause: kill.cause }),
  };
  if (known === undefined) updateContainer(draft, view.container.name, { kill: decided });
  const requestedAt = draft.times.mono(`kill/${instance.id}`, decided.requestedAt);
  const deadline = requestedAt + decided.gracePeriodSeconds * 1000;
  const { gracePeriodSeconds, message, skipPreStop } = decided;
  planStop(draft, instance, { deadline, gracePeriodSeconds, message, preStop: skipPreStop !== true });
}

/** Wakes the plan when a stop should have ended, as a safety net for a lost answer. */
export function watchDeadline(draft: Draft, deadline: number): void {
  if (deadline > draft.input.now.mono) wakeBy(draft, deadline);
}
