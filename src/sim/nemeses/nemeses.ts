/** The nemeses, which cause faults. Each strikes a node or the control plane at random times, and later undoes the fault. */
import type { Random } from '../../lib/index.ts';
import type { SimCluster } from '../sim-cluster.ts';
import type { SimNode } from '../sim-node.ts';
import { noFilterFaults } from '../sim-router-machine.ts';

export interface Nemesis {
  readonly name: string;
  /** Mean time between two strikes, ms. */
  readonly everyMs: number;
  strike(cluster: SimCluster, node: SimNode, random: Random): void;
}

export function between(random: Random, min: number, max: number): number {
  return min + random.next() * (max - min);
}

/** Begins a fault now, and ends it after `ms`. */
export function forAWhile(cluster: SimCluster, name: string, ms: number, begin: () => void, end: () => void): void {
  begin();
  cluster.sim.after(ms, `${name} ends`, end);
}

export const NEMESES: readonly Nemesis[] = [
  {
    name: 'agent-kill',
    everyMs: 45_000,
    strike: (cluster, node, random) => {
      node.killAgent();
      cluster.sim.after(between(random, 0, 30_000), 'agent returns', () => node.startAgent());
    },
  },
  {
    name: 'agent-stop',
    everyMs: 90_000,
    strike: (cluster, node, random) => {
      node.agent?.stop();
      cluster.sim.after(between(random, 5000, 20_000), 'agent returns', () => {
        node.killAgent();
        node.startAgent();
      });
    },
  },
  {
    name: 'runtime-restart',
    everyMs: 90_000,
    strike: (cluster, node, random) =>
      forAWhile(
        cluster,
        'runtime down',
        between(random, 100, 30_000),
        () => node.runtime.goDown(),
        () => node.runtime.comeUp(),
      ),
  },
  {
    name: 'slow-calls',
    everyMs: 60_000,
    strike: (cluster, node, random) =>
      forAWhile(
        cluster,
        'slow calls',
        between(random, 1000, 30_000),
        () => Object.assign(node.runtimeFaults, { slow: random.next(), slowMs: between(random, 100, 10_000) }),
        () => Object.assign(node.runtimeFaults, { slow: 0 }),
      ),
  },
  {
    name: 'failing-calls',
    everyMs: 60_000,
    strike: (cluster, node, random) =>
      forAWhile(
        cluster,
        'failing calls',
        between(random, 1000, 30_000),
        () => Object.assign(node.runtimeFaults, { failBefore: random.next() * 0.4, failAfter: random.next() * 0.4 }),
        () => Object.assign(node.runtimeFaults, { failBefore: 0, failAfter: 0 }),
      ),
  },
  {
    name: 'hanging-calls',
    everyMs: 120_000,
    strike: (cluster, node, random) =>
      forAWhile(
        cluster,
        'hanging calls',
        between(random, 500, 5000),
        () => Object.assign(node.runtimeFaults, { hang: random.next() * 0.3 }),
        () => Object.assign(node.runtimeFaults, { hang: 0 }),
      ),
  },
  {
    name: 'events',
    everyMs: 40_000,
    strike: (cluster, node, random) =>
      forAWhile(
        cluster,
        'bad events',
        between(random, 5000, 60_000),
        () =>
          Object.assign(node.runtimeFaults, {
            loseEvents: random.next(),
            repeatEvents: random.next(),
            lateEvents: random.next(),
            lateEventMs: between(random, 10, 5000),
          }),
        () => Object.assign(node.runtimeFaults, { loseEvents: 0, repeatEvents: 0, lateEvents: 0 }),
      ),
  },
  {
    name: 'partition',
    everyMs: 90_000,
    strike: (cluster, node, random) =>
      forAWhile(
        cluster,
        'partition',
        between(random, 500, 60_000),
        () => node.link.partition(),
        () => {
          node.link.faults.partitioned = false;
        },
      ),
  },
  {
    name: 'error-after-commit',
    everyMs: 60_000,
    strike: (cluster, node, random) => {
      const link = random.next() < 0.7 ? node.link : cluster.controlPlane.link;
      forAWhile(
        cluster,
        'lost answers',
        between(random, 1000, 30_000),
        () => Object.assign(link.faults, { failBefore: random.next() * 0.3, failAfter: random.next() * 0.5 }),
        () => Object.assign(link.faults, { failBefore: 0, failAfter: 0 }),
      );
    },
  },
  {
    name: 'watch-break',
    everyMs: 30_000,
    strike: (cluster, node, random) => (random.next() < 0.5 ? node.link : cluster.controlPlane.link).breakStreams(),
  },
  {
    name: 'server-restart',
    everyMs: 150_000,
    strike: (cluster, _node, random) =>
      forAWhile(
        cluster,
        'server down',
        between(random, 100, 20_000),
        () => cluster.controlPlane.stopServer(cluster.nodes.map(({ link }) => link)),
        () => cluster.controlPlane.startServer(),
      ),
  },
  {
    name: 'oom',
    everyMs: 30_000,
    strike: (_cluster, node, random) => {
      const running = node.runtime.running();
      const victim = running[Math.floor(random.next() * running.length)];
      if (victim !== undefined) node.runtime.outOfMemory(victim.id);
    },
  },
  {
    name: 'wall-step',
    everyMs: 120_000,
    strike: (_cluster, node, random) =>
      node.stepWall(Math.floor(between(random, -1, 1) * (random.next() < 0.5 ? 5000 : 7_200_000))),
  },
  {
    name: 'suspend',
    everyMs: 60_000,
    strike: (_cluster, node, random) =>
      node.agent?.suspend(between(random, 100, random.next() < 0.2 ? 120_000 : 15_000)),
  },
  {
    name: 'disk-full',
    everyMs: 120_000,
    strike: (cluster, node, random) =>
      forAWhile(
        cluster,
        'disk full',
        between(random, 1000, 60_000),
        () => node.fillDisk(),
        () => node.disk.setFull(false),
      ),
  },
  {
    name: 'power-loss',
    everyMs: 240_000,
    strike: (cluster, node, random) =>
      forAWhile(
        cluster,
        'power loss',
        between(random, 1000, 60_000),
        () => node.losePower(),
        () => {
          node.boot();
          node.startAgent();
        },
      ),
  },
  {
    name: 'registry-down',
    everyMs: 120_000,
    strike: (cluster, node, random) =>
      forAWhile(
        cluster,
        'registry down',
        between(random, 1000, 60_000),
        () => {
          node.images.registryDown = true;
        },
        () => {
          node.images.registryDown = false;
        },
      ),
  },
  {
    name: 'filter-faults',
    everyMs: 60_000,
    strike: (cluster, node, random) =>
      forAWhile(
        cluster,
        'filter faults',
        between(random, 500, 30_000),
        () =>
          Object.assign(node.filterFaults, {
            refuse: random.next() * 0.5,
            failAfter: random.next() * 0.5,
            slow: random.next(),
            slowMs: between(random, 50, 5000),
            blind: random.next() < 0.3,
          }),
        () => Object.assign(node.filterFaults, noFilterFaults()),
      ),
  },
  {
    name: 'filter-flush',
    everyMs: 45_000,
    strike: (_cluster, node) => node.flushFilter(),
  },
];

