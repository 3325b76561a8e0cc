/**
 * Time as a port. Durations are measured with the monotonic clock; wall time is only for API fields.
 */

/** One reading of both clocks. `wall`: ms since the epoch (may step). `mono`: ms since an arbitrary start (never falls). */
export interface Now {
  readonly wall: number;
  readonly mono: number;
}

export interface Timer {
  /** Stops the timer; a cancelled timer never fires. Idempotent. */
  cancel(): void;
}

export interface Clock {
  now(): Now;
  /**
   * Calls `fire` once, `delayMs` ms from now on the monotonic clock (a negative delay counts as 0). `lateMs` is the delay of the
   * call behind its plan: a caller whose verdict depends on time (probe time-out, lease) must take a large `lateMs` as a delay of
   * our own process, never as a failure of the other side.
   */
  setTimer(delayMs: number, fire: (lateMs: number) => void): Timer;
  /** Resolves after `delayMs` ms; rejects with the signal's reason when it is aborted first. */
  sleep(delayMs: number, signal?: AbortSignal): Promise<void>;
}

/** RFC 3339 with seconds, as `metav1.Time` is written (UTC, "Z"). */
export function formatTime(wall: number): string {
  const second = Math.floor(wall / 1000);
  // Many writes of one second have the same time.
  if (lastTime.second !== second) {
    lastTime = { second, text: `${new Date(wall).toISOString().slice(0, -'.000Z'.length)}Z` };
  }
  return lastTime.text;
}

let lastTime = { second: Number.NaN, text: '' };

/** RFC 3339 with microseconds, as `metav1.MicroTime` is written (Lease, Event). */
export function formatMicroTime(wall: number): string {
  return `${new Date(wall).toISOString().slice(0, -1)}000Z`;
}

/** Wall ms of an RFC 3339 time, `undefined` for a missing or malformed one. */
export function parseTime(text: string | null | undefined): number | undefined {
  if (text === undefined || text === null) return undefined;
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? undefined : ms;
}
