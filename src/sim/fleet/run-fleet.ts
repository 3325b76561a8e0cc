/**
 * Runs one simulation of a fleet: nodes, workloads, and the nemeses that the seed drew.
 *
 *   settle ─► faults and changes (safety after every event) ─► heal ─► all is as asked for ─► all deleted, all gone
 */
import { type Logger, silentLogger } from '../../lib/index.ts';
import type { ControllersSettings } from '../../controllers/index.ts';
import type { RunReport } from '../run-seed.ts';
import { Sim, type SimOptions } from '../sim.ts';
import { untilWell } from '../until-well.ts';
import { Fleet } from './fleet.ts';
import { checkFleet } from './invariants/all.ts';
import { drawFleetNemeses, type FleetNemesis, unleashFleet } from './nemeses.ts';
import { notYetGone, notYetWell } from './pending.ts';
import { VolumeWorkload } from './volume-workload.ts';
import { FleetWorkload, type WorkloadSize } from './workload.ts';

export interface FleetRunOptions {
  readonly nodes?: number;
  readonly size?: WorkloadSize;
  /** Length of the faults' phase, virtual minutes. */
  readonly minutes?: number;
  readonly only?: readonly string[];
  readonly logger?: Logger;
  readonly controllers?: Partial<ControllersSettings>;
  /** Stateful sets whose members have volumes. Default: none. */
  readonly volumeSets?: number;
}

export const SMALL_FLEET = { deployments: 3, replicas: 12, statefulSets: 2, daemonSets: 1, jobs: 3 } as const;

const ZONES = 3;
const SETTLE_MS = 60_000;
const LIVENESS_MS = 40 * 60_000;
const CLEAN_UP_MS = 10 * 60_000;
/** A folder that was left over is found by a look every ten minutes, and is removed a quarter of an hour later. */
const LEFT_OVERS_MS = 45 * 60_000;
const LOOK_EVERY_MS = 10_000;

export async function runFleet(simOptions: SimOptions, options: FleetRunOptions = {}): Promise<RunReport> {
  const { nodes = 9, size = SMALL_FLEET, minutes = 20, only, logger = silentLogger, controllers = {} } = options;
  const { volumeSets = 0 } = options;
  const sim = new Sim(simOptions);
  const nemeses = drawFleetNemeses(sim.random.split('shape'), only);
  const fleet = new Fleet({ sim, nodes, zones: ZONES, logger, controllers, hasVolumes: volumeSets > 0 });
  const failure = await play(fleet, nemeses, { size, volumeSets, faultsMs: minutes * 60_000 });
  return {
    seed: simOptions.seed,
    nemeses: nemeses.map(({ name }) => name),
    hash: sim.trace.hash,
    events: sim.processed,
    virtualMs: sim.mono,
    ...(failure === undefined ? {} : { failure }),
  };
}

async function play(
  fleet: Fleet,
  nemeses: readonly FleetNemesis[],
  {
    size,
    volumeSets,
    faultsMs,
  }: { readonly size: WorkloadSize; readonly volumeSets: number; readonly faultsMs: number },
): Promise<unknown> {
  const { sim } = fleet;
  try {
    checkFleet(fleet);
    fleet.start();
    await sim.run(SETTLE_MS);
    const workload = new FleetWorkload(fleet);
    workload.plan(size, faultsMs);
    const volumes = new VolumeWorkload(fleet);
    volumes.plan(volumeSets, faultsMs);
    unleashFleet(fleet, nemeses, faultsMs);
    await sim.run(SETTLE_MS + faultsMs);
    fleet.heal();
    await untilWell(sim, () => workload.pending() ?? volumes.pending() ?? notYetWell(fleet), {
      withinMs: LIVENESS_MS,
      lookEveryMs: LOOK_EVERY_MS,
    });
    workload.deleteAll();
    volumes.deleteSets();
    await untilWell(sim, () => workload.pending() ?? volumes.pending() ?? notYetGone(fleet), {
      withinMs: CLEAN_UP_MS,
      lookEveryMs: LOOK_EVERY_MS,
    });
    volumes.deleteClaims();
    await untilWell(sim, () => volumes.pending() ?? volumes.notYetGone(), {
      withinMs: LEFT_OVERS_MS,
      lookEveryMs: LOOK_EVERY_MS,
    });
    return undefined;
  } catch (error) {
    return error;
  }
}
