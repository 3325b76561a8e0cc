/** A pause between tries that a caller can end early. */
import type { Clock } from '../lib/index.ts';

/** The pause after a try that was under way at the call of `now` and failed nevertheless, ms. */
const SHORT_MS = 200;

export class RetryPause {
  #wake: (() => void) | undefined;
  #hurry = false;

  /** Ends the pause under way, or makes the next one short. */
  now(): void {
    if (this.#wake === undefined) this.#hurry = true;
    else this.#wake();
  }

  /** Waits for `ms` or until `now`. @returns false when the signal was aborted first */
  async sleep(clock: Clock, ms: number, signal: AbortSignal): Promise<boolean> {
    if (signal.aborted) return false;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = clock.setTimer(this.#hurry ? Math.min(ms, SHORT_MS) : ms, () => resolve());
    this.#hurry = false;
    const onAbort = (): void => resolve();
    signal.addEventListener('abort', onAbort, { once: true });
    this.#wake = resolve;
    await promise;
    this.#wake = undefined;
    timer.cancel();
    signal.removeEventListener('abort', onAbort);
    return !signal.aborted;
  }
}
