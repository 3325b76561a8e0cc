/** The machine's clocks and timers. */
import type { Clock, Timer } from './clock.ts';

/** setTimeout takes a 32-bit signed delay; a longer one would fire at once, so long delays are divided. */
const MAX_DELAY_MS = 2 ** 31 - 1;

function setTimer(delayMs: number, fire: (lateMs: number) => void): Timer {
  const due = performance.now() + Math.max(0, delayMs);
  let handle: NodeJS.Timeout | undefined;
  const arm = (): void => {
    const remainingMs = Math.max(0, due - performance.now());
    handle = setTimeout(wake, Math.min(Math.ceil(remainingMs), MAX_DELAY_MS));
  };
  // Node's timers count whole milliseconds of a cached loop time and may fire a little early, so an early wake-up is re-armed.
  const wake = (): void => {
    const lateMs = performance.now() - due;
    if (lateMs < 0) arm();
    else fire(lateMs);
  };
  arm();
  return { cancel: () => clearTimeout(handle) };
}

function sleep(delayMs: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
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
}

/** Wall time by `Date`, durations by the monotonic clock. */
export const systemClock: Clock = {
  now: () => ({ wall: Date.now(), mono: performance.now() }),
  setTimer,
  sleep,
};
