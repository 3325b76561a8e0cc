/** Adds outcomes of actions to memory: a failure becomes a reason to wait, so that nothing loops hot. Pure. */
import { assertNever } from '../../lib/index.ts';
import { jobKey, type Outcome, type PodAction } from './actions.ts';
import { RETRY_BASE_MS, RETRY_CAP_MS } from './limits.ts';
import { rememberResize } from './plan-resize.ts';
import { containerMemory, type PodMemory, type PodNote, type RequestedRestart, withContainer } from './pod-memory.ts';

export function remember(memory: PodMemory, outcomes: readonly Outcome[]): PodMemory {
  return outcomes.reduce(rememberOne, memory);
}

function rememberOne(memory: PodMemory, outcome: Outcome): PodMemory {
  const { action } = outcome;
  switch (action.verb) {
    case 'start-container':
      return { ...memory, note: rememberStart(memory.note, action, outcome) };
    case 'read-termination-message':
      return { ...memory, note: rememberMessage(memory.note, action.container, action.containerId, outcome) };
    case 'reclaim-pod':
      return rememberJob(outcome.ok ? { ...memory, note: { ...memory.note, reclaimed: true } } : memory, outcome);
    case 'resize':
      return rememberJob(outcome.ok ? { ...memory, note: rememberResize(memory.note, action) } : memory, outcome);
    case 'refresh-pod':
      return rememberJob(outcome.ok ? refreshed(memory, action.restart) : memory, outcome);
    case 'prepare-cgroup':
    case 'prepare-volumes':
    case 'request-image':
    case 'create-sandbox':
    case 'stop-container':
    case 'pre-stop':
    case 'cancel-starts':
    case 'stop-sandbox':
    case 'remove-sandbox':
    case 'remove-container':
    case 'remove-pod-logs':
      return rememberJob(memory, outcome);
    default:
      return assertNever(action);
  }
}

type StartAction = Extract<PodAction, { verb: 'start-container' }>;

const ONCE = new Set(['prepare-cgroup', 'pre-stop', 'stop-sandbox', 'remove-pod-logs']);

function rememberJob(memory: PodMemory, outcome: Outcome): PodMemory {
  const key = jobKey(outcome.action);
  const { [key]: before, ...failures } = memory.volatile.failures;
  if (outcome.ok) {
    const done = ONCE.has(outcome.action.verb)
      ? { ...memory.volatile.done, [key]: true as const }
      : memory.volatile.done;
    return { ...memory, volatile: { ...memory.volatile, failures, done } };
  }
  const count = (before?.failures ?? 0) + 1;
  const delayMs = Math.min(RETRY_BASE_MS * 2 ** Math.min(count - 1, 16), RETRY_CAP_MS);
  const failure = { failures: count, message: outcome.message, retryAt: outcome.at.mono + delayMs };
  return { ...memory, volatile: { ...memory.volatile, failures: { ...failures, [key]: failure } } };
}

/** The resources that the pod's containers shared are gone: its cgroup has to be made again. */
function refreshed({ note, volatile }: PodMemory, restart: string): PodMemory {
  const { cgroupFor: _, ...rest } = note;
  const { 'prepare-cgroup': __, ...done } = volatile.done;
  const isCurrent = rest.restart?.id === restart;
  const next =
    isCurrent && rest.restart !== undefined ? { ...rest, restart: { ...rest.restart, refreshed: true } } : rest;
  return { note: next, volatile: { ...volatile, done } };
}

function rememberStart(note: PodNote, action: StartAction, outcome: Outcome): PodNote {
  const { container: name, attempt, onHookFailure } = action;
  const { failure, ...before } = containerMemory(note, name);
  if (outcome.ok) return failure === undefined ? note : withContainer(note, name, before);
  if (outcome.cancelled === true) return note;
  const again =
    failure?.attempt === attempt || (failure?.attempt === before.usedAttempt && failure?.attempt === attempt - 1);
  const failures = failure !== undefined && again ? failure.failures + 1 : 1;
  // The runtime was asked to run it (a full disk lets containerd run it and then fail to write that down).
  const rest = outcome.reason === 'RunContainerError' ? { ...before, usedAttempt: attempt } : before;
  const next = { attempt, failures, reason: outcome.reason, message: outcome.message, failedAt: outcome.at.wall };
  const { killContainerId } = outcome;
  // Killed for a restart while its hook ran: that decided what becomes of it.
  const killed = before.kill?.containerId === killContainerId && before.kill?.cause === 'restart';
  if (killContainerId === undefined || killed) return withContainer(note, name, { ...rest, failure: next });
  const kill: RequestedRestart = {
    containerId: killContainerId,
    message: 'FailedPostStartHook',
    ...onHookFailure,
    requestedAt: outcome.at.wall,
    cause: 'hook',
  };
  return withContainer(note, name, { ...rest, failure: next, kill });
}

/** The runtime's own message stays in front, as upstream joins them. */
function rememberMessage(note: PodNote, name: string, containerId: string, outcome: Outcome): PodNote {
  const memory = containerMemory(note, name);
  const text = outcome.ok ? (outcome.terminationMessage ?? '') : '';
  const deaths = memory.deaths.map((death) => {
    if (death.containerId !== containerId || death.messageRead) return death;
    const message = [death.message, text].filter((part) => part !== '').join(': ');
    return { ...death, message, messageRead: true };
  });
  return withContainer(note, name, { ...memory, deaths });
}
