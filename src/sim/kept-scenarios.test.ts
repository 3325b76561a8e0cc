/**
 * What single seeds once found, restated so that it does not hang on the order of events: each scenario brings about what mattered,
 * with the real kubelet, and fails when the fix is taken back.
 */
import { setMaxListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { findCondition, type Pod, PODS } from '../api/index.ts';
import { silentLogger } from '../lib/index.ts';
import { realEventLoop } from './event-loop.node.ts';
import { checkInvariants } from './invariants/all.ts';
import { runKubelet } from './kubelet-agent.ts';
import { commandOf } from './runtime/behaviour.ts';
import { SimCluster } from './sim-cluster.ts';
import type { SimNode } from './sim-node.ts';
import { Sim } from './sim.ts';

setMaxListeners(0);

const HOUR_MS = 3_600_000;

async function world() {
  const sim = new Sim({ seed: 1, loop: realEventLoop });
  const cluster = new SimCluster({ sim, nodes: 1, runAgent: runKubelet, logger: silentLogger });
  checkInvariants(cluster);
  cluster.start();
  await sim.run(10_000);
  return {
    sim,
    cluster,
    node: cluster.nodes[0] as SimNode,
    pass: (ms: number) => sim.run(sim.mono + ms),
    pod: (name: string): Pod | undefined => [...cluster.pods.values()].find(({ metadata }) => metadata?.name === name),
    add: (name: string, command: readonly string[]) => {
      const readinessProbe = { httpGet: { path: '/', port: 8080 }, periodSeconds: 2 };
      const main = { name: 'main', image: 'registry.sim/app:1', command: [...command], readinessProbe };
      void cluster.admin.create<Pod>(PODS, {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { namespace: 'default', name },
        spec: { terminationGracePeriodSeconds: 5, containers: [main] },
      });
    },
  };
}

describe('a wall clock that is set back between two lives of a container', () => {
  // Seed 31: the newest container was told by the time of its creation, so that its dead predecessor was probed in its stead.
  it.each([-HOUR_MS, -60_000, HOUR_MS])(
    'by %d ms: the one that runs is probed, and the pod is ready again',
    async (stepMs) => {
      const w = await world();
      w.add('crashes', commandOf({ exitAfterMs: [20_000, 20_000], exitCode: 1, wellFromAttempt: 1, stopMs: 100 }));
      await w.pass(15_000);
      const ready = () => findCondition(w.pod('crashes')?.status?.conditions, 'Ready')?.status;
      const restarts = () => w.pod('crashes')?.status?.containerStatuses?.[0]?.restartCount;
      expect([ready(), restarts()]).toEqual(['True', 0]);
      w.node.wall.step(stepMs);
      await w.pass(60_000);
      expect([ready(), restarts()]).toEqual(['True', 1]);
      expect(w.pod('crashes')?.status?.containerStatuses?.[0]?.state?.running).toBeDefined();
    },
  );
});
