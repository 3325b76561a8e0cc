/** The nemeses of a fleet, which cause faults. */
import type { Random } from '../../lib/index.ts';
import type { Fleet } from './fleet.ts';
import type { HollowNode } from './hollow-node.ts';

export interface FleetNemesis {
  readonly name: string;
  /** Mean time between two strikes, ms. */
  readonly everyMs: number;
  strike(fleet: Fleet, random: Random): void;
}

function between(random: Random, min: number, max: number): number {
  return min + random.next() * (max - min);
}

function pick<T>(random: Random, items: readonly T[]): T | undefined {
  return items[Math.floor(random.next() * items.length)];
}

function down(fleet: Fleet, node: HollowNode, ms: number): void {
  node.die();
  fleet.sim.after(ms, `${node.name} returns`, () => node.startAgent());
}

function cut(fleet: Fleet, nodes: readonly HollowNode[], ms: number): void {
  for (const { link } of nodes) link.partition();
  fleet.sim.after(ms, 'partition ends', () => {
    for (const { link } of nodes) link.faults.partitioned = false;
  });
}

export const FLEET_NEMESES: readonly FleetNemesis[] = [
  {
    name: 'node-death',
    everyMs: 40_000,
    strike: (fleet, random) => {
      const node = pick(random, fleet.nodes);
      if (node !== undefined) down(fleet, node, between(random, 5000, 900_000));
    },
  },
  {
    name: 'agent-kill',
    everyMs: 30_000,
    strike: (fleet, random) => {
      const node = pick(random, fleet.nodes);
      node?.killAgent();
      fleet.sim.after(between(random, 0, 120_000), 'agent returns', () => node?.startAgent());
    },
  },
  {
    name: 'node-partition',
    everyMs: 40_000,
    strike: (fleet, random) => {
      const node = pick(random, fleet.nodes);
      if (node !== undefined) cut(fleet, [node], between(random, 1000, 900_000));
    },
  },
  {
    name: 'zone-partition',
    everyMs: 400_000,
    strike: (fleet, random) => {
      const zone = pick(random, fleet.nodes)?.zone ?? '';
      cut(fleet, fleet.nodesOf(zone), between(random, 30_000, 900_000));
    },
  },
  {
    name: 'zone-death',
    everyMs: 500_000,
    strike: (fleet, random) => {
      const zone = pick(random, fleet.nodes)?.zone ?? '';
      for (const node of fleet.nodesOf(zone)) down(fleet, node, between(random, 60_000, 900_000));
    },
  },
  {
    name: 'all-cut-off',
    everyMs: 600_000,
    strike: (fleet, random) => cut(fleet, fleet.nodes, between(random, 30_000, 600_000)),
  },
  {
    name: 'server-crash',
    everyMs: 120_000,
    strike: (fleet, random) => {
      const { controlPlane } = fleet;
      controlPlane.crash(fleet.links);
      fleet.sim.after(between(random, 100, random.next() < 0.3 ? 300_000 : 20_000), 'server returns', () => {
        controlPlane.startServer();
        controlPlane.startClient('controllers');
        controlPlane.startClient('scheduler');
      });
    },
  },
  {
    name: 'controllers-kill',
    everyMs: 90_000,
    strike: (fleet, random) => {
      const name = random.next() < 0.6 ? 'controllers' : 'scheduler';
      fleet.controlPlane.killClient(name);
      fleet.sim.after(between(random, 0, 30_000), `${name} return`, () => fleet.controlPlane.startClient(name));
    },
  },
  {
    name: 'server-asleep',
    everyMs: 300_000,
    strike: (fleet, random) => fleet.controlPlane.suspend(between(random, 1000, 600_000)),
  },
  {
    name: 'lost-answers',
    everyMs: 60_000,
    strike: (fleet, random) => {
      const { faults } = fleet.controlPlane.link;
      Object.assign(faults, { failBefore: random.next() * 0.2, failAfter: random.next() * 0.3 });
      fleet.sim.after(between(random, 1000, 30_000), 'lost answers end', () =>
        Object.assign(faults, { failBefore: 0, failAfter: 0 }),
      );
    },
  },
  {
    name: 'slow-watch',
    everyMs: 60_000,
    strike: (fleet, random) => {
      const { faults } =
        (random.next() < 0.7 ? fleet.controlPlane.link : pick(random, fleet.links)) ?? fleet.controlPlane.link;
      Object.assign(faults, { streamMs: between(random, 10, 4000) });
      fleet.sim.after(between(random, 5000, 60_000), 'slow watch ends', () => Object.assign(faults, { streamMs: 0 }));
    },
  },
  {
    name: 'watch-break',
    everyMs: 30_000,
    strike: (fleet, random) =>
      (random.next() < 0.5 ? fleet.controlPlane.link : pick(random, fleet.links))?.breakStreams(),
  },
  {
    name: 'network-flushed',
    everyMs: 120_000,
    strike: (fleet, random) => pick(random, fleet.nodes)?.network.flush(),
  },
  {
    name: 'network-refuses',
    everyMs: 120_000,
    strike: (fleet, random) => {
      const network = pick(random, fleet.nodes)?.network;
      if (network === undefined) return;
      network.refuses = true;
      fleet.sim.after(between(random, 1000, 120_000), 'network obeys', () => (network.refuses = false));
    },
  },
  {
    name: 'clock-step',
    everyMs: 200_000,
    strike: (fleet, random) => {
      const ms = Math.floor(between(random, -1, 1) * (random.next() < 0.5 ? 30_000 : 7_200_000));
      if (random.next() < 0.5) fleet.controlPlane.stepWall(ms);
      else pick(random, fleet.nodes)?.wall.step(ms);
    },
  },
];

/** The nemeses of this seed: each takes part with even odds, and at least one does. `only` names them instead. */
export function drawFleetNemeses(random: Random, only: readonly string[] | undefined): readonly FleetNemesis[] {
  if (only !== undefined) return FLEET_NEMESES.filter(({ name }) => only.includes(name));
  const drawn = FLEET_NEMESES.filter(() => random.next() < 0.5);
  return drawn.length > 0 ? drawn : FLEET_NEMESES.slice(0, 1);
}

/** Lets the nemeses strike for `forMs` from now. */
export function unleashFleet(fleet: Fleet, nemeses: readonly FleetNemesis[], forMs: number): void {
  for (const nemesis of nemeses) {
    const random = fleet.sim.random.split(`nemesis ${nemesis.name}`);
    for (let at = 0; ; ) {
      at += -Math.log(1 - random.next()) * nemesis.everyMs;
      if (at >= forMs) break;
      fleet.sim.after(at, `nemesis ${nemesis.name}`, () => nemesis.strike(fleet, random));
    }
  }
}
