/** A call from a simulated process to something outside it: a way there, an effect, a way back. */
import type { Life } from './life.ts';
import type { Sim } from './sim.ts';

/** Drawn per call: what becomes of it. Times in ms. */
export interface CallFate {
  readonly thereMs: number;
  readonly backMs: number;
  /** Fails before it has an effect. */
  readonly failBefore?: Error;
  /** Has its effect, and fails all the same. */
  readonly failAfter?: Error;
  /** Has its effect, and never answers. */
  readonly hang?: boolean;
}

/**
 * Resolves inside the process; never, when it died meanwhile. `effect` runs outside, even if the process is dead by then
 * (the request was on its way).
 */
export function remoteCall<T>(
  sim: Sim,
  life: Life,
  label: string,
  fate: CallFate,
  effect: () => T | Promise<T>,
): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const answer = (fn: () => void): void => {
      if (fate.hang === true) return;
      sim.after(fate.backMs, `answer ${label}`, () => life.deliver(fn));
    };
    const fail = (error: unknown): void => answer(() => reject(error));
    sim.after(fate.thereMs, `call ${label}`, () => {
      if (fate.failBefore !== undefined) {
        fail(fate.failBefore);
        return;
      }
      void settle(effect).then(
        (value) => (fate.failAfter === undefined ? answer(() => resolve(value)) : fail(fate.failAfter)),
        fail,
      );
    });
  });
}

async function settle<T>(effect: () => T | Promise<T>): Promise<T> {
  return effect();
}
