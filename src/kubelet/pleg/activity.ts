/**
 * How long PLEG has been without a successful relist, counting only time in which our own loop ran: a suspended laptop or
 * a stopped process wakes up healthy.
 */
import type { Clock, Timer } from '../../lib/index.ts';
import { formatDurationMs } from '../go-format.ts';
import { ACTIVITY_BEAT_MS, RELIST_THRESHOLD_MS } from './limits.ts';

/** One beat counts at most this much: the rest of it we were away. */
const MAX_BEAT_MS = 2 * ACTIVITY_BEAT_MS;

/** How long no relist may succeed, ms: upstream's 3 min, and never less than two of the longest periods (its 10 min for 300 s). */
export function relistThresholdMs(longestPeriodMs: number): number {
  return Math.max(RELIST_THRESHOLD_MS, 2 * longestPeriodMs);
}

export class Activity {
  readonly #clock: Clock;
  readonly #thresholdMs: number;
  #activeMs = 0;
  #beatAt: number;
  #seenAt: number | undefined;
  #timer: Timer | undefined;

  constructor(clock: Clock, thresholdMs: number) {
    this.#clock = clock;
    this.#thresholdMs = thresholdMs;
    this.#beatAt = clock.now().mono;
  }

  /** Beats once a second until the signal is aborted. */
  start(signal: AbortSignal): void {
    this.#beatAt = this.#clock.now().mono;
    const beat = (): void => {
      this.#count();
      this.#timer = this.#clock.setTimer(ACTIVITY_BEAT_MS, beat);
    };
    beat();
    signal.addEventListener('abort', () => this.#timer?.cancel(), { once: true });
  }

  /** A relist succeeded. */
  seen(): void {
    this.#count();
    this.#seenAt = this.#activeMs;
  }

  /** Upstream's message when PLEG is unhealthy (GenericPLEG.Healthy). */
  unhealthy(): string | undefined {
    this.#count();
    if (this.#seenAt === undefined) return 'pleg has yet to be successful';
    const elapsedMs = this.#activeMs - this.#seenAt;
    if (elapsedMs <= this.#thresholdMs) return undefined;
    return `pleg was last seen active ${formatDurationMs(elapsedMs)} ago; threshold is ${formatDurationMs(this.#thresholdMs)}`;
  }

  #count(): void {
    const { mono } = this.#clock.now();
    this.#activeMs += Math.min(mono - this.#beatAt, MAX_BEAT_MS);
    this.#beatAt = mono;
  }
}
