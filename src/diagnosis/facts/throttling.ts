/** Whether a container is held back by its CPU limit, by the counters of its cgroup. */
import type { Throttling } from '../evidence/pod-evidence.ts';
import type { Quote } from '../finding.ts';
import { THROTTLED_MIN_PERIODS, THROTTLED_SHARE } from '../limits.ts';

export function isThrottled({ periods, throttledPeriods }: Throttling): boolean {
  return periods >= THROTTLED_MIN_PERIODS && throttledPeriods / periods >= THROTTLED_SHARE;
}

export function throttlingQuote(container: string, { periods, throttledPeriods }: Throttling): Quote {
  const share = Math.round((throttledPeriods / periods) * 100);
  return {
    source: 'cgroup',
    container,
    figure: 'cpu.stat',
    value: `throttled in ${throttledPeriods} of ${periods} periods (${share}%)`,
  };
}
