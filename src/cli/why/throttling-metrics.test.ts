import { expect, it } from 'vitest';
import { throttlingOf } from './throttling-metrics.ts';

it('reads the counters of one pod, by container', () => {
  const text = `# HELP container_cpu_cfs_periods_total x
container_cpu_cfs_periods_total{container="web",id="/a",namespace="shop",pod="web-1"} 120 1795254062144
container_cpu_cfs_throttled_periods_total{container="web",id="/a",namespace="shop",pod="web-1"} 1.1e+02
container_cpu_cfs_periods_total{container="",id="/",namespace="shop",pod="web-1"} 999
container_cpu_cfs_periods_total{container="web",namespace="other",pod="web-1"} 7
container_cpu_cfs_throttled_periods_total{container="web",namespace="shop",pod="web-2"} 7
container_cpu_usage_seconds_total{container="web",namespace="shop",pod="web-1"} 7
`;
  expect(throttlingOf(text, 'shop', 'web-1')).toEqual({ web: { periods: 120, throttledPeriods: 110 } });
});
