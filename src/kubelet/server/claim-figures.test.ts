import { expect, it } from 'vitest';
import { checkMetricsText } from '../../lib/check-metrics-text.ts';
import { silentLogger } from '../../lib/index.ts';
import { createManualClock, settle } from '../../lib/manual-clock.node.ts';
import type { ClaimMeasurement } from '../stats/claim-metrics.ts';
import { CLAIMS_WAIT_MS } from '../stats/limits.ts';
import { claimFigures } from './claim-figures.ts';

const space = { bytes: 1000, freeBytes: 400, usedBytes: 500, inodes: 100, freeInodes: 60 };
const figures = (claims: () => Promise<readonly ClaimMeasurement[]>, clock = createManualClock()) =>
  claimFigures({ clock, logger: silentLogger, stats: { claims } });

it('tells of each claim once', async () => {
  const data = { namespace: 'n', claim: 'data', space, isAbnormal: true };
  const text = await figures(async () => [data, data, { namespace: 'n', claim: 'sick', isAbnormal: false }]);
  checkMetricsText(text);
  const labels = '{namespace="n",persistentvolumeclaim="data"}';
  expect(text.split('\n').filter((line) => !line.startsWith('#') && line !== '')).toEqual([
    `kubelet_volume_stats_capacity_bytes${labels} 1000`,
    `kubelet_volume_stats_available_bytes${labels} 400`,
    `kubelet_volume_stats_used_bytes${labels} 500`,
    `kubelet_volume_stats_inodes${labels} 100`,
    `kubelet_volume_stats_inodes_free${labels} 60`,
    `kubelet_volume_stats_inodes_used${labels} 40`,
    `kubelet_volume_stats_health_status_abnormal${labels} 1`,
    'kubelet_volume_stats_health_status_abnormal{namespace="n",persistentvolumeclaim="sick"} 0',
  ]);
});

it('says nothing without claims, when measuring fails, and when it hangs', async () => {
  expect(await figures(async () => [])).toBe('');
  expect(await figures(() => Promise.reject(new Error('no')))).toBe('');
  const clock = createManualClock();
  const late = figures(() => new Promise(() => {}), clock);
  await settle();
  await clock.advance(CLAIMS_WAIT_MS);
  expect(await late).toBe('');
});
