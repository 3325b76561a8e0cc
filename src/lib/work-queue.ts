/**
 * A keyed work queue: pod workers and controllers both run on it.
 *
 *   add, addAt ──► waiting (one timer per key, the earliest wins) ──► ready (FIFO) ──► in flight ──► done
 *                                                                      ▲                  │ added meanwhile
 *                                                                      └──────────────────┘
 *
 * One key is never handled twice at once; duplicates merge; a key added while in flight runs again afterwards. A run now
 * replaces a later wake-up, because handlers are level-triggered and ask for their next wake-up themselves. The size is
 * bounded by
 * the number of distinct keys.
 */
import { exponentialDelay, type BackOffShape } from './back-off.ts';
import type { Clock, Timer } from './clock.ts';
import { assert } from './errors.ts';
import { fullBucket, reserve, type BucketShape, type TokenBucket } from './token-bucket.ts';

/** Receives a queue's figures for metrics. */
export interface WorkQueueObserver {
  added(depth: number): void;
  /** A key was taken after it had been ready for `waitedMs`. */
  taken(depth: number, waitedMs: number): void;
  finished(workedMs: number): void;
  retried(): void;
}

export interface WorkQueueOptions {
  readonly clock: Clock;
  /** Per-key back-off of `addRateLimited`; default 5 ms doubling to 1000 s (client-go's). */
  readonly backOff?: BackOffShape;
  /** Limits all rate-limited re-adds together (client-go: 10 per second, burst 100). Absent: no limit. */
  readonly bucket?: BucketShape;
  readonly observer?: WorkQueueObserver;
}

const DEFAULT_BACK_OFF: BackOffShape = { baseMs: 5, capMs: 1_000_000 };

interface Waiting {
  readonly at: number;
  readonly timer: Timer;
}

export class WorkQueue<K> {
  readonly #clock: Clock;
  readonly #backOff: BackOffShape;
  readonly #bucketShape: BucketShape | undefined;
  readonly #observer: WorkQueueObserver | undefined;
  readonly #waiting = new Map<K, Waiting>();
  /** Key → mono ms since when it is ready. */
  readonly #ready = new Map<K, number>();
  /** Key → mono ms since when it is in flight. */
  readonly #inFlight = new Map<K, number>();
  readonly #again = new Set<K>();
  readonly #failures = new Map<K, number>();
  #bucket: TokenBucket | undefined;
  #closed = false;
  #onReady: (() => void) | undefined;

  constructor(options: WorkQueueOptions) {
    this.#clock = options.clock;
    this.#backOff = options.backOff ?? DEFAULT_BACK_OFF;
    this.#bucketShape = options.bucket;
    this.#observer = options.observer;
  }

