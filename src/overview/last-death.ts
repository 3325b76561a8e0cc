/** How a pod last died, in words. Pure. */
import { type ContainerStatus, findCondition, HEALING_STATE, parseHealingState, type Pod } from '../api/index.ts';
import { parseTime, visibleLine } from '../lib/index.ts';
import { MAX_WORDS, READY_AFTER_MS, REQUESTED_START_MS } from './limits.ts';
import type { LastDeath, Said } from './types.ts';

type Terminated = NonNullable<NonNullable<ContainerStatus['state']>['terminated']>;

/** The newest end that was none of its job; init containers end with 0 all the time. */
export function lastDeathOf(pod: Pod, said: Said): LastDeath | undefined {
  const { initContainerStatuses = [], containerStatuses = [] } = pod.status ?? {};
  const inits = new Set(initContainerStatuses);
  const ends = [...initContainerStatuses, ...containerStatuses].flatMap((status) => {
    const ended = status.state?.terminated ?? status.lastState?.terminated;
    const at = parseTime(ended?.finishedAt ?? undefined);
    if (ended === undefined || at === undefined) return [];
    const isWell = ended.exitCode === 0 && (inits.has(status) || mayEnd(pod));
    return isWell || endedForRestart(pod, status, at) ? [] : [{ status, ended, at }];
  });
  const [last] = ends.toSorted((a, b) => b.at - a.at);
  if (last === undefined) return undefined;
  const { status, ended, at } = last;
  const back = backAt(pod, status);
  return {
    pod: pod.metadata?.name ?? '',
    container: status.name,
    at,
    words: deathWords(pod, status.name, ended, said(ended.containerID ?? '')),
    ...(back === undefined ? {} : { healedMs: Math.max(0, back - at) }),
  };
}

/**
 * Wall ms: when the container was ready again, undefined while it is not. The pod's own time of that is newer where the pod was not
 * ready in between; a much later one belongs to something else.
 */
function backAt(pod: Pod, { ready, state }: ContainerStatus): number | undefined {
  const runs = parseTime(state?.running?.startedAt ?? undefined);
  if (runs === undefined || !ready) return undefined;
  const { status: is, lastTransitionTime } = findCondition(pod.status?.conditions, 'Ready') ?? {};
  const readyAt = is === 'True' ? parseTime(lastTransitionTime ?? undefined) : undefined;
  return readyAt !== undefined && readyAt > runs && readyAt - runs <= READY_AFTER_MS ? readyAt : runs;
}

/**
 * A restart that somebody requested has ended it, as far as the pod tells: such a restart is over when all of it has started, so this
 * start is shortly before the end of one.
 */
function endedForRestart({ metadata }: Pod, { state }: ContainerStatus, endedAt: number): boolean {
  const startedAt = parseTime(state?.running?.startedAt ?? undefined);
  if (startedAt === undefined) return false;
  const { restarts = [] } = parseHealingState(metadata?.annotations?.[HEALING_STATE]) ?? {};
  return restarts.some(({ reason, at }) => {
    const over = parseTime(at);
    if (reason !== 'Restarted' || over === undefined) return false;
    return endedAt <= over && startedAt <= over && over - startedAt <= REQUESTED_START_MS;
  });
}

/** Exit code 0 is no failure of a program that may end. */
function mayEnd({ spec }: Pod): boolean {
  return (spec?.restartPolicy ?? 'Always') !== 'Always';
}

/** @param own the program's own words */
export function deathWords(pod: Pod, container: string | undefined, ended: Terminated, own?: string): string {
  const { reason = 'Error', exitCode, signal, message } = ended;
  const words = (own ?? '') || (message ?? '');
  return visibleLine(headOf(pod, container, { reason, exitCode, signal }, words)).slice(0, MAX_WORDS);
}

function headOf(
  pod: Pod,
  container: string | undefined,
  {
    reason,
    exitCode,
    signal,
  }: { readonly reason: string; readonly exitCode: number; readonly signal?: number | undefined },
  words: string,
): string {
  if (reason === 'OOMKilled') {
    const limit = pod.spec?.containers.find(({ name }) => name === container)?.resources?.limits?.['memory'];
    return limit === undefined ? 'out of memory' : `out of memory (limit ${limit})`;
  }
  if (!['Error', 'Completed'].includes(reason)) return words === '' ? reason : `${reason}: ${words}`;
  const number =
    signal !== undefined && signal > 0 ? signal : exitCode > 128 && exitCode < 160 ? exitCode - 128 : undefined;
  const code =
    exitCode === 0 ? 'ended with exit code 0' : number === undefined ? `exit code ${exitCode}` : `signal ${number}`;
  return words === '' ? code : `${code}: ${words}`;
}
