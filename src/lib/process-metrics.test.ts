import { expect, it } from 'vitest';
import { createMetrics } from './metrics.ts';
import { ownProcessUsage } from './own-process.node.ts';
import { registerProcessMetrics } from './process-metrics.ts';

it('a process tells what it uses, and its CPU time never goes back', () => {
  const metrics = createMetrics();
  let cpuNanoseconds = 3e9;
  const usage = { startedAt: 5000, virtualBytes: 9, residentBytes: 7, openFiles: 4 };
  registerProcessMetrics(metrics, () => ({ ...usage, cpuNanoseconds }));
  expect(metrics.text()).toContain('\nprocess_cpu_seconds_total 3\n');
  cpuNanoseconds = 2e9;
  const text = metrics.text();
  for (const line of ['process_cpu_seconds_total 3', 'process_start_time_seconds 5', 'process_open_fds 4'])
    expect(text).toContain(`\n${line}\n`);
  expect(text).not.toContain('\nprocess_max_fds ');
});

it('this process has figures', () => {
  const { startedAt, cpuNanoseconds, virtualBytes, residentBytes, openFiles = 0, maxOpenFiles = 0 } = ownProcessUsage();
  expect(Math.abs(Date.now() - startedAt - process.uptime() * 1000)).toBeLessThan(1000);
  expect(cpuNanoseconds).toBeGreaterThan(0);
  expect(virtualBytes).toBeGreaterThan(residentBytes);
  expect(residentBytes).toBeGreaterThan(1e7);
  expect(openFiles).toBeGreaterThan(2);
  expect(maxOpenFiles).toBeGreaterThan(openFiles);
});
