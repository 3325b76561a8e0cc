/** The history of event streams and its consequences: whether the relist may slow down, and which mode is reported. Pure. */
import {
  MAX_STREAM_RETRIES,
  PROBATION_BASE_MS,
  PROBATION_CAP_MS,
  RECONNECT_STABLE_MS,
  SILENCE_FORGIVEN_MS,
} from './limits.ts';

/** The modes as upstream names them. */
export type PlegMode = 'evented' | 'generic';

export interface StreamHistory {
  /** Attempts in a row that came to nothing. */
  readonly failures: number;
  /** Streams that stood and were silent about a change, not made up for yet. */
  readonly silences: number;
}

export const NO_HISTORY: StreamHistory = { failures: 0, silences: 0 };

/** How one stream ended. */
export interface StreamEnd {
  /** How long it stood, ms; 0: it never did. */
  readonly stoodMs: number;
  /** Nothing came for a change that a relist found. */
  readonly silent: boolean;
  /** Anything came at all. */
  readonly spoke: boolean;
}

export function afterStream({ failures, silences }: StreamHistory, end: StreamEnd): StreamHistory {
  const good = end.stoodMs >= RECONNECT_STABLE_MS && (end.spoke || !end.silent);
  const left = end.stoodMs >= SILENCE_FORGIVEN_MS ? 0 : silences;
  return { failures: good ? 1 : failures + 1, silences: left + (end.silent ? 1 : 0) };
}

/** How long a stream must stand before it is relied on, ms: at once, but for those that were silent before. */
export function probationMs({ silences }: StreamHistory): number {
  return silences === 0 ? 0 : Math.min(PROBATION_BASE_MS * 2 ** Math.min(silences - 1, 16), PROBATION_CAP_MS);
}

/** Whether events are relied on now. `standsMs`: how long the stream has been open; `undefined`: none is open. */
export function isReliedOn(history: StreamHistory, standsMs: number | undefined): boolean {
  return standsMs !== undefined && standsMs >= probationMs(history);
}

/** The mode to report. Between the two extremes it stays as it was: one broken stream is no change of mode. */
export function nextMode(
  told: PlegMode | undefined,
  history: StreamHistory,
  standsMs: number | undefined,
): PlegMode | undefined {
  if (isReliedOn(history, standsMs)) return 'evented';
  return history.failures >= MAX_STREAM_RETRIES ? 'generic' : told;
}
