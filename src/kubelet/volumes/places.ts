/**
 * Lets operations on volumes wait for their turn. A stuck one (a hanging mount program, a dead file server) must not block
 * others: an operation that takes long gives its place back and continues without one, and queues apart the next time.
 */
import { type Clock, Semaphore } from '../../lib/index.ts';
import { MAX_CONCURRENT_OPERATIONS, MAX_OVERDUE_OPERATIONS, OVERDUE_MS } from './limits.ts';

export class Places {
  readonly #clock: Clock;
  readonly #first = new Semaphore(MAX_CONCURRENT_OPERATIONS);
  readonly #again = new Semaphore(MAX_CONCURRENT_OPERATIONS);
  #overdue = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Operations that go on without a place. */
  get overdue(): number {
    return this.#overdue;
  }

  /** `slowBefore`: its last try was stuck. */
  async run<T>(slowBefore: boolean, work: () => Promise<T>): Promise<T> {
    const release = await (slowBefore ? this.#again : this.#first).acquire();
    let overdue = false;
    const timer = this.#clock.setTimer(OVERDUE_MS, () => {
      if (this.#overdue >= MAX_OVERDUE_OPERATIONS) return;
      overdue = true;
      this.#overdue += 1;
      release();
    });
    try {
      return await work();
    } finally {
      timer.cancel();
      if (overdue) this.#overdue -= 1;
      else release();
    }
  }
}
