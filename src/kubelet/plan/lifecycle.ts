/**
 * The life of a pod on this node. It only ever goes forward:
 *
 *   waiting ──► syncing ──► terminating ──► terminated ──► finished
 *      └───────────────────────▲
 *
 * waiting: too little is known to act. syncing: containers are started. terminating: they are being stopped, and none is
 * started any more. terminated: none runs; the sandbox is stopped, volumes and cgroup are given back. finished: nobody
 * wants the pod any more and what is left of it in the runtime is removed.
 */
import type { Pod } from '../../api/index.ts';
import { assertNever } from '../../lib/index.ts';
import { DEFAULT_GRACE_PERIOD_SECONDS } from './limits.ts';
import type { TerminationRequest } from './pod-memory.ts';

export type PodLifecycle =
  | { readonly state: 'waiting' }
  | { readonly state: 'syncing' }
  /** `deadline`: mono ms when the grace ends. */
  | { readonly state: 'terminating'; readonly request: TerminationRequest; readonly deadline: number }
  | { readonly state: 'terminated'; readonly request: TerminationRequest }
  | { readonly state: 'finished'; readonly request: TerminationRequest };

export interface LifecycleInput {
  /** May containers be started at all: config and runtime are known, and the pod is admitted. */
  readonly ready: boolean;
  /** Why the pod should end, if it should; the strictest of all. */
  readonly request: TerminationRequest | undefined;
  /** Mono ms at which `request` was made. */
  readonly requestedAtMono: number;
  /** A container runs or may run, or a start is under way. */
  readonly alive: boolean;
  /** The pod is still wanted by a config source (its object exists). */
  readonly wanted: boolean;
  /** Sandbox stopped, volumes and cgroup given back. */
  readonly reclaimed: boolean;
}

/** The next lifecycle; the same value when nothing changed. Takes as many steps as the input allows. */
export function stepLifecycle(current: PodLifecycle, input: LifecycleInput): PodLifecycle {
  let lifecycle = current;
  for (;;) {
    const next = step(lifecycle, input);
    if (next === lifecycle) return lifecycle;
    lifecycle = next;
  }
}

function step(current: PodLifecycle, input: LifecycleInput): PodLifecycle {
  switch (current.state) {
    case 'waiting':
    case 'syncing':
      if (input.request !== undefined) {
        const deadline = input.requestedAtMono + input.request.gracePeriodSeconds * 1000;
        return { state: 'terminating', request: input.request, deadline };
      }
      return current.state === 'waiting' && input.ready ? { state: 'syncing' } : current;
    case 'terminating': {
      const overtaken = overtake(current, input);
      return input.alive ? overtaken : { state: 'terminated', request: overtaken.request };
    }
    case 'terminated':
      return input.reclaimed && !input.wanted ? { state: 'finished', request: current.request } : current;
    case 'finished':
      return current;
    default:
      return assertNever(current);
  }
}

/** A request whose grace period ends earlier replaces the other; one that would end later changes nothing. */
function overtake(
  current: Extract<PodLifecycle, { state: 'terminating' }>,
  { request, requestedAtMono }: LifecycleInput,
): Extract<PodLifecycle, { state: 'terminating' }> {
  if (request === undefined) return current;
  const deadline = requestedAtMono + request.gracePeriodSeconds * 1000;
  if (deadline >= current.deadline) return current;
  return { state: 'terminating', request, deadline };
}

/** The grace period of a deleted pod: the deletion's, else the spec's. Seconds. */
export function gracePeriodSeconds(pod: Pod): number {
  return (
    pod.metadata?.deletionGracePeriodSeconds ?? pod.spec?.terminationGracePeriodSeconds ?? DEFAULT_GRACE_PERIOD_SECONDS
  );
}

/** No container may be started in this state. */
export function startsForbidden(lifecycle: PodLifecycle): boolean {
  return lifecycle.state !== 'syncing';
}
