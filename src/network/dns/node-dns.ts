/** The DNS server of a node: finds addresses for it, and puts its parts together. */
import {
  type Clock,
  errorMessage,
  type FileSystem,
  type Logger,
  type MetricsRegistry,
  type Random,
} from '../../lib/index.ts';
import type { NetworkMachine } from '../network-machine.ts';
import type { Verdicts } from '../services/local-verdicts.ts';
import type { ServiceDirectory } from '../services/service-directory.ts';
import { AllowedClients } from './allowed-clients.ts';
import { parseName } from './codec/name.ts';
import { dnsLinkAddresses, dnsLinkName, networksOfLinks } from './dns-link.ts';
import { createDnsMetrics } from './dns-metrics.ts';
import { DnsServer } from './dns-server.ts';
import type { DnsSockets, OpenServer, ServerAddress } from './dns-sockets.ts';
import { Forwarder } from './forwarder.ts';
import { LoopGuard } from './loop-guard.ts';
import { KUBE_DNS, otherClusterDns } from './other-cluster-dns.ts';
import { DNS_PORT } from './resolv-conf.ts';
import { UpstreamServers } from './upstream-servers.ts';

export interface NodeDnsPorts {
  readonly sockets: DnsSockets;
  readonly machine: NetworkMachine;
  readonly fs: FileSystem;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: MetricsRegistry;
}

export interface NodeDnsSettings {
  readonly instanceId: string;
  /** '': the usual one. */
  readonly clusterDomain: string;
  /** The node's own resolv.conf; '': it has none. */
  readonly resolvConf: string;
  /** The network of this node's pods; '': the runtime's own, which is not known. */
  readonly podCidr: string;
}

/** What the server answers from. */
export interface NodeDnsSources {
  readonly directory: ServiceDirectory;
  readonly verdicts: Pick<Verdicts, 'of' | 'onChange'>;
}

const DEFAULT_DOMAIN = ['cluster', 'local'];

export class NodeDns {
  readonly #ports: NodeDnsPorts;
  readonly #settings: NodeDnsSettings;
  readonly #server: DnsServer;
  readonly #clients: AllowedClients;
  /** By address. */
  readonly #open = new Map<string, OpenServer>();
  readonly #sources: NodeDnsSources;
  #others: readonly ServerAddress[] | undefined;
  #address = '';

