/** Pods of stateful sets that keep failing are replaced ever more slowly, and an event says so. */
import { isDeleting, nameOf, type Pod, type StatefulSet, uidOf } from '../../api/index.ts';
import { type EventRecorder, referenceTo } from '../../client/index.ts';
import type { Clock } from '../../lib/index.ts';
import { FailedPodBackOff } from '../pods/failed-pod-back-off.ts';
import { isPodTerminal } from '../pods/pod-state.ts';

/** Keys are sets. */
export class SetBackOff {
  readonly #clock: Clock;
  readonly #events: EventRecorder;
  readonly #backOff = new FailedPodBackOff();
  /** Set → which version of its wishes the back-off is of. */
  readonly #versions = new Map<string, string>();
  /** Set → UIDs of the failed pods whose wait was reported. */
  readonly #told = new Map<string, ReadonlySet<string>>();

  constructor(clock: Clock, events: EventRecorder) {
    this.#clock = clock;
    this.#events = events;
  }

  /** Before each plan: a changed set is reset; a wait is reported once. */
  look(key: string, set: StatefulSet, pods: readonly Pod[]): void {
    const version = `${uidOf(set)}/${set.metadata?.generation ?? 0}`;
    if (this.#versions.get(key) !== version) this.#backOff.forget(key);
    this.#versions.set(key, version);
    const waiting = pods.filter((pod) => isPodTerminal(pod) && !isDeleting(pod) && this.waitMs(key, nameOf(pod)) > 0);
    const told = this.#told.get(key);
    for (const pod of waiting) if (told?.has(uidOf(pod)) !== true) this.#tell(key, set, pod);
    if (waiting.length === 0) this.#told.delete(key);
    else this.#told.set(key, new Set(waiting.map(uidOf)));
  }

  waitMs(key: string, pod: string): number {
    return this.#backOff.waitMs(key, pod, this.#clock.now().mono);
  }

  beforeDeletion(key: string, pod: Pod): void {
    if (isPodTerminal(pod)) this.#backOff.next(key, nameOf(pod), this.#clock.now().mono);
  }

  forget(key: string): void {
    this.#backOff.forget(key);
    this.#versions.delete(key);
    this.#told.delete(key);
  }

  #tell(key: string, set: StatefulSet, pod: Pod): void {
    const { reason = 'Failed', message = '' } = pod.status ?? {};
    const why = message === '' ? reason : `${reason}: ${message}`;
    const seconds = Math.ceil(this.waitMs(key, nameOf(pod)) / 1000);
    const text = `Back-off recreating Pod ${nameOf(pod)} for ${seconds}s: it failed again (${why})`;
    this.#events.event(referenceTo(set), 'Warning', 'BackOff', text);
  }
}
