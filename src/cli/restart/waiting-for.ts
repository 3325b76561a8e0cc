/** Describes what a running restart waits for. Pure. */
import {
  type ContainerStatus,
  isConditionTrue,
  type Pod,
  type PodRestart,
  RESTARTING_CONDITION,
  RESTARTING_POD_REASON,
} from '../../api/index.ts';
import { parseTime } from '../../lib/index.ts';
import { UNTAKEN_MS } from './limits.ts';
import { containerStatuses } from './pod-facts.ts';

export interface WaitingInput {
  readonly restart: PodRestart;
  /** The pod now, and as it was at the request; undefined when we may not read pods. */
  readonly pod?: Pod;
  readonly before?: Pod;
  /** Ms since the request. */
  readonly waitedMs: number;
  /** Wall ms. */
  readonly now: number;
}

const BACK_OFF = 'CrashLoopBackOff';

export function waitingFor(input: WaitingInput): string {
  const { restart, waitedMs, now } = input;
  const { phase, message = '' } = restart.status ?? {};
  const notBefore = parseTime(restart.spec?.notBefore);
  if (phase === undefined && waitedMs >= UNTAKEN_MS) {
    return 'the restart has not been taken up yet: does the healing controller run? ("mendlet up" and "mendlet server" have it; elsewhere: "mendlet healer")';
  }
  if (notBefore !== undefined && notBefore > now) return `waits until ${restart.spec?.notBefore}, its --not-before`;
  // The pod's present activity belongs to another restart; the message says whether force would help.
  if (restart.status?.reason === 'OneAtATime') return message;
  const what = ofContainers(input);
  if (what !== undefined) return what;
  const hasBegun = isConditionTrue(input.pod?.status?.conditions, RESTARTING_CONDITION);
  return message === '' || hasBegun ? phaseText(phase) : message;
}

function phaseText(phase: string | undefined): string {
  if (phase === undefined) return 'waits to be taken up';
  return phase === 'Pending' ? "waits for its node's agent" : 'is being restarted';
}

function ofContainers({ restart, pod, before }: WaitingInput): string | undefined {
  if (pod === undefined) return undefined;
  const { scope, container, force = false } = restart.spec ?? {};
  const concerned = containerStatuses(pod).filter(({ name }) => scope !== 'container' || name === container);
  const going = restart.status?.phase === 'Running';
  const stopping = going ? concerned.filter((status) => isOfBefore(status, before)) : [];
  if (stopping.length > 0) {
    const seconds = restart.spec?.gracePeriodSeconds ?? pod.spec?.terminationGracePeriodSeconds ?? 30;
    return `${namesOf(stopping)} being stopped, with a grace of ${seconds}s`;
  }
  const backingOff = concerned.find(({ state }) => state?.waiting?.reason === BACK_OFF);
  if (backingOff !== undefined && !force) {
    return `container ${backingOff.name} is in its back-off (${waitingText(backingOff)}): --force starts it now`;
  }
  const waiting = concerned.find(({ state }) => isTelling(state?.waiting?.reason));
  return waiting === undefined ? undefined : `container ${waiting.name} waits: ${waitingText(waiting)}`;
}

/** Whether the container still is the one that ran at the request. */
function isOfBefore({ name, containerID, state }: ContainerStatus, before: Pod | undefined): boolean {
  if (state?.running === undefined || before === undefined) return false;
  return containerStatuses(before).some((old) => old.name === name && old.containerID === containerID);
}

function isTelling(reason: string | undefined): boolean {
  return reason !== undefined && reason !== RESTARTING_POD_REASON;
}

function waitingText({ state }: ContainerStatus): string {
  const { reason = '', message = '' } = state?.waiting ?? {};
  return message === '' ? reason : `${reason}: ${message}`;
}

function namesOf(statuses: readonly ContainerStatus[]): string {
  const names = statuses.map(({ name }) => name).join(', ');
  return statuses.length === 1 ? `container ${names} is` : `containers ${names} are`;
}

/** The reason why a pod is not ready, as far as its status has one. */
export function whyNotReady(pod: Pod): string {
  const sick = containerStatuses(pod).find(({ state }) => isTelling(state?.waiting?.reason));
  if (sick !== undefined) return `container ${sick.name}: ${waitingText(sick)}`;
  const ready = pod.status?.conditions?.find(({ type }) => type === 'Ready');
  const { reason = '', message = '' } = ready ?? {};
  return message || reason || `phase ${pod.status?.phase ?? 'unknown'}`;
}
