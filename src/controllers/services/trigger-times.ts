/**
 * The time of the earliest change since an endpoints object was last looked at, for clients that measure how long endpoints
 * take to be programmed. Upstream: TriggerTimeTracker.
 */
import { findCondition, nameOf, type Pod, type Service } from '../../api/index.ts';
import { formatTime, parseTime } from '../../lib/index.ts';

export const TRIGGER_TIME_ANNOTATION = 'endpoints.kubernetes.io/last-change-trigger-time';

interface Seen {
  readonly service: number;
  /** Pod name → wall ms. */
  readonly pods: ReadonlyMap<string, number>;
}

export class TriggerTimes {
  readonly #seen = new Map<string, Seen>();

  /** Remembers the present state; returns the earliest new time, RFC 3339. */
  next(key: string, service: Service, pods: readonly Pod[]): string | undefined {
    const before = this.#seen.get(key);
    const created = parseTime(service.metadata?.creationTimestamp) ?? 0;
    const times = new Map<string, number>();
    const fresh: number[] = [];
    for (const pod of pods) {
      const time = parseTime(findCondition(pod.status?.conditions, 'Ready')?.lastTransitionTime);
      if (time === undefined) continue;
      times.set(nameOf(pod), time);
      if (time > (before?.pods.get(nameOf(pod)) ?? 0)) fresh.push(time);
    }
    if (created > (before?.service ?? 0)) fresh.push(created);
    this.#seen.set(key, { service: created, pods: times });
    const time = before === undefined ? created : fresh.reduce((a, b) => Math.min(a, b), Infinity);
    return time > 0 && Number.isFinite(time) ? formatTime(time) : undefined;
  }

  forget(key: string): void {
    this.#seen.delete(key);
  }
}

/** The annotations with the trigger time in them, or without one when nothing new is known. */
export function withTriggerTime(
  annotations: Readonly<Record<string, string>> | undefined,
  time: string | undefined,
): Record<string, string> {
  const { [TRIGGER_TIME_ANNOTATION]: _, ...others } = annotations ?? {};
  return time === undefined ? others : { ...others, [TRIGGER_TIME_ANNOTATION]: time };
}
