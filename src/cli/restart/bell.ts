/** Wakes one waiter when any of several things happens. */
import type { Clock } from '../../lib/index.ts';

export class Bell {
  #rung = false;
  #wake: (() => void) | undefined;

  ring(): void {
    this.#rung = true;
    this.#wake?.();
  }

  /** Resolves when the bell has rung since the last call, or after `ms`. */
  async wait(clock: Clock, ms: number): Promise<void> {
    if (!this.#rung) {
      await new Promise<void>((resolve) => {
        // Node's timers overflow at 2^31 ms; no wait here needs a day.
        const timer = clock.setTimer(Math.min(ms, 86_400_000), () => resolve());
        this.#wake = () => {
          timer.cancel();
          resolve();
        };
      });
    }
    this.#wake = undefined;
    this.#rung = false;
  }
}