  /** Makes the key ready, to be handled as soon as possible. It has no effect after `close`. */
  add(key: K): void {
    if (this.#closed) return;
    this.#cancelWaiting(key);
    if (this.#inFlight.has(key)) {
      this.#again.add(key);
      return;
    }
    if (this.#ready.has(key)) return;
    this.#ready.set(key, this.#clock.now().mono);
    this.#observer?.added(this.#ready.size);
    this.#onReady?.();
  }

  /** Plans the key for `mono` (ms); an earlier planned wake-up stays. A past time counts as now. */
  addAt(key: K, mono: number): void {
    if (this.#closed || this.#ready.has(key) || this.#again.has(key)) return;
    const delayMs = mono - this.#clock.now().mono;
    if (delayMs <= 0) {
      this.add(key);
      return;
    }
    const planned = this.#waiting.get(key);
    if (planned !== undefined && planned.at <= mono) return;
    planned?.timer.cancel();
    const timer = this.#clock.setTimer(delayMs, () => this.add(key));
    this.#waiting.set(key, { at: mono, timer });
  }

  addAfter(key: K, delayMs: number): void {
    this.addAt(key, this.#clock.now().mono + delayMs);
  }

  /** Adds the key after its back-off, which grows with every call until `forget`. */
  addRateLimited(key: K): void {
    if (this.#closed) return;
    const failures = (this.#failures.get(key) ?? 0) + 1;
    this.#failures.set(key, failures);
    this.#observer?.retried();
    const mono = this.#clock.now().mono;
    const delayMs = Math.max(exponentialDelay(this.#backOff, failures), this.#reserveToken(mono));
    this.addAt(key, mono + delayMs);
  }

  /** Resets the key's back-off after a success. */
  forget(key: K): void {
    this.#failures.delete(key);
  }

  /** Rate-limited re-adds since the last `forget`. */
  retries(key: K): number {
    return this.#failures.get(key) ?? 0;
  }

  /** Drops a key with its wake-up, re-run and back-off. A run in flight is not stopped. */
  discard(key: K): void {
    this.#cancelWaiting(key);
    this.#ready.delete(key);
    this.#again.delete(key);
    this.#failures.delete(key);
  }

  /** Takes the next ready key, which is in flight until the caller calls `done`. `undefined`: none is ready. */
  take(): K | undefined {
    for (const [key, since] of this.#ready) {
      const mono = this.#clock.now().mono;
      this.#ready.delete(key);
      this.#inFlight.set(key, mono);
      this.#observer?.taken(this.#ready.size, mono - since);
      return key;
    }
    return undefined;
  }

  done(key: K): void {
    const since = this.#inFlight.get(key);
    assert(since !== undefined, 'done of a key that is not in flight');
    this.#inFlight.delete(key);
    this.#observer?.finished(this.#clock.now().mono - since);
    if (this.#again.delete(key)) this.add(key);
  }

  /** Sets the one listener, which is called whenever a key becomes ready. It must not run handlers synchronously. */
  onReady(listener: () => void): void {
    this.#onReady = listener;
  }

  /** Closes the queue and cancels planned wake-ups. */
  close(): void {
    this.#closed = true;
    for (const { timer } of this.#waiting.values()) timer.cancel();
    this.#waiting.clear();
    this.#ready.clear();
    this.#again.clear();
    this.#onReady?.();
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** The number of keys that are ready and not taken yet. */
  get depth(): number {
    return this.#ready.size;
  }

  /** Keys in flight, each with the mono ms since when. */
  get inFlight(): ReadonlyMap<K, number> {
    return this.#inFlight;
  }

  /** Mono ms of the key's planned wake-up, if it is waiting. */
  wakeAt(key: K): number | undefined {
    return this.#waiting.get(key)?.at;
  }

  #cancelWaiting(key: K): void {
    this.#waiting.get(key)?.timer.cancel();
    this.#waiting.delete(key);
  }

  #reserveToken(mono: number): number {
    if (this.#bucketShape === undefined) return 0;
    const step = reserve(this.#bucket ?? fullBucket(this.#bucketShape, mono), this.#bucketShape, mono);
    this.#bucket = step.bucket;
    return step.delayMs;
  }
}

export interface RunWorkQueueOptions<K> {
  readonly queue: WorkQueue<K>;
  /** Number of handlers at once. */
  readonly concurrency: number;
  /** Handles a key. The result `'retry'` adds it again, rate-limited; any other result resets its back-off. */
  readonly handler: (key: K) => Promise<'retry' | void>;
  /** Called when a handler rejects, which is a bug to report. The key is retried, rate-limited. */
  readonly onPanic: (key: K, error: unknown) => void;
}

/** Runs handlers until the queue is closed; resolves when the last one in flight ended. */
export function runWorkQueue<K>({ queue, concurrency, handler, onPanic }: RunWorkQueueOptions<K>): Promise<void> {
  assert(concurrency >= 1, 'a work queue needs a concurrency of at least 1');
  const { promise, resolve } = Promise.withResolvers<void>();
  let running = 0;
  let pumpPlanned = false;
  const pump = (): void => {
    pumpPlanned = false;
    while (running < concurrency) {
      const key = queue.take();
      if (key === undefined) break;
      running += 1;
      void run(key);
    }
    if (queue.closed && running === 0) resolve();
  };
  // A microtask keeps handlers off the stack of the caller of `add`, and merges several adds.
  const planPump = (): void => {
    if (pumpPlanned) return;
    pumpPlanned = true;
    void Promise.resolve().then(pump);
  };
  const run = async (key: K): Promise<void> => {
    try {
      const outcome = await handler(key);
      if (outcome === 'retry') queue.addRateLimited(key);
      else queue.forget(key);
    } catch (error) {
      onPanic(key, error);
      queue.addRateLimited(key);
    }
    running -= 1;
    queue.done(key);
    planPump();
  };
  queue.onReady(planPump);
  planPump();
  return promise;
}
