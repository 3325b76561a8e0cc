/** Wakes one who waits for any of several things. */
import type { Clock } from '../../lib/index.ts';

export class Bell {
  #rung = false;
  #wake: (() => void) | undefined;

  ring(): void {
    this.#rung = true;
    this.#wake?.();
  }

  /** Until it has rung since the last time, or `ms` are over. */
  async wait(clock: Clock, ms: number): Promise<void> {
    if (!this.#rung) {
      await new Promise<void>((resolve) => {
        // A timer of Node's ends at 2^31 ms: none of ours needs a day.
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
