/** A call from a simulated process to something outside it: a delay, an effect, a delay. */
import type { Life } from './life.ts';
import type { Sim } from './sim.ts';

/** The random fate of one call. Times in ms. */
export interface CallFate {
  readonly thereMs: number;
  readonly backMs: number;
  /** The call fails before it has an effect. */
  readonly failBefore?: Error;
  /** The call has its effect, and fails nevertheless. */
  readonly failAfter?: Error;
  /** The call has its effect, and never gets an answer. */
  readonly hang?: boolean;
}

/**
 * Resolves inside the process, or never if the process died meanwhile. `effect` runs outside, even if the process is dead by
 * then, because the request was on its way.
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
