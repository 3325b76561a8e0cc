/** The clocks of a simulated machine: mono never falls, wall may be wrong and may step. */
import type { Clock, Now, Timer } from '../lib/index.ts';
import type { Life } from './life.ts';
import type { Sim } from './sim.ts';

/** 2026-01-01T00:00:00Z. */
export const SIM_EPOCH = 1_767_225_600_000;

/** A machine's wall clock, shared by everything on it. */
export class WallClock {
  readonly #sim: Sim;
  #offsetMs = SIM_EPOCH;
  #steps = 0;

  constructor(sim: Sim) {
    this.#sim = sim;
  }

  get wall(): number {
    return Math.floor(this.#sim.mono + this.#offsetMs);
  }

  /** The number of steps so far. */
  get steps(): number {
    return this.#steps;
  }

  step(ms: number): void {
    this.#offsetMs += ms;
    this.#steps += 1;
  }
}

/** The clock port of one process on the machine. Its monotonic clock starts at 1 s, so that 0 never means "unset". */
export function createSimClock(sim: Sim, wall: WallClock, life: Life): Clock {
  const now = (): Now => ({ wall: wall.wall, mono: sim.mono + 1000 });
  const setTimer = (delayMs: number, fire: (lateMs: number) => void): Timer => {
    const due = sim.mono + Math.max(0, delayMs);
    let cancelled = false;
    const event = sim.after(delayMs, `timer ${life.name}`, () =>
      life.deliver(() => {
        if (cancelled) return;
        cancelled = true;
        fire(sim.mono - due);
      }),
    );
    return {
      cancel: () => {
        cancelled = true;
        event.cancel();
      },
    };
  };
  const sleep = (delayMs: number, signal?: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      if (signal?.aborted === true) {
        reject(signal.reason);
        return;
      }
      const onAbort = (): void => {
        timer.cancel();
        reject(signal?.reason);
      };
      const timer = setTimer(delayMs, () => {
        signal?.removeEventListener('abort', onAbort);
        resolve();
      });
      signal?.addEventListener('abort', onAbort, { once: true });
    });
  return { now, setTimer, sleep };
}
