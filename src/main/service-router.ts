/** The node's router of services: what it needs of the machine, and its loops. */
import { type KubeObject, type Node, NODES } from '../api/index.ts';
import {
  createReflector,
  type KubeClient,
  type Lister,
  type SourceForm,
  withoutManagedFields,
} from '../client/index.ts';
import type { Logger, MetricsRegistry } from '../lib/index.ts';
import { systemProcess } from '../lib/process.node.ts';
import {
  bridgeName,
  HealthChecks,
  type HostSocket,
  LostNetworks,
  type RoutedNetworks,
  routeMetric,
  type RouterMachine,
  ServiceRouter,
  serviceTable,
  type TableSettings,
} from '../network/index.ts';
import { listenForHealth } from '../network/router/health-listener.node.ts';
import { openRouterMachine } from '../network/router/router-machine.node.ts';
import type { Ground } from './ground.ts';
import { outsideAddresses } from './outside-addresses.ts';
import type { ServiceNetwork } from './service-network.ts';
import type { StartedRoutes } from './service-routes.ts';

export interface RoutedServices {
  readonly instanceId: string;
  readonly nodeName: string;
  /** The network of this node's pods; '': a runtime's own, which is not known. */
  readonly podCidr: string;
  readonly routes: Pick<StartedRoutes, 'begin' | 'onChange'>;
  /** Where this node's own DNS answers; undefined: it has none. */
  readonly nodeDns?: () => { readonly ip: string; readonly port: number } | undefined;
  /** Ports of this machine that lead to pods. */
  readonly hostPorts: () => readonly HostSocket[];
  /** As the node. */
  readonly client: KubeClient;
  readonly metrics: MetricsRegistry;
}

/** Starts it; its table and its routes outlive it. */
export function startServiceRouter(ground: Ground, services: ServiceNetwork, wish: RoutedServices): ServiceRouter {
  const { clock, background } = ground;
  const logger = ground.logger.child({ component: 'service-router' });
  const machine = openRouterMachine(systemProcess);
  const nodes = startNodes(ground, wish.client);
  let zone: string | undefined;
  let serviceNetworks: readonly string[] = [];
  const outside = outsideAddresses(ground, {
    nodeName: wish.nodeName,
    client: wish.client,
    directory: services.directory,
    nodes,
    own: () => machine.addresses(),
    serviceNetworks: () => serviceNetworks,
    hostPorts: wish.hostPorts,
  });
  const router = new ServiceRouter(
    { machine, clock, logger, metrics: wish.metrics },
    {
      nodeName: wish.nodeName,
      zone: () => zone,
      nodeDns: wish.nodeDns ?? (() => undefined),
      refuses: (front) => outside.refuses(front),
    },
    {
      ...services,
      healthChecks: new HealthChecks(listenForHealth, wish.nodeName, logger),
      lostNetworks: wish.podCidr === '' ? undefined : new LostNetworks(clock, nodes),
    },
  );
  nodes.onChange(({ object }) => {
    const found = zoneOf(object);
    if (object.metadata?.name !== wish.nodeName || found === zone) return;
    zone = found;
    router.nodeChanged();
  });
  wish.routes.onChange((routed) => {
    serviceNetworks = routed.networks;
    router.settingsChanged(settingsOf(wish, routed));
  });
  const settings = async (): Promise<TableSettings> => {
    await prepare(machine, logger);
    const routed = await wish.routes.begin();
    serviceNetworks = routed.networks;
    await outside.begin();
    outside.start((keys) => router.nodeChanged(keys));
    return settingsOf(wish, routed);
  };
  background.start('service router', (signal) => router.run(settings, signal));
  return router;
}

/** Images are most of a node, and nothing to routing. */
const WITHOUT_IMAGES: SourceForm = {
  name: 'without images',
  metadataOnly: false,
  keep: <T extends KubeObject>(object: T) => {
    delete (object as Node).status?.images;
    return withoutManagedFields(object);
  },
};

function startNodes({ clock, random, logger, background }: Ground, client: KubeClient): Lister<Node> {
  const ports = { client, clock, random: random.split('nodes'), logger: logger.child({ component: 'nodes' }) };
  const nodes = createReflector<Node>(ports, { resource: NODES, query: {}, form: WITHOUT_IMAGES });
  background.start('nodes', (signal) => nodes.run(signal));
  return nodes.lister;
}

/** Removes what a router of this instance left. */
export async function removeServiceRouting(instanceId: string): Promise<void> {
  const machine = openRouterMachine(systemProcess);
  await machine.removeTable(serviceTable(instanceId));
  await machine.removeServiceRoutes(routeMetric({ bridge: bridgeName(instanceId) }));
}

function zoneOf(node: Node): string | undefined {
  return node.metadata?.labels?.['topology.kubernetes.io/zone'];
}

/** What the machine lacks is said once, with what would help; the rest works. */
async function prepare(machine: RouterMachine, logger: Logger): Promise<void> {
  const lacking = await machine.filterBridges();
  if (lacking !== undefined) logger.warn(lacking);
}

function settingsOf({ instanceId, podCidr }: RoutedServices, { networks, foreign }: RoutedNetworks): TableSettings {
  return {
    instanceId,
    podNetworks: podCidr === '' ? [] : [podCidr],
    serviceNetworks: networks,
    routesHost: foreign.length < networks.length,
    foreignNetworks: foreign,
  };
}
