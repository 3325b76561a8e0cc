/** Keeps the runtime's event stream open: reconnects for ever, with a capped back-off. */
import { RuntimeError, type RuntimeEvent } from '../../cri/index.ts';
import { type Clock, exponentialDelay, jitterUp, type Logger, type Random } from '../../lib/index.ts';
import { RECONNECT_BASE_MS, RECONNECT_CAP_MS, RECONNECT_STABLE_MS } from './limits.ts';
import type { PlegMetrics } from './pleg-metrics.ts';
import type { PlegRuntime } from './pleg-runtime.ts';

export interface EventStreamOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly runtime: PlegRuntime;
  readonly metrics: PlegMetrics;
  readonly onEvent: (event: RuntimeEvent) => void;
  /** The stream stands (again): what happened before is not in it. */
  readonly onConnected: () => void;
}

/** Ends when the signal is aborted, or at once when the runtime has no events. */
export async function watchEvents(options: EventStreamOptions, signal: AbortSignal): Promise<void> {
  const { clock, logger } = options;
  let failures = 0;
  while (!signal.aborted) {
    const attempt = await streamOnce(options, signal);
    if (signal.aborted) return;
    if (attempt.error instanceof RuntimeError && attempt.error.code === 'Unimplemented') {
      logger.info('the runtime has no events; the relist alone finds what happened');
      return;
    }
    failures = attempt.stoodMs >= RECONNECT_STABLE_MS ? 1 : failures + 1;
    options.metrics.connectionErrors.inc();
    const delayMs = jitterUp(
      exponentialDelay({ baseMs: RECONNECT_BASE_MS, capMs: RECONNECT_CAP_MS }, failures),
      0.2,
      options.random,
    );
    logger.warn('runtime event stream ended', { error: attempt.error, failures, delayMs: Math.round(delayMs) });
    await clock.sleep(delayMs, signal).catch(() => {});
  }
}

/** One stream to its end. `stoodMs`: how long it was connected. */
async function streamOnce(
  options: EventStreamOptions,
  signal: AbortSignal,
): Promise<{ readonly error: unknown; readonly stoodMs: number }> {
  const { clock, metrics } = options;
  const begun = clock.now().mono;
  let connectedAt: number | undefined;
  const stood = (): number => (connectedAt === undefined ? 0 : clock.now().mono - connectedAt);
  const onConnected = (): void => {
    connectedAt = clock.now().mono;
    metrics.connectionSuccesses.inc();
    metrics.connectionLatency.observe((connectedAt - begun) / 1000);
    options.onConnected();
  };
  try {
    for await (const event of options.runtime.events(signal, onConnected)) options.onEvent(event);
    return { error: 'the runtime ended the stream', stoodMs: stood() };
  } catch (error) {
    return { error, stoodMs: stood() };
  }
}
