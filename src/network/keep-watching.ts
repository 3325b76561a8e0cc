/** Keeps a watch of the machine alive: one that ends is begun again, ever more rarely while it fails at once. */
import type { Clock, Logger } from '../lib/index.ts';

const AGAIN_MS = 1000;
const MAX_AGAIN_MS = 60_000;
/** A watch that lasted so long was no failure. */
const WATCHED_MS = 60_000;

export interface KeptWatch {
  /** For the log: "removals of rules". */
  readonly what: string;
  /** Runs until the signal is aborted, or the watch fails. @returns why it ended */
  readonly watch: (signal: AbortSignal) => Promise<string>;
  /** Something may have happened while nobody watched, until it is begun again after that time. */
  readonly onGap: (againMs: number) => void;
}

/** Runs until the signal is aborted. */
export async function keepWatching(
  { clock, logger }: { readonly clock: Clock; readonly logger: Logger },
  { what, watch, onGap }: KeptWatch,
  signal: AbortSignal,
): Promise<void> {
  let againMs = AGAIN_MS;
  while (!signal.aborted) {
    const begun = clock.now().mono;
    const why = await watch(signal);
    if (signal.aborted) return;
    if (clock.now().mono - begun > WATCHED_MS) againMs = AGAIN_MS;
    logger.warn(`${what} are not watched`, { why, againMs });
    onGap(againMs);
    await clock.sleep(againMs, signal).catch(() => {});
    againMs = Math.min(againMs * 2, MAX_AGAIN_MS);
  }
}
