/**
 * Adds an observation to memory: the newest container of each name, ends not yet noted, the sandbox attempt. A container that
 * memory knows and the runtime has lost counts as ended, with upstream's ContainerStatusUnknown. Pure.
 */
import type {
  Container,
  ContainerStateTerminated,
  ContainerStatus as ApiContainerStatus,
  Pod,
} from '../../api/index.ts';
import { parseTime } from '../../lib/index.ts';
import type { PodObservation, RuntimeContainer } from '../types.ts';
import { backOffKey, nominalDelayMs, policyBackOffKey } from './back-off.ts';
import { allContainers, findContainer } from './containers.ts';
import { withLadderFromStatus } from './healing/ladder-from-status.ts';
import { podPolicy } from './healing/pod-policy.ts';
import { backOffOf, restartCountOf } from './labels.ts';
import { MAX_DEATHS_REMEMBERED } from './limits.ts';
import { withOutcomesFromStatus } from './restart/outcomes-from-status.ts';
import {
  type ContainerMemory,
  containerMemory,
  type Death,
  type PodNote,
  type StartFailure,
  withContainer,
} from './pod-memory.ts';

/** Exit code of a container whose end was not observed. */
export const LOST_EXIT_CODE = 137;
export const LOST_REASON = 'ContainerStatusUnknown';
const LOST_MESSAGE = 'The container could not be located when the pod was deleted.  The container used to be Running';

/**
 * containerd's message for a start whose caller went away before there was a task. Once there is one ("failed to start
 * containerd task"), the command may have begun, and that is an end like any other.
 */
const BROKEN_OFF = /failed to create containerd task: (?:.*context canceled|failed to start shim: .*signal: killed)/;

/** Newest first, by restart count, then by creation. */
export function containersNamed(observed: PodObservation | undefined, name: string): readonly RuntimeContainer[] {
  const found = (observed?.containers ?? []).filter((container) => container.name === name);
  return found.sort((a, b) => restartCountOf(b) - restartCountOf(a) || b.createdAt - a.createdAt);
}

/** The note with what `observed` shows; the same object when that is nothing new. */
export function absorbObservation(note: PodNote, pod: Pod, observed: PodObservation | undefined): PodNote {
  let next = note;
  for (const { container } of allContainers(pod)) {
    const before = containerMemory(next, container.name);
    const after = absorbContainer(before, containersNamed(observed, container.name));
    if (after !== before) next = withContainer(next, container.name, after);
  }
  const attempt = Math.max(...(observed?.sandboxes ?? []).map((sandbox) => sandbox.metadata.attempt), -1);
  if (attempt > (note.sandboxAttempt ?? -1)) next = { ...next, sandboxAttempt: attempt };
  return next;
}

function absorbContainer(memory: ContainerMemory, instances: readonly RuntimeContainer[]): ContainerMemory {
  let next = lostOf(memory, instances);
  for (const instance of instances.toReversed()) {
    const restartCount = restartCountOf(instance);
    if (restartCount < (next.newest?.restartCount ?? 0)) continue;
    // The count is used again.
    if (neverRan(instance)) continue;
    if (next.newest?.containerId !== instance.id || next.newest.startedAt !== instance.startedAt) {
      next = { ...next, newest: { containerId: instance.id, restartCount, startedAt: instance.startedAt } };
    }
    const backOff = backOffOf(instance);
    const isNews = restartCount > (next.backOff?.attempt ?? -1) && restartCount >= (next.curveFrom ?? 0);
    if (backOff !== undefined && isNews) {
      next = { ...next, backOff: { ...backOff, attempt: restartCount } };
    }
    if (next.failure !== undefined && isOver(next, next.failure, instance, restartCount))
      next = without(next, 'failure');
    if (instance.state === 'exited') next = withObservedDeath(next, instance, restartCount);
  }
  if (next.kill !== undefined && next.newest !== undefined && next.kill.containerId !== next.newest.containerId) {
    next = without(next, 'kill');
  }
  return next;
}

/**
 * The container is only created: the start is still to come, or the runtime broke it off because its caller, which is this
 * agent, went away. Neither is an end of the container's command.
 */
export function neverRan({ state, startedAt, reason, message }: RuntimeContainer): boolean {
  if (state === 'created') return true;
  return state === 'exited' && startedAt === 0 && reason === 'StartError' && BROKEN_OFF.test(message);
}

/**
 * A later start succeeded, or this one did; a failure of the start itself, or of its hook, stays reported until the next
 * start.
 */
function isOver(
  { kill }: ContainerMemory,
  failure: StartFailure,
  instance: RuntimeContainer,
  restartCount: number,
): boolean {
  if (failure.attempt !== restartCount) return failure.attempt < restartCount;
  return instance.state !== 'exited' && kill?.containerId !== instance.id;
}

