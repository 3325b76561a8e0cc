/** Tries until it works, and says from time to time what it waits for. */
import { exponentialDelay, type Clock } from '../../lib/index.ts';

/** Quick enough for a person who has just started the other side, and slow enough for a server with a waiting fleet. */
const RETRY = { baseMs: 250, capMs: 5_000 };
const TELL_EVERY_MS = 15_000;

export interface Patience {
  readonly clock: Clock;
  /** One line of progress. */
  readonly say: (text: string) => void;
  readonly signal: AbortSignal;
}

export type Attempt<T> = { readonly done: T } | { readonly waitFor: string };

/** Rejects with what `attempt` rejects with, and when the signal is aborted. */
export async function untilDone<T>(
  { clock, say, signal }: Patience,
  attempt: (signal: AbortSignal) => Promise<Attempt<T>>,
): Promise<T> {
  let told: { readonly text: string; readonly at: number } | undefined;
  for (let tries = 1; ; tries += 1) {
    signal.throwIfAborted();
    const result = await attempt(signal);
    if ('done' in result) return result.done;
    const now = clock.now().mono;
    const isNews = told?.text !== result.waitFor || now - told.at >= TELL_EVERY_MS;
    // A wait that is over at once is not worth a line.
    if (tries > 1 && isNews) {
      told = { text: result.waitFor, at: now };
      say(`waiting: ${result.waitFor}`);
    }
    await clock.sleep(exponentialDelay(RETRY, tries), signal);
  }
}
