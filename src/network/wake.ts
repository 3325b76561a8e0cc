/** Waits for the earliest of the times that were asked for. */
import type { Clock } from '../lib/index.ts';

export class Wake {
  readonly #clock: Clock;
  #timer: { cancel(): void } | undefined;
  #due = Number.POSITIVE_INFINITY;
  #resolve: (() => void) | undefined;
  #isDue = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  soon(delayMs: number): void {
    const due = this.#clock.now().mono + delayMs;
    if (this.#isDue || due >= this.#due) return;
    this.#due = due;
    this.#timer?.cancel();
    this.#timer = this.#clock.setTimer(delayMs, () => {
      this.#isDue = true;
      this.#due = Number.POSITIVE_INFINITY;
      this.#resolve?.();
    });
  }

  async wait(signal: AbortSignal): Promise<void> {
    if (!this.#isDue && !signal.aborted) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#resolve = resolve;
      const onAbort = (): void => resolve();
      signal.addEventListener('abort', onAbort, { once: true });
      await promise;
      // A loop waits often in its life, which the signal outlives.
      signal.removeEventListener('abort', onAbort);
    }
    if (signal.aborted) this.#timer?.cancel();
    this.#isDue = false;
    this.#resolve = undefined;
  }
}
