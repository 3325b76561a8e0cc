/**
 * What single seeds once found, restated so that it does not hang on the order of events: each scenario brings about what mattered,
 * with the real kubelet, and fails when the fix is taken back.
 */
import { setMaxListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { type Container, findCondition, type Pod, PODS } from '../api/index.ts';
import type { RuntimeService } from '../cri/index.ts';
import { createKubelet, type KubeletPorts } from '../kubelet/index.ts';
import { type MetricsRegistry, silentLogger } from '../lib/index.ts';
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

/** The kubelet with another way to its runtime, and the text of its metrics. */
function agentWith(changed: (ports: KubeletPorts) => Partial<RuntimeService>) {
  const lives: MetricsRegistry[] = [];
  const runAgent: RunAgent = (ports, config, signal) => {
    const kubelet = createKubelet(
      { ...ports, cri: { ...ports.cri, runtime: { ...ports.cri.runtime, ...changed(ports) } } },
      config,
    );
    lives.push(kubelet.metrics);
    return kubelet.run(signal);
  };
  return { runAgent, metrics: () => lives.map((registry) => registry.text()).join('') };
}

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

it('a cgroup of which nothing else was left, for want of space for a note, is removed', async () => {
  // Seed 90: the agent was killed while the disk was full, and the pod was deleted meanwhile.
  const w = await world();
  w.node.disk.setFull(true);
  w.add('brief', container('main', {}));
  await w.pass(5000);
  expect(w.node.leftovers()).toMatch(/^cgroups/);
  w.node.killAgent();
  void w.cluster.admin.delete(PODS, 'default', 'brief', { gracePeriodSeconds: 0 });
  w.node.disk.setFull(false);
  w.node.startAgent();
  await w.pass(120_000);
  expect(w.node.leftovers()).toBeUndefined();
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

describe('a clock step and a power loss in one back-off', () => {
  // Seed 271: the invariant took a restart that had been decided before both for one that lengthens the next back-off. By the
  // clock that the machine came back with it was hours old, and the next restart was rightly free.
  const DARK_MS = 5000;
  /** By then the page cache has given the note of a decision to the disk, where it outlives the loss of power. */
  const WRITE_BACK_MS = 40_000;
  /** The back-offs after the first, free restart. */
  const NOMINAL_MS = [10_000, 20_000, 40_000];
  /** Boot, sandbox and start take their time, too. */
  const SLACK_MS = 3000;

  const rows = [
    ...[-2 * HOUR_MS, -60_000, 2 * HOUR_MS].map((stepMs) => ({ when: 'waits', stepMs }) as const),
    ...[-2 * HOUR_MS, 2 * HOUR_MS].map((stepMs) => ({ when: 'is about to be created again', stepMs }) as const),
  ];

  it.each(rows)(
    'by $stepMs ms while the container $when: no wait is longer than its back-off, and none but the next is spared',
    async ({ when, stepMs }) => {
      const on: { world?: World; struck?: true } = {};
      /** Mono ms. */
      const seen = { backAt: 0, exits: [] as number[], starts: [] as number[] };
      const strikeIn = (ms: number): void => {
        const { sim, node } = on.world as World;
        on.struck = true;
        sim.after(ms, 'clock and power fail', () => {
          node.stepWall(stepMs);
          node.losePower();
          sim.after(DARK_MS, 'power is back', () => {
            node.boot();
            node.startAgent();
            seen.backAt = sim.mono;
          });
        });
      };
      const { runAgent } = agentWith(({ cri: { runtime } }) => ({
        createContainer: (sandboxId, config, sandbox, options) => {
          // Its second restart is decided, the note of that is written meanwhile, and the runtime has heard nothing of it.
          const isStruck = when !== 'waits' && config.attempt === 2 && on.struck === undefined;
          if (!isStruck) return runtime.createContainer(sandboxId, config, sandbox, options);
          strikeIn(WRITE_BACK_MS);
          return new Promise<string>(() => {});
        },
      }));
      const w = await world(runAgent);
      on.world = w;
      w.cluster.facts.on({
        exited: ({ attempt }, mono) => {
          if (attempt === 1 && when === 'waits' && on.struck === undefined) strikeIn(5000);
          if (seen.backAt > 0) seen.exits.push(mono);
        },
        started: (_, mono) => void (seen.backAt > 0 && seen.starts.push(mono)),
      });
      w.add('crashes', container('main', { exitAfterMs: [1000, 1000], exitCode: 1 }));
      await w.pass(180_000);
      const { backAt, exits, starts } = seen;
      const waits = NOMINAL_MS.map((_, index) => (starts[index] ?? Number.NaN) - (exits[index - 1] ?? backAt));
      for (const [index, nominalMs] of NOMINAL_MS.entries()) {
        expect([index, waits[index]]).toEqual([index, expect.any(Number)]);
        expect(waits[index]).toBeLessThan(nominalMs + SLACK_MS);
      }
      // The curve may begin anew with one free restart; then it holds again.
      expect(waits[2]).toBeGreaterThanOrEqual(NOMINAL_MS[0] as number);
    },
  );
});

describe('a container that starts while its pod is read', () => {
  // Seed 95: the read still showed it as created. Its start was over when the read ended, so nobody seemed to be starting it, and
  // it was removed as a leftover: a kill without grace.
  const LOOK_MS = 300;

  const attemptsOf = (w: World): readonly string[] =>
    w.node.runtime
      .running()
      .map((each) => `${each.container}#${each.attempt}`)
      .toSorted();

  /**
   * "first" starts only when "second" has started and the pod was read for that, for `LOOK_MS`; what such a read showed of "first"
   * arrives after the answer to its start.
   */
  function overtaken({ cri: { runtime }, clock }: KubeletPorts, lookedAt: number, seen: { stale: number }) {
    const names = new Map<string, string>();
    const started = { first: Promise.withResolvers<void>(), second: Promise.withResolvers<void>() };
    const changed: Partial<RuntimeService> = {
      createContainer: async (sandboxId, config, sandbox, options) => {
        const id = await runtime.createContainer(sandboxId, config, sandbox, options);
        if (config.attempt === lookedAt) names.set(id, config.name);
        return id;
      },
      startContainer: async (id, options) => {
        const name = names.get(id);
        if (name === 'first') {
          await started.second.promise;
          await clock.sleep(LOOK_MS);
        }
        await runtime.startContainer(id, options);
        if (name === 'first' || name === 'second') started[name].resolve();
      },
      containerStatus: async (id, options) => {
        const status = await runtime.containerStatus(id, options);
        if (names.get(id) !== 'first' || status?.state !== 'created') return status;
        await started.first.promise;
        await clock.sleep(LOOK_MS);
        seen.stale += 1;
        return status;
      },
    };
    return changed;
  }

  it.each([0, 1])(
    'in its attempt %d is left alone: its start counts as under way until a read can show it',
    async (attempt) => {
      const seen = { stale: 0 };
      const { runAgent, metrics } = agentWith((ports) => overtaken(ports, attempt, seen));
      const w = await world(runAgent);
      // An event would say what the read does not show.
      w.node.runtimeFaults.loseEvents = 1;
      const behaviour =
        attempt === 0 ? {} : ({ exitAfterMs: [2000, 2000], exitCode: 1, wellFromAttempt: attempt } as const);
      w.add('two', container('first', behaviour), container('second', behaviour));
      await w.pass(30_000);
      expect(seen.stale).toBeGreaterThan(0);
      expect(attemptsOf(w)).toEqual([`first#${attempt}`, `second#${attempt}`]);
      // The removal has a look of its own before it removes anything. It was not even planned.
      expect(metrics()).toContain('verb="start-container"');
      expect(metrics()).not.toContain('verb="remove-container"');
    },
  );

  /** The start that an agent sent before its death arrives just before the answer to the next agent's status read of this number. */
  async function startThatArrivesLate(read: number): Promise<{ readonly w: World; readonly wasRefused: boolean }> {
    const on: { node?: SimNode; id?: string; reads: number } = { reads: 0 };
    const { runAgent, metrics } = agentWith(({ cri: { runtime } }) => ({
      startContainer: (id, options) => {
        if (on.id !== undefined) return runtime.startContainer(id, options);
        on.id = id;
        on.node?.killAgent();
        return new Promise<void>(() => {});
      },
      containerStatus: async (id, options) => {
        const status = await runtime.containerStatus(id, options);
        if (id !== on.id || status?.state !== 'created') return status;
        on.reads += 1;
        if (on.reads < read) return status;
        on.node?.runtime.startContainer(id);
        return runtime.containerStatus(id, options);
      },
    }));
    const w = await world(runAgent);
    on.node = w.node;
    w.node.runtimeFaults.loseEvents = 1;
    w.add('one', container('main', {}));
    await w.pass(5000);
    expect(on.id).toBeDefined();
    w.node.startAgent();
    await w.pass(30_000);
    expect(on.reads).toBe(read);
    return { w, wasRefused: /verb="remove-container",result="error"/.test(metrics()) };
  }

  it('because an agent that is dead by now had sent its start is left alone, too: the removal looks once more', async () => {
    // The first reads show the agent what there is. One of the next is the removal's own.
    for (let read = 1, wasRefused = false; !wasRefused; read++) {
      const { w, ...end } = await startThatArrivesLate(read);
      ({ wasRefused } = end);
      expect(attemptsOf(w)).toEqual(['main#0']);
      expect(w.pod('one')?.status?.containerStatuses?.[0]).toMatchObject({ restartCount: 0, state: { running: {} } });
    }
  });
});
