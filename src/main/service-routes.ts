/** The routes to the networks of services: what keeps them needs of the machine and of the server. */
import { SERVICE_CIDRS, type ServiceCIDR } from '../api/index.ts';
import { createReflector, type KubeClient } from '../client/index.ts';
import { errorMessage, type Logger, silentLogger } from '../lib/index.ts';
import { systemProcess } from '../lib/process.node.ts';
import { bridgeName, routeMetric, type RoutedNetworks, serviceNetworksOf, ServiceRoutes } from '../network/index.ts';
import { openNetworkMachine } from '../network/network-machine.node.ts';
import { openRouterMachine } from '../network/router/router-machine.node.ts';
import type { Ground } from './ground.ts';

export interface RoutedNetworksWish {
  readonly instanceId: string;
  /** The network of services, if the server does not say; undefined: the usual one. */
  readonly serviceCidr: string | undefined;
  /** As the node. */
  readonly client: KubeClient;
  /** For an event. */
  readonly tell: (message: string) => void;
}

export interface StartedRoutes {
  /** Asks the server for the networks, makes their routes, and keeps them from then on. */
  begin(): Promise<RoutedNetworks>;
  /** Somebody may have removed routes. */
  again(): void;
  /** Calls the listener when the networks, or whose they are on this machine, have changed. */
  onChange(listener: (routed: RoutedNetworks) => void): void;
}

const USUAL_SERVICE_CIDR = '10.96.0.0/16';

/** Prepares it; the routes outlive it. */
export function serviceRoutes(
  { clock, random, background, ...ground }: Ground,
  { instanceId, serviceCidr, client, tell }: RoutedNetworksWish,
): StartedRoutes {
  const logger = ground.logger.child({ component: 'service-routes' });
  const network = openNetworkMachine(systemProcess);
  const machine = openRouterMachine(systemProcess);
  const metric = routeMetric({ bridge: bridgeName(instanceId) });
  const routes = new ServiceRoutes({ machine, routes: () => network.allRoutes(), clock, logger, tell }, metric, [
    serviceCidr ?? USUAL_SERVICE_CIDR,
  ]);
  return {
    begin: async () => {
      const routed = await routes.begin(await networksOf(client, logger));
      // A cluster before 1.33 has no such objects, which was said.
      const ports = { client, clock, random: random.split('service-cidrs'), logger: silentLogger };
      const cidrs = createReflector<ServiceCIDR>(ports, { resource: SERVICE_CIDRS, query: {} });
      background.start('service CIDRs', (signal) => cidrs.run(signal));
      background.start('service routes', (signal) => routes.run(cidrs.lister, signal));
      return routed;
    },
    again: () => routes.again(),
    onChange: (listener) => routes.onChange(listener),
  };
}

/** The networks of services, as the server has them; undefined: it does not say. */
async function networksOf(client: KubeClient, logger: Logger): Promise<readonly string[] | undefined> {
  try {
    return serviceNetworksOf((await client.list(SERVICE_CIDRS)).items);
  } catch (error) {
    logger.warn('the networks of services are not known yet; the usual one is taken', { error: errorMessage(error) });
    return undefined;
  }
}
