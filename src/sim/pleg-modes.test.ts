/** Tests in whole clusters under churn that PLEG trusts every live event stream, and detects silent ones. */
import { setMaxListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { createKubelet } from '../kubelet/index.ts';
import type { MetricsRegistry } from '../lib/index.ts';
import { realEventLoop } from './event-loop.node.ts';
import { runSeed } from './run-seed.ts';
import type { RunAgent } from './sim-node.ts';

setMaxListeners(0);

/** Runs the seed, and sums a counter over all lives of all agents. */
async function churn(seed: number, only: readonly string[]) {
  const registries: MetricsRegistry[] = [];
  const runAgent: RunAgent = (ports, config, signal, offer) => {
    const kubelet = createKubelet(ports, config);
    offer(kubelet.connection);
    registries.push(kubelet.metrics);
    return kubelet.run(signal);
  };
  // Two minutes of faults have agents that die, and streams that fall silent.
  const report = await runSeed({ seed, loop: realEventLoop, runAgent, only, minutes: 2 });
  const sum = (name: string): number =>
    registries.reduce((total, registry) => {
      const value = new RegExp(`^${name.replace(/[{}]/g, '\\$&')} (\\S+)$`, 'm').exec(registry.text())?.[1];
      return total + Number(value ?? 0);
    }, 0);
  return { report, sum };
}

const SILENT = 'mendlet_pleg_silent_streams_total';

/** The nemeses that delay, repeat and reorder the runtime's events, but lose none of an open stream. */
const HONEST = [
  'agent-kill',
  'agent-stop',
  'runtime-restart',
  'slow-calls',
  'failing-calls',
  'hanging-calls',
  'suspend',
  'oom',
  'power-loss',
  'wall-step',
];

describe('event streams under churn', () => {
  it('are accused of nothing while they speak', async () => {
    const { report, sum } = await churn(1, HONEST);
    expect([report.failure, sum(SILENT)]).toEqual([undefined, 0]);
    expect(sum('mendlet_pleg_mode_changes_total{mode="evented"}')).toBeGreaterThan(0);
  });

  it('are found out when they lose events, and everything heals all the same', async () => {
    const { report, sum } = await churn(1, ['events', 'oom']);
    expect(report.failure).toBeUndefined();
    expect(sum(SILENT)).toBeGreaterThan(0);
  });
});
