/** The routing of one simulated agent's life: the real directory, router and keeper of rules, on the machine's packet filter. */
import type { KubeClient } from '../client/index.ts';
import { type Clock, createMetrics, type Logger } from '../lib/index.ts';
import {
  createServiceDirectory,
  HealthChecks,
  keepRules,
  LocalVerdicts,
  PodTable,
  podNetworkOf,
  podTableName,
  type PodTraffic,
  podRouting,
  ServiceRouter,
  serviceTable,
  type TableSettings,
  type Verdicts,
} from '../network/index.ts';
import { createSimRouterMachine, type RouterMachineWiring } from './sim-router-machine.ts';

/** Of all simulated agents. */
export const INSTANCE_ID = 'sim';
export const SERVICE_TABLE = serviceTable(INSTANCE_ID);
export const POD_TABLE = podTableName(INSTANCE_ID);
/** A start whose packet filter refuses is tried again, ms. */
const OPEN_AGAIN_MS = 1000;
const SERVICE_NETWORK = '10.96.0.0/16';

export interface SimRouting {
  /** The kubelet's ports. */
  readonly port: PodTraffic;
  readonly hostPorts: PodTable;
  readonly verdicts: Verdicts;
  /** True after the first load of this life. */
  readonly isLoaded: () => boolean;
}

export interface RoutingGround {
  readonly nodeName: string;
  readonly podNetwork: string;
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly onRestored: () => void;
}

export function tableSettings(podNetwork: string): TableSettings {
  return { instanceId: INSTANCE_ID, podNetworks: [podNetwork], serviceNetworks: [SERVICE_NETWORK], routesHost: true };
}

/** Runs until the life's signal is aborted. */
export function startSimRouting(ground: RoutingGround, wiring: RouterMachineWiring): SimRouting {
  const { nodeName, podNetwork, client, clock, logger, onRestored } = ground;
  const { sim, life, random } = wiring;
  const metrics = createMetrics();
  const machine = createSimRouterMachine(wiring);
  const directory = createServiceDirectory({ client, clock, random: random.split('services'), logger });
  const verdicts = new LocalVerdicts();
  const router = new ServiceRouter(
    { machine, clock, logger, metrics },
    { nodeName, zone: () => undefined, nodeDns: () => undefined },
    {
      directory,
      verdicts,
      lostNetworks: undefined,
      healthChecks: new HealthChecks(async () => ({ close: () => {} }), nodeName, logger),
    },
  );
  let isLoaded = false;
  router.onApplied((isLoad) => {
    isLoaded ||= isLoad;
  });
  const port = podRouting({ clock, directory, verdicts, router, connections: async () => [] });
  const hostPorts = new PodTable({ machine, clock, logger, metrics }, podNetworkOf(INSTANCE_ID, podNetwork));
  const tables = [
    { table: SERVICE_TABLE, writer: router, isThere: false },
    { table: POD_TABLE, writer: hostPorts, isThere: true },
  ];
  const kept = { tables, restoreOthers: async () => [], tell: onRestored };
  const { signal } = life;
  const loops = async (): Promise<unknown> => {
    // As in a real agent, the network of the pods is there before anything else.
    while (!signal.aborted && (await hostPorts.open()) !== undefined) {
      await clock.sleep(OPEN_AGAIN_MS, signal).catch(() => {});
    }
    if (signal.aborted) return undefined;
    return Promise.all([
      directory.run(signal),
      hostPorts.run(signal),
      router.run(async () => tableSettings(podNetwork), signal),
      keepRules({ machine, clock, logger, metrics }, kept, signal),
    ]);
  };
  loops().catch((error: unknown) => {
    if (life.alive) sim.fail(error);
  });
  return { port, hostPorts, verdicts, isLoaded: () => isLoaded };
}
