/**
 * Decides whether a pod is told that a dependency became ready: if one of its containers waits in a back-off after a death
 * that came before. It compares states and not events, so that a controller that was away misses nothing. Pure.
 */
import {
  type ContainerStatus,
  HEALING_POLICY,
  isBackOffReason,
  isDeleting,
  type Pod,
  RECOVERY,
  readRecoverySignal,
  type RecoverySignal,
} from '../../api/index.ts';
import { parseDocument, parseTime } from '../../lib/index.ts';
import { isPodTerminal } from '../pods/pod-state.ts';
import { RECOVERY_AFTERMATH_MS } from './limits.ts';

/** Something the pod depends on, ready since then (wall ms). */
export interface ReadyDependency {
  /** "service/db". */
  readonly text: string;
  readonly since: number;
}

/** @param now wall ms */
export function planRecovery(pod: Pod, ready: readonly ReadyDependency[], now: number): RecoverySignal | undefined {
  const told = toldUntil(pod, now);
  const news = ready.filter(({ since }) => since > told).sort((a, b) => b.since - a.since);
  const [newest] = news;
  if (newest === undefined || isDeleting(pod) || isPodTerminal(pod)) return undefined;
  if (!statusesOf(pod).some((status) => waitsFor(pod, status, newest.since)) || declines(pod)) return undefined;
  const at = new Date(newest.since).toISOString();
  return { id: `${newest.text}@${at}`, at, cause: `${news.map(({ text }) => text).join(', ')} became ready` };
}

/** Wall ms: dependencies that became ready until then have been reported. A time in the future is a mistake. */
function toldUntil({ metadata }: Pod, now: number): number {
  const text = metadata?.annotations?.[RECOVERY];
  const reading = text === undefined ? undefined : readRecoverySignal(text);
  const at = reading?.ok === true ? parseTime(reading.signal.at) : undefined;
  return at === undefined || at > now ? Number.NEGATIVE_INFINITY : at;
}

function statusesOf({ status }: Pod): readonly ContainerStatus[] {
  return [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
}

/** Its last life began before `since`, and ended before or soon after. Times in a status are whole seconds. */
function waitsFor({ metadata }: Pod, { state, lastState }: ContainerStatus, since: number): boolean {
  if (!isBackOffReason(state?.waiting?.reason)) return false;
  const death = lastState?.terminated;
  const began = parseTime(death?.startedAt ?? metadata?.creationTimestamp) ?? 0;
  const ended = parseTime(death?.finishedAt) ?? 0;
  return began <= since && ended <= since + RECOVERY_AFTERMATH_MS;
}

/** The agent would not listen. */
function declines({ metadata }: Pod): boolean {
  const text = metadata?.annotations?.[HEALING_POLICY];
  if (text === undefined) return false;
  try {
    const policy: unknown = parseDocument({ text, line: 1 });
    return typeof policy === 'object' && policy !== null && Reflect.get(policy, 'lateRecovery') === 'Never';
  } catch {
    return false;
  }
}
