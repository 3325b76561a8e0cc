/** Deletes keys when their time is over, by ordinary deletes that name the revision, so a newer write wins. */
import type { Clock, Timer } from '../lib/index.ts';
import { EXPIRY_BATCH, EXPIRY_RETRY_MS } from './limits.ts';

interface Due {
  readonly key: string;
  readonly revision: number;
  /** Monotonic ms. */
  readonly dueMs: number;
}

export interface ExpiryOptions {
  readonly clock: Clock;
  /** Deletes the key if that is still its revision; rejects when it could not be tried. */
  readonly expire: (key: string, revision: number) => Promise<unknown>;
}

/** One timer, for the earliest of all; keys wait in a binary heap, each at most once. */
export class Expiry {
  readonly #clock: Clock;
  readonly #expire: ExpiryOptions['expire'];
  /** The truth per key; the heap may hold an older time, which is then put back. */
  readonly #due = new Map<string, Due>();
  readonly #heap: Due[] = [];
  #timer: Timer | undefined;
  #timerDueMs = 0;
  #running = false;
  #closed = false;

  constructor(options: ExpiryOptions) {
    this.#clock = options.clock;
    this.#expire = options.expire;
  }

  /** The write of `key` at `revision` ends `ttlMs` from now. */
  set(key: string, revision: number, ttlMs: number): void {
    const due: Due = { key, revision, dueMs: this.#clock.now().mono + Math.max(0, ttlMs) };
    const known = this.#due.get(key);
    this.#due.set(key, due);
    // A later time is found when the earlier one comes up; an earlier time needs a place of its own.
    if (known === undefined || due.dueMs < known.dueMs) this.#push(due);
    this.#plan();
  }

  /** The key was written without an end, or deleted. */
  clear(key: string): void {
    this.#due.delete(key);
  }

  close(): void {
    this.#closed = true;
    this.#timer?.cancel();
    this.#due.clear();
    this.#heap.length = 0;
  }

  #plan(): void {
    const first = this.#heap[0];
    if (first === undefined || this.#running || this.#closed) return;
    if (this.#timer !== undefined && this.#timerDueMs <= first.dueMs) return;
    this.#timer?.cancel();
    this.#timerDueMs = first.dueMs;
    this.#timer = this.#clock.setTimer(first.dueMs - this.#clock.now().mono, () => {
      this.#timer = undefined;
      void this.#run();
    });
  }

  async #run(): Promise<void> {
    this.#running = true;
    const batch = this.#takeDue();
    const outcomes = await Promise.allSettled(batch.map((due) => this.#expire(due.key, due.revision)));
    this.#running = false;
    if (this.#closed) return;
    for (const [index, outcome] of outcomes.entries()) {
      const due = batch[index];
      if (due === undefined || this.#due.get(due.key) !== due) continue;
      this.#due.delete(due.key);
      // The store is full or away: the key stays until a later try.
      if (outcome.status === 'rejected') this.set(due.key, due.revision, EXPIRY_RETRY_MS);
    }
    this.#plan();
  }

  #takeDue(): Due[] {
    const now = this.#clock.now().mono;
    const batch: Due[] = [];
    while (batch.length < EXPIRY_BATCH) {
      const first = this.#heap[0];
      if (first === undefined || first.dueMs > now) break;
      this.#pop();
      const due = this.#due.get(first.key);
      if (due === undefined) continue;
      if (due.dueMs > now) this.#push(due);
      else if (!batch.includes(due)) batch.push(due);
    }
    return batch;
  }

  #push(due: Due): void {
    const heap = this.#heap;
    let index = heap.length;
    heap.push(due);
    while (index > 0) {
      const parent = (index - 1) >> 1;
      const above = heap[parent];
      if (above === undefined || above.dueMs <= due.dueMs) break;
      heap[index] = above;
      index = parent;
    }
    heap[index] = due;
  }

  #pop(): void {
    const heap = this.#heap;
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return;
    let index = 0;
    for (;;) {
      let child = 2 * index + 1;
      const right = heap[child + 1];
      let below = heap[child];
      if (below !== undefined && right !== undefined && right.dueMs < below.dueMs) {
        child += 1;
        below = right;
      }
      if (below === undefined || below.dueMs >= last.dueMs) break;
      heap[index] = below;
      index = child;
    }
    heap[index] = last;
  }
}
