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
  const report = await runSeed({ seed, loop: realEventLoop, runAgent, only });
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
    for (let seed = 1; seed <= 2; seed += 1) {
      const { report, sum } = await churn(seed, HONEST);
      expect([seed, report.failure, sum(SILENT)]).toEqual([seed, undefined, 0]);
      expect(sum('mendlet_pleg_mode_changes_total{mode="evented"}')).toBeGreaterThan(0);
    }
  });

  it('are found out when they lose events, and everything heals all the same', async () => {
    let silent = 0;
    for (let seed = 1; seed <= 2; seed += 1) {
      const { report, sum } = await churn(seed, ['events', 'oom']);
      expect([seed, report.failure]).toEqual([seed, undefined]);
      silent += sum(SILENT);
    }
    expect(silent).toBeGreaterThan(0);
  });
});
