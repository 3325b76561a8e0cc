/** Looks at the counters of living containers now and then, a few in each turn of the loop. */
import type { Clock, Logger } from '../../lib/index.ts';
import { SAMPLE_PERIOD_MS, SAMPLES_PER_TURN } from './limits.ts';

export interface Sampling {
  readonly clock: Clock;
  readonly logger: Logger;
  /** For the log: "memory". */
  readonly what: string;
}

/** Until the signal is aborted. A look that fails is logged, and the next one follows. */
export async function sampleOften(
  { clock, logger, what }: Sampling,
  sample: () => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    try {
      await sample();
    } catch (error) {
      logger.error(`the watch over ${what} broke`, { error });
    }
    await clock.sleep(SAMPLE_PERIOD_MS, signal).catch(() => {});
  }
}

/** One look at each. */
export async function inTurns<T>(
  clock: Clock,
  items: readonly T[],
  look: (item: T) => Promise<unknown>,
): Promise<void> {
  for (const [index, item] of items.entries()) {
    await look(item);
    if ((index + 1) % SAMPLES_PER_TURN === 0) await clock.sleep(0);
  }
}
