/**
 * What single seeds once found, restated so that it does not hang on the order of events: each scenario brings about what mattered,
 * with the real kubelet, and fails when the fix is taken back.
 */
import { setMaxListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { type Container, findCondition, type Pod, PODS } from '../api/index.ts';
import { silentLogger } from '../lib/index.ts';
import { realEventLoop } from './event-loop.node.ts';
import type { ContainerName } from './facts.ts';
import { checkInvariants } from './invariants/all.ts';
import { runKubelet } from './kubelet-agent.ts';
import { SimCluster } from './sim-cluster.ts';
import type { RunAgent, SimNode } from './sim-node.ts';
import { Sim } from './sim.ts';
import { container, probe } from './workloads/patients.ts';

setMaxListeners(0);

const HOUR_MS = 3_600_000;
/** Of every pod here. */
const GRACE_MS = 5000;

async function world(runAgent: RunAgent = runKubelet) {
  const sim = new Sim({ seed: 1, loop: realEventLoop });
  const cluster = new SimCluster({ sim, nodes: 1, runAgent, logger: silentLogger });
  checkInvariants(cluster);
  cluster.start();
  await sim.run(10_000);
  return {
    sim,
    cluster,
    node: cluster.nodes[0] as SimNode,
    pass: (ms: number) => sim.run(sim.mono + ms),
    pod: (name: string): Pod | undefined => [...cluster.pods.values()].find(({ metadata }) => metadata?.name === name),
    add: (name: string, ...containers: Container[]) => {
      void cluster.admin.create<Pod>(PODS, {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { namespace: 'default', name },
        spec: { terminationGracePeriodSeconds: GRACE_MS / 1000, containers },
      });
    },
    remove: (name: string) => void cluster.admin.delete(PODS, 'default', name),
  };
}

type World = Awaited<ReturnType<typeof world>>;

describe('a wall clock that is set back between two lives of a container', () => {
  // Seed 31: the newest container was told by the time of its creation, so that its dead predecessor was probed in its stead.
  it.each([-HOUR_MS, -60_000, HOUR_MS])(
    'by %d ms: the one that runs is probed, and the pod is ready again',
    async (stepMs) => {
      const w = await world();
      const behaviour = { exitAfterMs: [20_000, 20_000], exitCode: 1, wellFromAttempt: 1, stopMs: 100 } as const;
      w.add('crashes', container('main', behaviour, { readinessProbe: probe() }));
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

describe('a stop that never arrives', () => {
  // Seed 136: its grace was over before anything of it had reached the process, and the next stop killed that at once.
  const OUTAGE_MS = 8000;

  /** What takes the first stop away; each is over after `OUTAGE_MS`. */
  const OUTAGES: Readonly<Record<string, { begin(w: World): void; end(w: World): void }>> = {
    'every call fails': {
      begin: ({ node }) => Object.assign(node.runtimeFaults, { failBefore: 1 }),
      end: ({ node }) => Object.assign(node.runtimeFaults, { failBefore: 0 }),
    },
    'the runtime is down': { begin: ({ node }) => node.runtime.goDown(), end: ({ node }) => node.runtime.comeUp() },
    'runtime and agent are down': {
      begin: ({ node }) => {
        node.runtime.goDown();
        node.killAgent();
      },
      end: ({ node }) => {
        node.runtime.comeUp();
        node.startAgent();
      },
    },
  };

  /** Mono ms of what happened to the first container, and how it ended. */
  function watchStop(w: World, outage: { begin(w: World): void; end(w: World): void }) {
    const seen: { sentAt?: number; heardAt?: number; endedAt?: number; cause?: string } = {};
    const isFirst = ({ attempt }: ContainerName): boolean => attempt === 0;
    w.cluster.facts.on({
      'stop-sent': (fact, mono) => {
        if (!isFirst(fact) || seen.sentAt !== undefined) return;
        seen.sentAt = mono;
        outage.begin(w);
        w.sim.after(OUTAGE_MS, 'the outage ends', () => outage.end(w));
      },
      'stop-called': (fact, mono) => {
        if (isFirst(fact)) seen.heardAt ??= mono;
      },
      exited: (fact, mono) => {
        if (isFirst(fact)) Object.assign(seen, { endedAt: mono, cause: fact.cause });
      },
    });
    return seen;
  }

  const rows = Object.keys(OUTAGES).flatMap((outage) =>
    [true, false].flatMap((heeds) => [
      { why: 'liveness', outage, heeds },
      ...(outage === 'every call fails' ? [{ why: 'deletion', outage, heeds }] : []),
    ]),
  );

  it.each(rows)(
    'leaves the next one its time ($why, $outage, heeds its signal: $heeds)',
    async ({ why, outage, heeds }) => {
      const w = await world();
      const seen = watchStop(w, OUTAGES[outage] as (typeof OUTAGES)[string]);
      const stop = { stopMs: 1500, ignoreTerm: !heeds };
      const sick = why === 'liveness';
      const main = container('main', { ...stop, ...(sick && { frozenAfterMs: 8000 }) }, { livenessProbe: probe() });
      w.add('ends', main);
      await w.pass(6000);
      if (!sick) w.remove('ends');
      while (seen.endedAt === undefined && w.sim.mono < 60_000) await w.pass(1000);
      await w.pass(2000);
      const { sentAt = 0, heardAt = 0, endedAt = 0, cause } = seen;
      // The grace was over, and the process had heard of nothing.
      expect(heardAt - sentAt).toBeGreaterThanOrEqual(OUTAGE_MS);
      expect(cause).toBe(heeds ? 'term' : 'kill');
      expect(endedAt - heardAt).toBeGreaterThanOrEqual(heeds ? stop.stopMs : 2000);
      // It is not given the whole grace once more: that began with the first stop.
      expect(endedAt - heardAt).toBeLessThan(GRACE_MS);
      const restarts = w.pod('ends')?.status?.containerStatuses?.[0]?.restartCount;
      expect(restarts).toBe(sick ? 1 : undefined);
    },
  );
});
