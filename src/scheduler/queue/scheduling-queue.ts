/**
 * Pods that wait for a node.
 *
 *   add ──► active ──pop──► in flight ──► gone (bound)
 *             ▲                │ fits nowhere              │ error
 *             │                ▼                           ▼
 *             │◄─ may help ─ unschedulable ─ may help ──► backoff ──► active, when its time has come
 *             │◄─ after five minutes ──┘
 *
 * Active pods are popped by priority, then in order of arrival. When there are none, pods in back-off may be tried early. Each
 * waiting place has one timer, and none while it is empty.
 */
import {
  type BucketShape,
  type Clock,
  exponentialDelay,
  fullBucket,
  type Timer,
  type TokenBucket,
  tryTake,
} from '../../lib/index.ts';
import type { PodInfo } from '../cluster/pod-info.ts';
import type { FilterName } from '../filter/filter.ts';
import { BIND_BACK_OFF, EARLY_RETRIES, POD_BACK_OFF, UNSCHEDULABLE_FLUSH_MS } from '../limits.ts';
import { PodHeap } from './pod-heap.ts';
import type { QueuedPod, QueuePlace } from './queued-pod.ts';

/** A pod due within this time counts as due: sums of fractions are not exact, and a timer may fire a hair early. */
const TIMER_SLACK_MS = 1;

export type WaitingPlace = Exclude<QueuePlace, 'in-flight'>;

export interface SchedulingQueueOptions {
  readonly clock: Clock;
  /** Called when there is a pod to pop. */
  readonly onReady: () => void;
  /** Called when an event put a pod into a waiting place; for metrics. */
  readonly onIncoming?: (place: WaitingPlace, event: string) => void;
  /** The pods that may be tried before their back-off is over, when no other pod waits. */
  readonly earlyRetries?: BucketShape;
}

export class SchedulingQueue {
  readonly #options: SchedulingQueueOptions;
  readonly #pods = new Map<string, QueuedPod>();
  readonly #active = new PodHeap(comesBefore);
  readonly #backOff = new PodHeap((a, b) => a.backOffUntil < b.backOffUntil);
  /** In order of `since`. */
  readonly #unschedulable = new Set<QueuedPod>();
  readonly #held = new Set<QueuedPod>();
  #backOffTimer: { readonly at: number; readonly timer: Timer } | undefined;
  #flushTimer: Timer | undefined;
  readonly #earlyShape: BucketShape;
  #early: TokenBucket;
  #orders = 0;
  #closed = false;

  constructor(options: SchedulingQueueOptions) {
    this.#options = options;
    this.#earlyShape = options.earlyRetries ?? EARLY_RETRIES;
    this.#early = fullBucket(this.#earlyShape, options.clock.now().mono);
  }

