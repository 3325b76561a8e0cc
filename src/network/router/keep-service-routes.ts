/**
 * Keeps the routes to the networks of services, as ServiceCIDRs come and go, and brings back those that somebody removed. A watch of
 * the machine's routes tells at once; a rare look finds the rest.
 */
import type { ServiceCIDR } from '../../api/index.ts';
import type { Lister } from '../../client/index.ts';
import { type Clock, errorMessage, type Logger } from '../../lib/index.ts';
import { Wake } from '../wake.ts';
import { type MachineRoute, planServiceRoutes, serviceNetworksOf } from './plan-service-routes.ts';
import type { RouterMachine } from './router-machine.ts';

export interface ServiceRoutesPorts {
  readonly machine: Pick<RouterMachine, 'ensureServiceRoute' | 'removeServiceRoute'>;
  /** IPv4 routes of all tables. */
  readonly routes: () => Promise<readonly MachineRoute[]>;
  readonly clock: Clock;
  readonly logger: Logger;
  /** For an event: what somebody removed, which is back. */
  readonly tell: (message: string) => void;
}

/** The networks of services as this machine routes them. */
export interface RoutedNetworks {
  /** Sorted. */
  readonly networks: readonly string[];
  /** Those of them that are somebody else's on this machine, and with them the host's own traffic to them. */
  readonly foreign: readonly string[];
}

/** The server's ServiceCIDRs; none: it does not say. */
export type KnownServiceCidrs = Pick<Lister<ServiceCIDR>, 'synced' | 'list' | 'onChange'>;

/** ServiceCIDRs come in bursts, and so do removals of routes. */
const SETTLE_MS = 50;
const LOOK_EVERY_MS = 60_000;
const RETRY_MS = 5000;

export class ServiceRoutes {
  readonly #ports: ServiceRoutesPorts;
  readonly #metric: number;
  readonly #wake: Wake;
  readonly #listeners = new Set<(routed: RoutedNetworks) => void>();
  #networks: readonly string[];
  #decided: ReadonlyMap<string, boolean> = new Map();
  /** Networks that have had their route. */
  #routed: ReadonlySet<string> = new Set();
  #told = '';
  #state = '';

  /** @param metric tells instances apart, as `routeMetric` @param networks what is known before the server tells more */
  constructor(ports: ServiceRoutesPorts, metric: number, networks: readonly string[]) {
    this.#ports = ports;
    this.#metric = metric;
    this.#networks = networks.toSorted();
    this.#wake = new Wake(ports.clock);
  }

  /** Looks once. @param networks as the server has them; undefined: it does not say */
  async begin(networks?: readonly string[]): Promise<RoutedNetworks> {
    if (networks !== undefined && networks.length > 0) this.#networks = networks.toSorted();
    await this.#look();
    this.#state = JSON.stringify(this.#current);
    return this.#current;
  }

  /** Runs until the signal is aborted. Routes stay. */
  async run(cidrs: KnownServiceCidrs, signal: AbortSignal): Promise<void> {
    const end = cidrs.onChange(() => this.#wake.soon(SETTLE_MS));
    try {
      while (!signal.aborted) {
        const found = cidrs.synced ? serviceNetworksOf(cidrs.list()) : [];
        if (found.length > 0) this.#networks = found;
        const isRight = await this.#look();
        if (signal.aborted) return;
        this.#wake.soon(isRight ? LOOK_EVERY_MS : RETRY_MS);
        await this.#wake.wait(signal);
      }
    } finally {
      end();
    }
  }

  /** Somebody may have removed routes. */
  again(): void {
    this.#wake.soon(SETTLE_MS);
  }

  /** Calls the listener when the networks, or whose they are, have changed. */
  onChange(listener: (routed: RoutedNetworks) => void): void {
    this.#listeners.add(listener);
  }

  get #current(): RoutedNetworks {
    return { networks: this.#networks, foreign: this.#networks.filter((each) => this.#decided.get(each) === false) };
  }

  /** @returns whether everything is as it should be */
  async #look(): Promise<boolean> {
    const { logger } = this.#ports;
    const failures: string[] = [];
    try {
      await this.#correct(failures);
    } catch (error) {
      failures.push(errorMessage(error));
    }
    const text = failures.join('; ');
    if (text !== '' && text !== this.#told)
      logger.warn('routes of services are not right: the host itself may not reach services', { error: text });
    this.#told = text;
    return text === '';
  }

  async #correct(failures: string[]): Promise<void> {
    const { machine, routes, logger } = this.#ports;
    const metric = this.#metric;
    const needs = { networks: this.#networks, decided: this.#decided, metric };
    const { missing, stale, isOurs, foreign } = planServiceRoutes(needs, await routes());
    this.#decided = isOurs;
    for (const { network, route } of foreign) {
      logger.warn('the host itself does not reach these services: its addresses of them lead elsewhere', {
        network,
        route: `${route.dst ?? 'default'} through ${route.dev ?? 'this host'}`,
        help: 'another --service-cidr for one of the two',
      });
    }
    for (const network of stale) {
      const failure = await machine.removeServiceRoute({ network, metric });
      if (failure !== undefined) failures.push(failure);
    }
    const made: string[] = [];
    for (const network of missing) {
      const failure = await machine.ensureServiceRoute({ network, metric });
      if (failure === undefined) made.push(network);
      else failures.push(failure);
    }
    const restored = made.filter((network) => this.#routed.has(network));
    const [wasRouted, isMissing] = [this.#routed, new Set(missing)];
    this.#routed = new Set(
      [...isOurs].flatMap(([network, ours]) =>
        ours && (!isMissing.has(network) || made.includes(network) || wasRouted.has(network)) ? [network] : [],
      ),
    );
    if (restored.length > 0) this.#restored(restored);
    this.#announce();
  }

  #restored(networks: readonly string[]): void {
    const text = networks.join(', ');
    this.#ports.logger.warn('somebody removed routes of services; they are back', { networks: text });
    this.#ports.tell(`Somebody removed routes of services, which are back: ${text}`);
  }

  #announce(): void {
    const state = JSON.stringify(this.#current);
    if (state === this.#state) return;
    if (this.#state !== '') this.#ports.logger.info('networks of services', { ...this.#current });
    this.#state = state;
    for (const listener of this.#listeners) listener(this.#current);
  }
}
