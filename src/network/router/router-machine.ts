/** The machine's packet filter as a port, for services. Adapter: `router-machine.node.ts`. */

/** One connection that conntrack knows, by what its client sent and by who answers. */
export interface TrackedConnection {
  readonly to: string;
  readonly toPort: number;
  readonly from: string;
  readonly fromPort: number;
  /** The address of whoever answers: after translation, the endpoint's. */
  readonly answeredBy: string;
  readonly answeredByPort: number;
}

export interface RouterMachine {
  /** One transaction of nft. @returns why it was refused; undefined: it was done */
  apply(text: string): Promise<string | undefined>;
  /** The table without the elements of its maps; undefined: there is none. @throws NetworkError when it cannot be read */
  outline(table: string): Promise<string | undefined>;
  /** The whole table, as JSON; undefined: there is none, or it cannot be read. */
  contents(table: string): Promise<string | undefined>;
  /** A missing table is no error. */
  removeTable(table: string): Promise<void>;
  /**
   * Calls `onRemoval` when somebody removed rules that may be ours; runs until the signal is aborted, or the watch fails.
   * @returns why it ended
   */
  watchRemovals(onRemoval: () => void, signal: AbortSignal): Promise<string>;
  /** Packets between the pods of one bridge pass the packet filter from now on. @returns why not, and what would help */
  filterBridges(): Promise<string | undefined>;
  /** The network of services has a route into this machine. @returns why not */
  ensureServiceRoute(route: ServiceRoute): Promise<string | undefined>;
  /** @returns why not */
  removeServiceRoute(route: ServiceRoute): Promise<string | undefined>;
  /** A missing one is no error. */
  removeServiceRoutes(metric: number): Promise<void>;
  /** IPv4 addresses of this machine. Cheap. */
  addresses(): readonly string[];
  /** UDP flows; undefined: conntrack cannot be asked. */
  udpConnections(): Promise<readonly TrackedConnection[] | undefined>;
  /** Forgets a flow of UDP, or a connection of TCP: its next packet is new. A missing one is no error. */
  forget(connection: TrackedConnection, protocol?: 'udp' | 'tcp'): Promise<void>;
  /** TCP connections that were begun, and that nobody has answered yet; undefined: conntrack cannot be asked. */
  begunConnections(): Promise<readonly TrackedConnection[] | undefined>;
  /** Forgets the TCP connections to the address that are not translated: their next packet is new. */
  forgetUntranslated(address: string): Promise<void>;
}

/** Linux' number for the routes to services; those to other nodes' pods have another. */
export const SERVICE_ROUTE_PROTOCOL = '119';

export interface ServiceRoute {
  /** "10.96.0.0/16" */
  readonly network: string;
  /** Tells instances apart, as `routeMetric`. */
  readonly metric: number;
}
