/** One pod as the overview shows it: how it is, how it last died, and what happens next. Pure. */
import {
  type ContainerStatus,
  findCondition,
  HEALING_STATE,
  HEALING_PAUSED_REASON,
  HEALING_STOPPED_CONDITION,
  isConditionTrue,
  isRestartableInit,
  parseHealingState,
  pauseOf,
  type Pod,
  RESTARTING_CONDITION,
} from '../api/index.ts';
import { parseTime, visibleLine } from '../lib/index.ts';
import { deathWords, lastDeathOf } from './last-death.ts';
import { MAX_WORDS } from './limits.ts';
import type { Mood, NextStep, PodView, Said } from './types.ts';

interface Standing {
  readonly mood: Mood;
  readonly why?: string;
  readonly next?: NextStep;
}

export function podView(pod: Pod, said: Said): PodView {
  const { name = '', namespace = '', uid = '' } = pod.metadata ?? {};
  const statuses = allStatuses(pod);
  const lastDeath = lastDeathOf(pod, said);
  const node = pod.spec?.nodeName ?? '';
  return {
    name,
    namespace,
    uid,
    ...(node === '' ? {} : { node }),
    ...standingOf(pod),
    ready: isConditionTrue(pod.status?.conditions, 'Ready'),
    restarts: statuses.reduce((sum, { restartCount }) => sum + restartCount, 0),
    ...(lastDeath === undefined ? {} : { lastDeath }),
    ...(pauseOf(pod) === undefined ? {} : { paused: true as const }),
  };
}

