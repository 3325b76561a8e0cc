/**
 * Lets operations on volumes wait for their turn. A stuck one (a hanging mount program, a dead file server) must not block
 * others: an operation that takes long gives its place back and continues without one, and queues apart the next time.
 */
import { type Clock, Semaphore } from '../../lib/index.ts';
import { MAX_CONCURRENT_OPERATIONS, MAX_OVERDUE_OPERATIONS, OVERDUE_MS } from './limits.ts';

/** Runs what takes no place. */
export type Apart = <T>(inner: () => Promise<T>) => Promise<T>;

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

  /**
   * @param slowBefore its last try was stuck
   * @param work what it does within `apart` takes no place: that waits in a line of its own
   */
  async run<T>(slowBefore: boolean, work: (apart: Apart) => Promise<T>): Promise<T> {
    const line = slowBefore ? this.#again : this.#first;
    let place = await this.#take(line);
    try {
      return await work(async (inner) => {
        place.end();
        try {
          return await inner();
        } finally {
          place = await this.#take(line);
        }
      });
    } finally {
      place.end();
    }
  }

  async #take(line: Semaphore): Promise<{ end(): void }> {
    const release = await line.acquire();
    let overdue = false;
    const timer = this.#clock.setTimer(OVERDUE_MS, () => {
      if (this.#overdue >= MAX_OVERDUE_OPERATIONS) return;
      overdue = true;
      this.#overdue += 1;
      release();
    });
    return {
      end: () => {
        timer.cancel();
        if (overdue) this.#overdue -= 1;
        else release();
        overdue = false;
      },
    };
  }
}