  /** @param signal ends what waits for answers */
  constructor(ports: NodeDnsPorts, settings: NodeDnsSettings, sources: NodeDnsSources, signal: AbortSignal) {
    this.#ports = ports;
    this.#settings = settings;
    this.#sources = sources;
    const { clock, random, logger, machine, sockets } = ports;
    const { directory } = sources;
    const metrics = createDnsMetrics(ports.metrics);
    const guard = new LoopGuard(ports);
    const upstream = new UpstreamServers(ports, settings.resolvConf, {
      isOwn: (address) => this.#leadsHere(address),
      leadsHere: (server) => guard.leadsHere(server),
    });
    this.#clients = new AllowedClients(
      {
        clock,
        addresses: () => [...machine.addresses(), ...this.#open.keys()],
        localNetworks: () => this.#localNetworks(),
      },
      settings.podCidr,
    );
    // An address can change once, before the first answer.
    const ownAddress = (): string => this.#address;
    this.#server = new DnsServer(
      { clock, logger, metrics },
      {
        view: {
          zone: parseName(settings.clusterDomain) ?? DEFAULT_DOMAIN,
          directory,
          verdictOf: (podUid, address) => sources.verdicts.of(podUid, address),
          get ownAddress() {
            return ownAddress();
          },
          next: () => random.next(),
        },
        directory,
        forwarder: new Forwarder({ sockets, clock, random, metrics }, signal),
        upstream: () => upstream.current(),
        others: () => this.#others,
        cameRound: guard.cameRound,
        isAllowed: this.#clients.isAllowed,
      },
      signal,
    );
    directory.onChange((key) => {
      if (key === `${KUBE_DNS.namespace}/${KUBE_DNS.name}`) this.#lookForOthers();
    });
    sources.verdicts.onChange(() => {
      // A pod of theirs may run on this node.
      if (directory.slices(KUBE_DNS.namespace, KUBE_DNS.name).length > 0) this.#lookForOthers();
    });
  }

  /**
   * Listens at the gateway of the pods' network, or at an address of its own where another program has the port there.
   * Idempotent: an agent that starts again listens as soon as it can.
   * @param gateway undefined: the pods' network is another's
   * @returns the address for pods; undefined: there is none, which the log says
   */
  async listen(gateway: string | undefined): Promise<string | undefined> {
    if (this.#address !== '') return this.#address;
    const atGateway = gateway === undefined ? 'taken' : await this.#listenAt(gateway);
    if (atGateway === 'no-address') return undefined;
    if (this.#settings.podCidr === '') await this.#clients.refresh();
    const atLink = await this.#listenAtLink(atGateway === 'open');
    const address = atGateway === 'open' ? gateway : atLink;
    const { logger } = this.#ports;
    if (address === undefined) {
      logger.error('no address has port 53 free: pods get the name servers of the node, and find no services');
      return undefined;
    }
    this.#address = address;
    if (atGateway === 'taken' && gateway !== undefined)
      logger.warn('another program has port 53 on the bridge of the pods: DNS listens elsewhere', {
        bridge: gateway,
        address,
      });
    logger.info('DNS listens', { addresses: [...this.#open.keys()] });
    return address;
  }

  async close(): Promise<void> {
    const open = [...this.#open.values()];
    this.#open.clear();
    await Promise.all(open.map((server) => server.close()));
  }

  async #listenAt(address: string): Promise<'open' | 'taken' | 'no-address'> {
    const result = await this.#ports.sockets.listen({ address, port: DNS_PORT }, this.#server.handle);
    if (result.ok) {
      this.#open.set(address, result.server);
      return 'open';
    }
    if (result.reason === 'no-address') return 'no-address';
    this.#ports.logger.warn('DNS cannot listen', { address, reason: result.message });
    return 'taken';
  }

  /** @param onlyIfThere pods that were started earlier may know its address; new ones need none */
  async #listenAtLink(onlyIfThere: boolean): Promise<string | undefined> {
    const { machine, logger } = this.#ports;
    const { instanceId } = this.#settings;
    const name = dnsLinkName(instanceId);
    try {
      const routes = await machine.allRoutes();
      if (onlyIfThere && !routes.some(({ dev }) => dev === name)) return undefined;
      for (const address of dnsLinkAddresses(instanceId, routes)) {
        await machine.ensureDummy({ name, address });
        if ((await this.#listenAt(address)) === 'open') return address;
        // It would be taken for the one that pods know.
        await machine.removeLink(name);
        if (onlyIfThere) return undefined;
      }
    } catch (error) {
      logger.warn('DNS cannot have a link of its own', { error: errorMessage(error) });
    }
    return undefined;
  }

  /** Of bridges and other links that are no network cards. */
  async #localNetworks(): Promise<readonly string[]> {
    const { machine, fs } = this.#ports;
    const networks = networksOfLinks(await machine.allRoutes());
    const virtual = await Promise.all(
      networks.map(async ({ dev }) => (await fs.stat(`/sys/class/net/${dev}/device`)) === undefined),
    );
    return networks.filter((_, at) => virtual[at]).map(({ dst }) => dst);
  }

  #leadsHere(address: string): boolean {
    if (this.#open.has(address)) return true;
    const { directory } = this.#sources;
    const own = directory.service(KUBE_DNS.namespace, KUBE_DNS.name);
    return this.#others === undefined && own?.spec?.clusterIP === address;
  }

  #lookForOthers(): void {
    const { directory, verdicts } = this.#sources;
    const before = this.#others;
    this.#others = otherClusterDns(directory, (podUid, address) => verdicts.of(podUid, address));
    const { logger } = this.#ports;
    if (before === undefined && this.#others !== undefined) {
      const servers = this.#others.map(({ address, port }) => `${address}:${port}`);
      logger.info('kube-dns has pods of its own: they are asked for names of the cluster', { servers });
    }
    if (before !== undefined && this.#others === undefined)
      logger.info('kube-dns has no pods: names of the cluster are answered here');
  }
}
