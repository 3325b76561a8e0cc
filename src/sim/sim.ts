/**
 * The kernel of the simulator: everything happens as an event of one heap. It pops the earliest event (ties in the seed's
 * order), runs it, and lets all promises drain in one real turn of the loop; nothing else may be pending.
 */
import { type Random, seededRandom } from '../lib/index.ts';
import { EventHeap, type SimEvent } from './event-heap.ts';
import { type DeterminismGuard, DeterminismViolation, type EventLoop } from './event-loop.ts';
import { Trace } from './trace.ts';

/** Events between two searches for real resources that leaked without an exception (open files, sockets). */
const LEAK_CHECK_EVENTS = 1000;

export interface SimOptions {
  readonly seed: number | string;
  readonly loop: EventLoop;
  readonly trace?: Trace;
}

export interface Cancellable {
  cancel(): void;
}

export class Sim {
  readonly random: Random;
  readonly trace: Trace;
  readonly #loop: EventLoop;
  readonly #ties: Random;
  readonly #heap = new EventHeap();
  readonly #checks: (() => void)[] = [];
  #mono = 0;
  #processed = 0;
  #failure: unknown;
  #failed = false;

  constructor({ seed, loop, trace }: SimOptions) {
    this.random = seededRandom(seed);
    this.#ties = this.random.split('ties');
    this.#loop = loop;
    this.trace = trace ?? new Trace();
  }

  /** Virtual ms since the run began. */
  get mono(): number {
    return this.#mono;
  }

  /** Events processed so far. */
  get processed(): number {
    return this.#processed;
  }

  /** Plans an event `delayMs` from now; the label goes into the trace. */
  after(delayMs: number, label: string, fire: () => void): Cancellable {
    const event: SimEvent = {
      at: this.#mono + Math.max(0, delayMs),
      tie: this.#ties.next(),
      label,
      fire,
      cancelled: false,
    };
    this.#heap.push(event);
    return {
      cancel: () => {
        event.cancelled = true;
      },
    };
  }

  /** Adds a check that is called after every event, and throws at a violation. */
  check(check: () => void): void {
    this.#checks.push(check);
  }

  /** Ends the run with `error` after the present event, for errors in places where an exception would get lost. */
  fail(error: unknown): void {
    if (this.#failed) return;
    this.#failed = true;
    this.#failure = error;
  }

  /** Runs all events up to `untilMono`. Rejects with the first failure. */
  async run(untilMono: number): Promise<void> {
    const guard = this.#loop.guard();
    try {
      await this.#drain(guard);
      for (let next = this.#heap.peek(); next !== undefined && next.at <= untilMono; next = this.#heap.peek()) {
        this.#heap.pop();
        if (next.cancelled) continue;
        await this.#process(next, guard);
      }
      this.#mono = Math.max(this.#mono, untilMono);
      this.#checkLeaks(guard);
    } finally {
      guard.release();
    }
  }

  async #process(event: SimEvent, guard: DeterminismGuard): Promise<void> {
    this.#mono = event.at;
    this.#processed += 1;
    this.trace.add(event.at, event.label);
    event.fire();
    await this.#drain(guard);
    for (const check of this.#checks) check();
    if (this.#processed % LEAK_CHECK_EVENTS === 0) this.#checkLeaks(guard);
  }

  async #drain(guard: DeterminismGuard): Promise<void> {
    await this.#loop.turn();
    const violation = guard.violation();
    if (violation !== undefined) throw violation;
    if (this.#failed) throw this.#failure;
  }

  #checkLeaks(guard: DeterminismGuard): void {
    const pending = guard.pending();
    if (pending.length > 0) throw new DeterminismViolation(`real work is pending: ${pending.join(', ')}`);
  }
}