  /** The number of pods in each waiting place. */
  get sizes(): Readonly<Record<WaitingPlace, number>> {
    return { active: this.#active.size, backoff: this.#backOff.size, unschedulable: this.#unschedulable.size };
  }

  get(key: string): QueuedPod | undefined {
    return this.#pods.get(key);
  }

  /** Adds a new pod. A known pod only gets its new version. */
  add(info: PodInfo, event: string): void {
    const known = this.#pods.get(info.key);
    if (known !== undefined) {
      this.update(info);
      return;
    }
    const pod: QueuedPod = {
      key: info.key,
      info,
      place: 'in-flight',
      since: 0,
      order: 0,
      attempts: 0,
      errors: 0,
      backOffUntil: 0,
      rejectedBy: new Set(),
      moved: false,
    };
    this.#pods.set(info.key, pod);
    this.#activate(pod, event);
  }

  /** Stores a new version of the pod whose change cannot make it fit. */
  update(info: PodInfo): void {
    const pod = this.#pods.get(info.key);
    if (pod === undefined) return;
    const wasActive = pod.place === 'active';
    // The heap's order depends on the priority, which may have changed.
    if (wasActive) this.#active.remove(pod);
    pod.info = info;
    if (wasActive) this.#active.add(pod);
  }

  /** Removes a pod that needs no node any more. */
  delete(key: string): void {
    const pod = this.#pods.get(key);
    if (pod === undefined) return;
    this.#pods.delete(key);
    this.#leave(pod);
  }

  /** Removes a pod that has its node. Another pod that has its name by now stays. */
  done(pod: QueuedPod): void {
    if (this.#pods.get(pod.key) === pod) this.delete(pod.key);
  }

  /** Takes the next pod, which is in flight from now on: `done`, `hold` or `fail` must follow. */
  pop(): QueuedPod | undefined {
    const pod = this.#active.pop() ?? this.#takeEarly();
    if (pod === undefined) return undefined;
    pod.place = 'in-flight';
    pod.attempts += 1;
    pod.moved = false;
    return pod;
  }

  /** The pod fits nowhere. It stays in flight until `release`; events that may help it meanwhile are remembered. */
  hold(pod: QueuedPod, rejectedBy: ReadonlySet<FilterName>): void {
    if (this.#pods.get(pod.key) !== pod) return;
    const { mono } = this.#options.clock.now();
    pod.rejectedBy = rejectedBy;
    pod.errors = 0;
    pod.backOffUntil = mono + exponentialDelay(POD_BACK_OFF, pod.attempts);
    this.#stamp(pod, mono);
    this.#held.add(pod);
  }

  /** Ends `hold`: the pod waits until `move` or `moveOne` is called for it, unless that has happened already. */
  release(pod: QueuedPod): void {
    if (!this.#held.delete(pod)) return;
    if (pod.moved) {
      this.#backOffOrActivate(pod, 'ScheduleAttemptFailure');
      return;
    }
    pod.place = 'unschedulable';
    this.#unschedulable.add(pod);
    this.#planFlush();
    this.#options.onIncoming?.('unschedulable', 'ScheduleAttemptFailure');
  }

  /** The attempt failed for a reason outside the pod: it is tried again after a short back-off that grows. */
  fail(pod: QueuedPod): void {
    if (this.#pods.get(pod.key) !== pod) return;
    const { mono } = this.#options.clock.now();
    pod.errors += 1;
    pod.backOffUntil = mono + exponentialDelay(BIND_BACK_OFF, pod.errors);
    this.#stamp(pod, mono);
    this.#backOffOrActivate(pod, 'ScheduleAttemptFailure');
  }

  /** Moves the pods for which `helps` returns true to the active pods or into back-off. */
  move(event: string, helps: (pod: QueuedPod) => boolean): void {
    for (const pod of this.#held) if (!pod.moved && helps(pod)) pod.moved = true;
    for (const pod of this.#unschedulable) {
      if (!helps(pod)) continue;
      this.#leave(pod);
      this.#backOffOrActivate(pod, event);
    }
  }

  /** Moves this pod as `move` does, whatever its place. */
  moveOne(key: string, event: string): void {
    const pod = this.#pods.get(key);
    if (pod === undefined) return;
    if (pod.place === 'in-flight') {
      pod.moved = true;
    } else if (pod.place === 'unschedulable') {
      this.#leave(pod);
      this.#backOffOrActivate(pod, event);
    }
  }

  /** Stops the timers. */
  close(): void {
    this.#closed = true;
    this.#backOffTimer?.timer.cancel();
    this.#flushTimer?.cancel();
  }

  /**
   * Back-off lets other pods go first. When no other pod is active, a pod in back-off is tried at once (upstream does so since
   * 1.33). The rate is bounded, because many pods that wait for the same room would make a hot loop of every change.
   */
  #takeEarly(): QueuedPod | undefined {
    if (this.#backOff.size === 0) return undefined;
    const { ok, bucket } = tryTake(this.#early, this.#earlyShape, this.#options.clock.now().mono);
    if (!ok) return undefined;
    let first: QueuedPod | undefined;
    for (const pod of this.#backOff.items()) {
      if (pod.errors === 0 && (first === undefined || comesBefore(pod, first))) first = pod;
    }
    if (first === undefined) return undefined;
    this.#early = bucket;
    this.#leave(first);
    return first;
  }

  #backOffOrActivate(pod: QueuedPod, event: string): void {
    if (pod.backOffUntil <= this.#options.clock.now().mono) {
      this.#activate(pod, event);
      return;
    }
    pod.place = 'backoff';
    this.#backOff.add(pod);
    this.#planBackOff();
    this.#options.onIncoming?.('backoff', event);
    if (!this.#closed && pod.errors === 0) this.#options.onReady();
  }

  #activate(pod: QueuedPod, event: string): void {
    this.#stamp(pod, this.#options.clock.now().mono);
    pod.place = 'active';
    this.#active.add(pod);
    this.#options.onIncoming?.('active', event);
    if (!this.#closed) this.#options.onReady();
  }

  #leave(pod: QueuedPod): void {
    this.#active.remove(pod);
    this.#backOff.remove(pod);
    this.#unschedulable.delete(pod);
    this.#held.delete(pod);
    if (this.#unschedulable.size === 0) {
      this.#flushTimer?.cancel();
      this.#flushTimer = undefined;
    }
    if (this.#backOff.size === 0) {
      this.#backOffTimer?.timer.cancel();
      this.#backOffTimer = undefined;
    }
    pod.place = 'in-flight';
  }

  #stamp(pod: QueuedPod, mono: number): void {
    pod.since = mono;
    pod.order = this.#orders;
    this.#orders += 1;
  }

  #planBackOff(): void {
    const first = this.#backOff.peek();
    if (this.#closed || first === undefined) return;
    if (this.#backOffTimer !== undefined && this.#backOffTimer.at <= first.backOffUntil) return;
    this.#backOffTimer?.timer.cancel();
    const timer = this.#options.clock.setTimer(first.backOffUntil - this.#options.clock.now().mono, () => {
      this.#backOffTimer = undefined;
      this.#endBackOffs();
    });
    this.#backOffTimer = { at: first.backOffUntil, timer };
  }

  #endBackOffs(): void {
    const now = this.#options.clock.now().mono + TIMER_SLACK_MS;
    for (let pod = this.#backOff.peek(); pod !== undefined && pod.backOffUntil <= now; pod = this.#backOff.peek()) {
      this.#leave(pod);
      this.#activate(pod, 'BackoffComplete');
    }
    this.#planBackOff();
  }

  #planFlush(): void {
    const [first] = this.#unschedulable;
    if (this.#closed || first === undefined || this.#flushTimer !== undefined) return;
    const delayMs = first.since + UNSCHEDULABLE_FLUSH_MS - this.#options.clock.now().mono;
    this.#flushTimer = this.#options.clock.setTimer(delayMs, () => {
      this.#flushTimer = undefined;
      this.#flush();
    });
  }

  #flush(): void {
    const due = this.#options.clock.now().mono - UNSCHEDULABLE_FLUSH_MS + TIMER_SLACK_MS;
    for (const pod of this.#unschedulable) {
      if (pod.since > due) break;
      this.#leave(pod);
      this.#backOffOrActivate(pod, 'UnschedulableTimeout');
    }
    this.#planFlush();
  }
}

/** Orders by priority, then by waiting time. */
function comesBefore(a: QueuedPod, b: QueuedPod): boolean {
  return (b.info.priority - a.info.priority || a.since - b.since || a.order - b.order) < 0;
}
