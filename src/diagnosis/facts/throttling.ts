/** Whether a container is, or was, held back by its CPU limit, by the counters of its cgroup. */
import { quantityMilliValue } from '../../api/index.ts';
import type { PodEvidence, Throttling } from '../evidence/pod-evidence.ts';
import type { Quote } from '../finding.ts';
import { THROTTLED_MIN_PERIODS, THROTTLED_MIN_PERIODS_OF_DEATH, THROTTLED_SHARE } from '../limits.ts';
import type { ContainerFacts } from './container-facts.ts';
import type { Death } from './deaths.ts';

export interface Throttled {
  /** The limit that did it: a quantity. */
  readonly limit: string;
  /** Whole percent of the periods in which it wanted to run. */
  readonly share: number;
  readonly quote: Quote;
  /** It was so before this death; absent: it is so in the life that goes on. */
  readonly death?: Death;
}

/**
 * How its CPU limit holds a container back. A probe's kill is explained by what its node counted before it: the container that waits
 * for its next start has no counters, and the one that has just started has hardly any. `undefined`: it does not, or nobody counted.
 */
export function throttledBy(evidence: PodEvidence, container: ContainerFacts): Throttled | undefined {
  const { death, killed, name, spec, status } = container;
  const limit = spec.resources?.limits?.['cpu'];
  const byProbe = killed?.because === 'liveness' || killed?.because === 'startup';
  const before = byProbe ? death?.cpu : undefined;
  // A limit that was raised since explains nothing any more.
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
