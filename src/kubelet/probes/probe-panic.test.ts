import { expect, it } from 'vitest';
import { createMetrics, Semaphore, seededRandom, silentLogger } from '../../lib/index.ts';
import { createManualClock, settle } from '../../lib/manual-clock.node.ts';
import { testPod } from '../plan/plan.fixtures.ts';
import type { WorkerContext } from './probe-worker.ts';
import { ProbeWorker } from './probe-worker.ts';
import { ProbeMetrics } from './probe-metrics.ts';

it('goes on after a mistake of ours, which is its pod’s event', async () => {
  const clock = createManualClock();
  const told: string[] = [];
  let verdicts = 0;
  const context = {
    clock,
    random: seededRandom(1),
    logger: silentLogger,
    events: { pod: (_pod: unknown, _type: string, reason: string) => void told.push(reason), node: () => {} },
    metrics: new ProbeMetrics(createMetrics()),
    attempt: { clock, runtime: { execSync: async () => ({ exitCode: verdicts % 2, stdout: '', stderr: '' }) } },
    places: new Semaphore(1),
  } as unknown as WorkerContext;
  const worker = new ProbeWorker(context, {
    kind: 'readiness',
    probe: { exec: { command: ['x'] }, periodSeconds: 1, failureThreshold: 1 },
    target: {
      pod: testPod(),
      container: { name: 'main' },
      containerId: 'c',
      startedAt: clock.now().mono,
      podIp: () => undefined,
    },
    adopted: false,
    carried: undefined,
    onVerdict: () => {
      verdicts += 1;
      if (verdicts === 1) throw new TypeError('this is not a function');
    },
  });
  worker.start();
  for (let i = 0; i < 10; i += 1) {
    await clock.advance(1000);
    await settle();
  }
  worker.stop();
  expect(told).toContain('FailedSync');
  expect(verdicts).toBeGreaterThan(1);
});
