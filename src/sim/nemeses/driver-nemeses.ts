/** The nemeses of storage drivers: they fail, hang, lie, die, and are removed from a machine for a while. */
import type { Random } from '../../lib/index.ts';
import { noDriverFaults, type SimDriver } from '../drivers/sim-driver.ts';
import type { SimNode } from '../sim-node.ts';
import { type Nemesis, between, forAWhile } from './nemeses.ts';

export const DRIVER_NEMESES: readonly Nemesis[] = [
  {
    name: 'driver-faults',
    everyMs: 30_000,
    strike: (cluster, node, random) => {
      const driver = oneOf(node, random);
      forAWhile(
        cluster,
        'driver faults',
        between(random, 1000, 40_000),
        () => {
          driver.faults.fail = random.next() * 0.5;
          driver.faults.failAfter = random.next() * 0.5;
        },
        () => Object.assign(driver.faults, noDriverFaults()),
      );
    },
  },
  {
    name: 'driver-lies',
    everyMs: 60_000,
    strike: (cluster, node, random) => {
      const driver = oneOf(node, random);
      forAWhile(
        cluster,
        'driver lies',
        between(random, 1000, 20_000),
        () => {
          driver.faults.lie = random.next();
        },
        () => Object.assign(driver.faults, noDriverFaults()),
      );
    },
  },
  {
    name: 'driver-hangs',
    everyMs: 60_000,
    strike: (cluster, node, random) => {
      const driver = oneOf(node, random);
      forAWhile(
        cluster,
        'driver hangs',
        between(random, 1000, 20_000),
        () => {
          driver.faults.hang = random.next();
        },
        () => Object.assign(driver.faults, noDriverFaults()),
      );
    },
  },
  {
    name: 'driver-kill',
    everyMs: 30_000,
    strike: (cluster, node, random) => {
      const driver = oneOf(node, random);
      driver.die();
      cluster.sim.after(between(random, 0, 20_000), 'driver returns', () => driver.start());
    },
  },
  {
    name: 'driver-and-agent-kill',
    everyMs: 60_000,
    strike: (cluster, node, random) => {
      const driver = oneOf(node, random);
      driver.die();
      node.killAgent();
      cluster.sim.after(between(random, 0, 10_000), 'driver returns', () => driver.start());
      cluster.sim.after(between(random, 0, 10_000), 'agent returns', () => node.startAgent());
    },
  },
  {
    name: 'driver-gone',
    everyMs: 120_000,
    strike: (cluster, node, random) => {
      const driver = oneOf(node, random);
      driver.die(true);
      cluster.sim.after(between(random, 1000, 90_000), 'driver is back', () => driver.start());
    },
  },
  {
    name: 'attacher-down',
    everyMs: 90_000,
    strike: (cluster, _node, random) =>
      forAWhile(
        cluster,
        'attacher down',
        between(random, 1000, 40_000),
        () => {
          for (const attacher of cluster.attachers) attacher.isDown = true;
        },
        () => {
          for (const attacher of cluster.attachers) attacher.isDown = false;
        },
      ),
  },
];

/** Of a node that has drivers. */
function oneOf({ drivers, name }: SimNode, random: Random): SimDriver {
  const driver = drivers[Math.floor(random.next() * drivers.length)];
  if (driver === undefined) throw new Error(`${name} has no drivers`);
  return driver;
}

/** Those of this seed: each takes part with even odds. `only` names them instead. */
export function drawDriverNemeses(random: Random, only: readonly string[] | undefined): readonly Nemesis[] {
  return DRIVER_NEMESES.filter(({ name }) => (only === undefined ? random.next() < 0.5 : only.includes(name)));
}
