/**
 * Runs one simulation: a cluster, a workload and the nemeses that the seed drew.
 *
 *   settle ─► faults on (safety after every event) ─► heal ─► liveness: everything pending must come ─► all deleted, all gone
 */
import type { RunAgent } from './sim-node.ts';
import { type Logger, type Random, silentLogger } from '../lib/index.ts';
import { DeathLedger } from './death-ledger.ts';
import type { EventLoop } from './event-loop.ts';
import { checkInvariants } from './invariants/all.ts';
import { wrongHostPorts } from './invariants/host-ports.ts';
import type { DriverKind } from './drivers/sim-driver.ts';
import { drawDriverNemeses } from './nemeses/driver-nemeses.ts';
import { type Nemesis, drawNemeses, unleash } from './nemeses/nemeses.ts';
import { SimCluster } from './sim-cluster.ts';
import { Sim } from './sim.ts';
import type { Trace } from './trace.ts';
import { untilWell } from './until-well.ts';
import { Hospital, HOUSE } from './workloads/hospital.ts';
import { ServiceWorkload } from './workloads/services.ts';
import { Storers } from './workloads/storers.ts';
import { Keepers } from './workloads/keepers.ts';
import { VolumesKept } from './invariants/volumes-kept.ts';
import { wrongTraffic } from './invariants/service-traffic.ts';
import { tablesDiffer } from './invariants/table-equals-plan.ts';

export interface RunOptions {
  readonly seed: number | string;
  readonly loop: EventLoop;
  readonly runAgent: RunAgent;
  /** Length of the faults' phase, virtual minutes; default 5. */
  readonly minutes?: number;
  /** Names of the nemeses, instead of those that the seed draws. */
  readonly only?: readonly string[];
  /** Storage drivers on all nodes; absent: as the seed draws. */
  readonly hasDrivers?: boolean;
  readonly trace?: Trace;
  readonly logger?: Logger;
}

export interface RunReport {
  readonly seed: number | string;
  readonly nemeses: readonly string[];
  /** Hash of everything that happened. */
  readonly hash: string;
  readonly events: number;
  /** Virtual ms. */
  readonly virtualMs: number;
  readonly failure?: unknown;
}

const SETTLE_MS = 10_000;
const LIVENESS_MS = 20 * 60_000;
const CLEAN_UP_MS = 6 * 60_000;
/** A folder that was left over is found by a look every ten minutes, and is removed a quarter of an hour later. */
const LEFT_OVERS_MS = 45 * 60_000;
const LOOK_EVERY_MS = 5000;
const KEEPERS = 2;
const STORERS = 3;
/** Share of seeds with storage drivers. */
const DRIVERS_SHARE = 0.5;

export async function runSeed(options: RunOptions): Promise<RunReport> {
  const { seed, loop, runAgent, minutes = 5, only } = options;
  const sim = new Sim({ seed, loop, ...(options.trace === undefined ? {} : { trace: options.trace }) });
  const shape = sim.random.split('shape');
  const nodes = 1 + Math.floor(shape.next() * 2);
  const drivers = drawDrivers(sim.random.split('drivers'), options.hasDrivers);
  const nemeses = [...drawNemeses(shape, only)];
  if (drivers.length > 0) nemeses.push(...drawDriverNemeses(sim.random.split('driver nemeses'), only));
  const logger = options.logger ?? silentLogger;
  const cluster = new SimCluster({ sim, nodes, runAgent, logger, hasVolumes: true, drivers });
  const pods = 4 + Math.floor(shape.next() * 8);
  const failure = await play(cluster, { nemeses, drivers, pods, faultsMs: minutes * 60_000 });
  return {
    seed,
    nemeses: nemeses.map(({ name }) => name),
    hash: sim.trace.hash,
    events: sim.processed,
    virtualMs: sim.mono,
    ...(failure === undefined ? {} : { failure }),
  };
}

interface Shape {
  readonly nemeses: readonly Nemesis[];
  readonly drivers: readonly DriverKind[];
  readonly pods: number;
  readonly faultsMs: number;
}

function drawDrivers(random: Random, wanted: boolean | undefined): readonly DriverKind[] {
  const drawn = random.next() < DRIVERS_SHARE;
  if (!(wanted ?? drawn)) return [];
  return [
    {
      name: 'disks.sim',
      stages: true,
      mountsStaging: random.next() < 0.7,
      isForgetful: random.next() < 0.3,
      attaches: random.next() < 0.6,
    },
    {
      name: 'shares.sim',
      stages: false,
      mountsStaging: false,
      isForgetful: random.next() < 0.3,
      attaches: false,
    },
  ];
}

async function play(cluster: SimCluster, { nemeses, drivers, pods, faultsMs }: Shape): Promise<unknown> {
  const { sim } = cluster;
  const hospital = new Hospital(cluster);
  const services = new ServiceWorkload(cluster);
  const keepers = new Keepers(cluster);
  const storers = new Storers(cluster);
  const deaths = new DeathLedger(cluster);
  try {
    const { traffic, hostPorts } = checkInvariants(cluster);
    const volumes = new VolumesKept(cluster);
    const wrong = (): string | undefined =>
      tablesDiffer(cluster) ?? wrongTraffic(traffic.look(), sim.mono) ?? wrongHostPorts(cluster, hostPorts);
    cluster.start();
    await sim.run(SETTLE_MS);
    hospital.plan(pods, 0, faultsMs);
    services.plan(HOUSE, 0, faultsMs);
    keepers.plan(KEEPERS, faultsMs);
    storers.plan(drivers, STORERS, faultsMs);
    unleash(cluster, nemeses, 0, faultsMs);
    await sim.run(SETTLE_MS + faultsMs);
    cluster.heal();
    keepers.endContention();
    const missing = (): string | undefined =>
      hospital.pending() ?? services.pending() ?? keepers.pending() ?? storers.pending() ?? deaths.missing() ?? wrong();
    await untilWell(sim, missing, { withinMs: LIVENESS_MS, lookEveryMs: LOOK_EVERY_MS });
    hospital.deleteAll();
    services.deleteAll();
    keepers.deleteAll();
    storers.deleteAll();
    const left = (): string | undefined =>
      hospital.pending() ??
      services.pending() ??
      keepers.pending() ??
      storers.pending() ??
      cluster.leftovers() ??
      wrong();
    await untilWell(sim, left, { withinMs: CLEAN_UP_MS, lookEveryMs: LOOK_EVERY_MS });
    keepers.deleteClaims();
    storers.deleteClaims();
    const kept = (): string | undefined => keepers.pending() ?? keepers.notYetGone() ?? volumes.leftOver();
    await untilWell(sim, kept, { withinMs: LEFT_OVERS_MS, lookEveryMs: LOOK_EVERY_MS });
    return undefined;
  } catch (error) {
    return error;
  }
}
