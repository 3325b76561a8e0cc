import { expect, it } from 'vitest';
import { type CsiDriver, CsiError } from '../../csi/index.ts';
import { createMetrics } from '../../lib/index.ts';
import { createManualClock } from '../../lib/manual-clock.node.ts';
import { CsiMetrics } from './csi-metrics.ts';
import { MAX_DRIVERS } from './limits.ts';

const unasked = (): Promise<never> => Promise.reject(new Error('not asked'));
const DRIVER: CsiDriver = {
  info: unasked,
  capabilities: unasked,
  stage: unasked,
  publish: unasked,
  unstage: () => Promise.reject(new CsiError('DeadlineExceeded', 'late')),
  unpublish: async () => {},
  stats: unasked,
  expand: async () => 7,
  close: () => {},
};

it('counts calls by driver, method and outcome', async () => {
  const clock = createManualClock();
  const metrics = createMetrics();
  const slow: CsiDriver = {
    ...DRIVER,
    expand: async (request) => {
      await clock.sleep(3000);
      return request.requiredBytes;
    },
  };
  const driver = new CsiMetrics(metrics, clock).measured('d', slow);
  const growing = driver.expand({
    handle: 'h',
    volumePath: '/v',
    stagingPath: '',
    requiredBytes: 7,
    capability: { mode: 'single-node-writer' },
    secrets: {},
  });
  await clock.advance(3000);
  expect(await growing).toBe(7);
  await expect(driver.unstage('h', '/s')).rejects.toThrow('late');
  await expect(driver.info()).rejects.toThrow('not asked');
  const lines = metrics.text().split('\n');
  const labels = (method: string, code: string): string =>
    `{driver_name="d",method_name="/csi.v1.Node/${method}",grpc_status_code="${code}",migrated="false"}`;
  expect(lines).toContain(`csi_operations_seconds_sum${labels('NodeExpandVolume', 'OK')} 3`);
  expect(lines).toContain(`csi_operations_seconds_count${labels('NodeUnstageVolume', 'DeadlineExceeded')} 1`);
  expect(lines).toContain(`csi_operations_seconds_count${labels('NodeGetInfo', 'Unknown')} 1`);
});

it('tells apart no more drivers than a node may have', async () => {
  const metrics = createMetrics();
  const all = new CsiMetrics(metrics, createManualClock());
  for (let index = 0; index < 3 * MAX_DRIVERS; index++)
    await all.measured(`liar-${index}`, DRIVER).unpublish('h', '/t');
  const counts = metrics
    .text()
    .split('\n')
    .filter((line) => line.startsWith('csi_operations_seconds_count'));
  expect(counts).toHaveLength(MAX_DRIVERS + 1);
  expect(counts.at(-1)).toMatch(new RegExp(`driver_name="other".* ${2 * MAX_DRIVERS}$`));
});

it('says nothing on a node without drivers', () => {
  const metrics = createMetrics();
  const silent = new CsiMetrics(metrics, createManualClock());
  expect(silent).toBeDefined();
  expect(metrics.text()).toBe('');
});