function allStatuses({ status }: Pod): readonly ContainerStatus[] {
  return [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
}

function standingOf(pod: Pod): Standing {
  const { phase = 'Pending', reason, conditions } = pod.status ?? {};
  if (reason === 'NodeLost' || phase === 'Unknown') return { mood: 'unknown', why: 'its node is not heard of' };
  const deleted = parseTime(pod.metadata?.deletionTimestamp ?? undefined);
  if (deleted !== undefined) return { mood: 'ending', why: 'Terminating', next: { words: 'is killed', at: deleted } };
  if (phase === 'Succeeded') return { mood: 'done' };
  const stopped = findCondition(conditions, HEALING_STOPPED_CONDITION);
  if (stopped?.status === 'True')
    return { mood: 'stopped', why: told(stopped.message ?? 'the healing policy has ended') };
  if (phase === 'Failed') return { mood: 'stopped', why: told(reason ?? failureOf(pod) ?? 'Failed') };
  if (isConditionTrue(conditions, RESTARTING_CONDITION))
    return { mood: 'healing', why: 'Restarting', next: { words: 'the restart ends' } };
  const scheduled = findCondition(conditions, 'PodScheduled');
  if (scheduled?.status === 'False')
    return { mood: 'waiting', why: told(scheduled.message ?? scheduled.reason ?? 'unscheduled') };
  return stuckContainer(pod) ?? runningPod(pod);
}

/** A failed pod's first container that failed. */
function failureOf(pod: Pod): string | undefined {
  const failed = allStatuses(pod).find(({ state }) => (state?.terminated?.exitCode ?? 0) !== 0)?.state?.terminated;
  return failed === undefined ? undefined : deathWords(pod, undefined, failed);
}

/** Reasons of waiting that are part of every start. */
const NORMAL_WAITS = new Set(['ContainerCreating', 'PodInitializing', 'RestartingPod']);

function stuckContainer(pod: Pod): Standing | undefined {
  const waits = allStatuses(pod).flatMap((status) => {
    const waiting = status.state?.waiting;
    return waiting === undefined || NORMAL_WAITS.has(waiting.reason ?? 'ContainerCreating')
      ? []
      : [{ status, waiting }];
  });
  const stuck = waits.find(({ waiting }) => waiting.reason !== 'CrashLoopBackOff');
  if (stuck !== undefined) {
    const { reason = 'waiting', message } = stuck.waiting;
    if (reason === HEALING_PAUSED_REASON) return { mood: 'waiting', why: told(message ?? reason) };
    const next: NextStep | undefined = /^(?:ImagePullBackOff|ErrImagePull)$/.test(reason)
      ? { words: 'pulls again' }
      : undefined;
    return {
      mood: 'waiting',
      why: told(message === undefined ? reason : `${reason}: ${message}`),
      ...(next === undefined ? {} : { next }),
    };
  }
  if (waits.length === 0) return undefined;
  const times = waits.flatMap(({ status }) => backOffEnd(status) ?? []);
  const next = times.length === 0 ? { words: 'starts again' } : { words: 'starts again', at: Math.max(...times) };
  const rung = rungText(pod);
  return { mood: 'healing', why: `CrashLoopBackOff${rung === undefined ? '' : `; ${rung}`}`, next };
}

const RUNGS: Readonly<Record<string, string>> = {
  container: 'restarts of the container',
  containers: 'restarts of all containers',
  pod: 'restarts of the pod',
  node: 'another node',
};

/** Where the pod stands on its ladder: "2 of 3 restarts of the container, then the next rung". */
function rungText({ metadata }: Pod): string | undefined {
  const { rung, attempts, of } = parseHealingState(metadata?.annotations?.[HEALING_STATE]) ?? {};
  const words = RUNGS[rung ?? ''];
  if (words === undefined) return undefined;
  if (attempts === undefined || of === undefined) return `its policy tries ${words}`;
  return `${attempts} of ${of} ${words}, then the next rung of its policy`;
}

const BACK_OFF = /back-off (?:(\d+)h)?(?:(\d+)m)?(?:([\d.]+)s)? /;

/** When a crashed container starts again, as its message and its last end tell. */
export function backOffEnd({ state, lastState }: ContainerStatus): number | undefined {
  const ended = parseTime(lastState?.terminated?.finishedAt ?? undefined);
  const found = BACK_OFF.exec(state?.waiting?.message ?? '');
  if (ended === undefined || found === null) return undefined;
  const [hours, minutes, seconds] = found.slice(1, 4).map((part) => Number(part ?? 0));
  return ended + (((hours ?? 0) * 60 + (minutes ?? 0)) * 60 + (seconds ?? 0)) * 1000;
}

function runningPod(pod: Pod): Standing {
  const { phase = 'Pending', conditions, containerStatuses = [] } = pod.status ?? {};
  if (isConditionTrue(conditions, 'Ready')) return { mood: 'ok' };
  const again = containerStatuses.some(({ state, restartCount }) => restartCount > 0 && state?.running === undefined);
  if (again) return { mood: 'healing', why: 'starts again' };
  const init = waitsForInit(pod);
  if (phase === 'Pending') return { mood: 'starting', ...(init === undefined ? {} : { why: init }) };
  const early = containerStatuses.find(({ started, state }) => state?.running !== undefined && started !== true);
  if (early !== undefined) return startingUp(pod, early);
  const unready = containerStatuses.find(({ ready, state }) => !ready && state?.running !== undefined);
  if (unready !== undefined) return unreadyNow(pod, unready);
  const ended = containerStatuses.find(({ state }) => (state?.terminated?.exitCode ?? 0) !== 0);
  if (ended !== undefined) return { mood: 'healing', why: `${ended.name} ended` };
  const gate = findCondition(conditions, 'Ready')?.message;
  return { mood: 'unready', why: told(gate ?? 'not ready') };
}

/** How long its startup probe goes on: after that it is killed. */
function startingUp({ spec }: Pod, { name, state }: ContainerStatus): Standing {
  const standing = { mood: 'starting', why: `startup probe of ${name}` } as const;
  const probe = spec?.containers.find((container) => container.name === name)?.startupProbe ?? undefined;
  const startedAt = parseTime(state?.running?.startedAt ?? undefined);
  if (probe === undefined || startedAt === undefined) return standing;
  const { initialDelaySeconds = 0, periodSeconds = 10, failureThreshold = 3 } = probe;
  const at = startedAt + (initialDelaySeconds + periodSeconds * failureThreshold) * 1000;
  return { ...standing, next: { words: 'is killed, unless its startup probe succeeds', at } };
}

function unreadyNow({ spec }: Pod, { name }: ContainerStatus): Standing {
  const standing = { mood: 'unready', why: `readiness probe of ${name}` } as const;
  const probe = spec?.containers.find((container) => container.name === name)?.readinessProbe ?? undefined;
  if (probe === undefined) return standing;
  return { ...standing, next: { words: `is probed every ${probe.periodSeconds ?? 10} s` } };
}

/** The init container that runs. */
function waitsForInit({ spec, status }: Pod): string | undefined {
  const names = new Set(
    (spec?.initContainers ?? []).filter((each) => !isRestartableInit(each)).map(({ name }) => name),
  );
  const running = (status?.initContainerStatuses ?? []).find(
    ({ name, state }) => names.has(name) && state?.running !== undefined,
  );
  return running === undefined ? undefined : `init container ${running.name}`;
}

function told(text: string): string {
  return visibleLine(text).slice(0, MAX_WORDS);
}