/** Share of seeds with few nemeses: promises that hold some time after a disturbance are hardly ever due under many. */
const QUIET_SHARE = 0.4;
const QUIET_ODDS = 0.12;

/** The nemeses of this seed: each takes part with even odds, or with few; at least one does. `only` names them instead. */
export function drawNemeses(random: Random, only: readonly string[] | undefined): readonly Nemesis[] {
  if (only !== undefined) return NEMESES.filter(({ name }) => only.includes(name));
  const odds = random.next() < QUIET_SHARE ? QUIET_ODDS : 0.5;
  const drawn = NEMESES.filter(() => random.next() < odds);
  return drawn.length > 0 ? drawn : NEMESES.slice(0, 1);
}

/** Lets the nemeses strike between `fromMs` and `untilMs` from now. */
export function unleash(cluster: SimCluster, nemeses: readonly Nemesis[], fromMs: number, untilMs: number): void {
  for (const nemesis of nemeses) {
    const random = cluster.sim.random.split(`nemesis ${nemesis.name}`);
    let at = fromMs;
    for (;;) {
      at += -Math.log(1 - random.next()) * nemesis.everyMs;
      if (at >= untilMs) break;
      cluster.sim.after(at, `nemesis ${nemesis.name}`, () => {
        const node = cluster.nodes[Math.floor(random.next() * cluster.nodes.length)];
        if (node !== undefined) nemesis.strike(cluster, node, random);
      });
    }
  }
}
