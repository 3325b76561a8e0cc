/** Decides by the counters of its cgroup whether a container is, or was, held back by its CPU limit. */
import { quantityMilliValue } from '../../../api/index.ts';
import type { PodEvidence, Throttling } from '../../evidence/pod-evidence.ts';
import type { Quote } from '../../finding.ts';
import { THROTTLED_MIN_PERIODS, THROTTLED_MIN_PERIODS_OF_DEATH, THROTTLED_SHARE } from '../../limits.ts';
import type { ContainerFacts } from './container-facts.ts';
import type { Death } from './deaths.ts';

export interface Throttled {
  /** The CPU limit, a quantity. */
  readonly limit: string;
  /** Throttled periods in whole percent of the periods in which it wanted to run. */
  readonly share: number;
  readonly quote: Quote;
  /** The death before which it was throttled; absent: it is throttled in its present life. */
  readonly death?: Death;
}

/**
 * How the CPU limit holds a container back. After a probe's kill the node's counters before that death decide, because a
 * container that waits for its next start has no counters, and one that has just started has hardly any. `undefined`: it is not
 * throttled, or there are no counters.
 */
export function throttledBy(evidence: PodEvidence, container: ContainerFacts): Throttled | undefined {
  const { death, killed, name, spec, status } = container;
  const limit = spec.resources?.limits?.['cpu'];
  const byProbe = killed?.because === 'liveness' || killed?.because === 'startup';
  const before = byProbe ? death?.cpu : undefined;
  // A limit that has been raised since does not explain the present state.
  if (limit !== undefined && before !== undefined && quantityMilliValue(limit) <= before.limitMillicores) {
    if (isThrottled(before, THROTTLED_MIN_PERIODS_OF_DEATH))
      return { limit, share: shareOf(before), quote: quoteOf(name, before, death), death };
  }
  const now = evidence.throttling[name];
  const limitNow = status?.resources?.limits?.['cpu'] ?? limit;
  if (now === undefined || limitNow === undefined || !isThrottled(now, THROTTLED_MIN_PERIODS)) return undefined;
  return { limit: limitNow, share: shareOf(now), quote: quoteOf(name, now) };
}

function isThrottled({ periods, throttledPeriods }: Throttling, minPeriods: number): boolean {
  return periods >= minPeriods && throttledPeriods / periods >= THROTTLED_SHARE;
}

function shareOf({ periods, throttledPeriods }: Throttling): number {
  return Math.round((throttledPeriods / periods) * 100);
}

function quoteOf(container: string, figures: Throttling, death?: Death): Quote {
  const before = death === undefined ? '' : `, before death ${death.number}`;
  return {
    source: 'cgroup',
    container,
    figure: 'cpu.stat',
    value: `throttled in ${figures.throttledPeriods} of ${figures.periods} periods (${shareOf(figures)}%)${before}`,
  };
}
