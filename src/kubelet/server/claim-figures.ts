/** The part of /metrics that is measured: the volumes of claims. */
import { type Clock, errorMessage, type Logger, withDeadline } from '../../lib/index.ts';
import { claimMetrics } from '../stats/claim-metrics.ts';
import { CLAIMS_WAIT_MS } from '../stats/limits.ts';
import type { Stats } from '../stats/stats-provider.ts';

export interface ClaimFiguresOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly stats: Pick<Stats, 'claims'>;
}

/** Empty when they are not known in time: a volume that hangs costs no other figure. */
export async function claimFigures({ clock, logger, stats }: ClaimFiguresOptions): Promise<string> {
  try {
    const taken = await withDeadline({ clock, timeoutMs: CLAIMS_WAIT_MS }, () => stats.claims());
    if (taken.kind === 'done') return claimMetrics(taken.value);
    logger.debug('the volumes of claims cannot be measured in time', { waitedMs: CLAIMS_WAIT_MS });
  } catch (error) {
    logger.debug('the volumes of claims cannot be measured', { error: errorMessage(error) });
  }
  return '';
}
