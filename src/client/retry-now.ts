/** A pause between tries that somebody can end who knows that the next one will do better. */
import type { Clock } from '../lib/index.ts';

/** A try that was under way when somebody knew better may fail yet; the next comes this soon. */
const SHORT_MS = 200;

export class RetryPause {
  #wake: (() => void) | undefined;
  #hurry = false;

  /** Ends the pause under way, or makes the next one short. */
  now(): void {
    if (this.#wake === undefined) this.#hurry = true;
    else this.#wake();
  }

  /** False when the signal was aborted first. */
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