/** The newest container that memory knows is neither seen nor noted as ended: it is gone with its exit code. */
function lostOf(memory: ContainerMemory, instances: readonly RuntimeContainer[]): ContainerMemory {
  const { newest } = memory;
  if (newest === undefined || instances.some((instance) => instance.id === newest.containerId)) return memory;
  if (memory.deaths.some((death) => death.containerId === newest.containerId)) return memory;
  return withDeath(memory, {
    containerId: newest.containerId,
    restartCount: newest.restartCount,
    exitCode: LOST_EXIT_CODE,
    reason: LOST_REASON,
    startedAt: newest.startedAt,
    finishedAt: 0,
    message: LOST_MESSAGE,
    messageRead: true,
  });
}

/** The runtime knows the times to the millisecond; the API status, from which a note may be rebuilt, only the second. */
function withObservedDeath(memory: ContainerMemory, instance: RuntimeContainer, restartCount: number): ContainerMemory {
  const known = memory.deaths.find((death) => death.containerId === instance.id);
  if (known === undefined) return withDeath(memory, deathOf(instance, restartCount));
  const { startedAt, finishedAt } = instance;
  if (known.startedAt === startedAt && known.finishedAt === finishedAt) return memory;
  const deaths = memory.deaths.map((death) => (death === known ? { ...known, startedAt, finishedAt } : death));
  return { ...memory, deaths };
}

function deathOf(instance: RuntimeContainer, restartCount: number): Death {
  return {
    containerId: instance.id,
    restartCount,
    exitCode: instance.exitCode,
    reason: instance.reason,
    startedAt: instance.startedAt,
    finishedAt: instance.finishedAt,
    message: instance.message,
    messageRead: false,
  };
}

function withDeath(memory: ContainerMemory, death: Death): ContainerMemory {
  const deaths = [death, ...memory.deaths].sort((a, b) => b.restartCount - a.restartCount);
  return { ...memory, deaths: deaths.slice(0, MAX_DEATHS_REMEMBERED) };
}

function without(memory: ContainerMemory, key: 'failure' | 'kill'): ContainerMemory {
  const rest = { ...memory };
  delete rest[key];
  return rest;
}

/**
 * Memory of a pod that this agent knows nothing of, from the API server's status: counts and last ends go on where they
 * were, even after a loss of the data folder and of all containers.
 */
export function noteFromStatus(note: PodNote, pod: Pod): PodNote {
  const { status } = pod;
  let next = note;
  const startTime = parseTime(status?.startTime);
  if (startTime !== undefined) next = { ...next, startTime, admitted: true };
  const entries = [status?.initContainerStatuses, status?.containerStatuses, status?.ephemeralContainerStatuses];
  for (const entry of entries.flatMap((list) => list ?? [])) {
    next = withContainer(next, entry.name, memoryOfStatus(pod, entry));
  }
  return withLadderFromStatus(withOutcomesFromStatus(next, pod), pod);
}

function memoryOfStatus(pod: Pod, entry: ApiContainerStatus): ContainerMemory {
  const id = bareId(entry.containerID);
  if (id === '') return { deaths: [] };
  const ended = entry.state?.terminated ?? entry.lastState?.terminated;
  const startedAt = parseTime(entry.state?.running?.startedAt ?? ended?.startedAt) ?? 0;
  const memory: ContainerMemory = {
    newest: { containerId: id, restartCount: entry.restartCount, startedAt },
    deaths: ended === undefined ? [] : [statusDeath(ended, id, entry.restartCount)],
  };
  const spec = findContainer(pod, entry.name)?.container;
  if (spec === undefined || entry.state?.waiting?.reason !== 'CrashLoopBackOff') return memory;
  return { ...memory, backOff: { ...backOffFromStatus(pod, spec, entry), lastUpdate: startedAt } };
}

/** The restart count is kept as reported: no delay is too short for that. */
function backOffFromStatus(pod: Pod, spec: Container, { restartCount }: ApiContainerStatus) {
  const key = backOffKey(pod, spec);
  const delayMs = nominalDelayMs(restartCount);
  const own = podPolicy(pod);
  if (own.kind !== 'valid') return { key, delayMs, attempt: restartCount };
  return { key: policyBackOffKey(key, own.hash), delayMs, attempt: restartCount, restarts: restartCount };
}

function statusDeath(ended: ContainerStateTerminated, newestId: string, restartCount: number): Death {
  const containerId = bareId(ended.containerID);
  return {
    containerId,
    restartCount: containerId === newestId ? restartCount : Math.max(0, restartCount - 1),
    exitCode: ended.exitCode,
    reason: ended.reason ?? '',
    startedAt: parseTime(ended.startedAt) ?? 0,
    finishedAt: lastMsOf(parseTime(ended.finishedAt)),
    message: ended.message ?? '',
    messageRead: true,
  };
}

/** A time in whole seconds was at latest at the end of its second: no back-off counted from it is too short. */
function lastMsOf(wall: number | undefined): number {
  return wall === undefined ? 0 : wall + 999;
}

/** "containerd://ID" → "ID". */
function bareId(containerId: string | undefined): string {
  return (containerId ?? '').replace(/^[a-z0-9-]+:\/\//, '');
}
