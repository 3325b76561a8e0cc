/** A pause between tries that somebody can end who knows that the next one will do better. */
import type { Clock } from '../lib/index.ts';

export class RetryPause {
  #wake: (() => void) | undefined;

  /** Ends the pause under way, if there is one. */
  now(): void {
    this.#wake?.();
  }

  /** False when the signal was aborted first. */
  async sleep(clock: Clock, ms: number, signal: AbortSignal): Promise<boolean> {
    if (signal.aborted) return false;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = clock.setTimer(ms, () => resolve());
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
