/** A clock that a test moves. Timers fire in order of time, then of creation; promises drain between them. */
import type { Clock, Now, Timer } from './clock.ts';

interface Planned {
  readonly at: number;
  readonly order: number;
  readonly fire: (lateMs: number) => void;
}

export interface ManualClock extends Clock {
  /** Moves both clocks forward by `ms`, fires each timer at its time, and drains promises. */
  advance(ms: number): Promise<void>;
  /** Lets `ms` pass without firing timers, as in a suspended process; due timers fire late afterwards. */
  suspend(ms: number): Promise<void>;
  /** Steps the wall clock alone. */
  stepWall(ms: number): void;
  /** The number of timers that have neither fired nor been cancelled. */
  readonly pendingTimers: number;
}

/** Waits for one turn of the loop, after which all promise chains without outside waits have run. */
export function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

export function createManualClock(start: Now = { wall: Date.UTC(2026, 0, 1), mono: 1000 }): ManualClock {
  let { wall, mono } = start;
  let order = 0;
  const planned = new Set<Planned>();
  const earliest = (until: number): Planned | undefined => {
    let found: Planned | undefined;
    for (const timer of planned) {
      if (timer.at > until) continue;
      if (found === undefined || timer.at < found.at || (timer.at === found.at && timer.order < found.order))
        found = timer;
    }
    return found;
  };
  const moveTo = (target: number): void => {
    if (target <= mono) return;
    wall += target - mono;
    mono = target;
  };
  const setTimer = (delayMs: number, fire: (lateMs: number) => void): Timer => {
    const timer: Planned = { at: mono + Math.max(0, delayMs), order: order++, fire };
    planned.add(timer);
    return { cancel: () => void planned.delete(timer) };
  };
  const fireDue = async (until: number, travel: boolean): Promise<void> => {
    await settle();
    for (let timer = earliest(until); timer !== undefined; timer = earliest(until)) {
      planned.delete(timer);
      if (travel) moveTo(timer.at);
      timer.fire(mono - timer.at);
      await settle();
    }
  };
  return {
    now: () => ({ wall, mono }),
    setTimer,
    sleep: (delayMs, signal) =>
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
      }),
    advance: async (ms) => {
      const target = mono + ms;
      await fireDue(target, true);
      moveTo(target);
      await settle();
    },
    suspend: async (ms) => {
      moveTo(mono + ms);
      await fireDue(mono, false);
    },
    stepWall: (ms) => {
      wall += ms;
    },
    get pendingTimers() {
      return planned.size;
    },
  };
}
