/** Sockets of the DNS as a port: our own, and those to other servers. Adapter: `dns-sockets.node.ts`. */
export type Transport = 'udp' | 'tcp';

export interface DnsClient {
  readonly address: string;
  readonly transport: Transport;
}

/** Called for each packet; `reply` sends one, now or later, and does nothing once the client has gone. */
export type PacketHandler = (packet: Uint8Array, client: DnsClient, reply: (packet: Uint8Array) => void) => void;

/** Where a server listens: an address of either family, and a port. */
export interface ServerAddress {
  readonly address: string;
  readonly port: number;
}

export interface OpenServer {
  close(): Promise<void>;
}

export type ListenResult =
  | { readonly ok: true; readonly server: OpenServer }
  /** `in-use`: another program has the port; `no-address`: the machine does not have the address (yet). */
  | { readonly ok: false; readonly reason: 'in-use' | 'no-address' | 'other'; readonly message: string };

export interface Exchange {
  readonly server: ServerAddress;
  readonly transport: Transport;
  readonly packet: Uint8Array;
  /** Whether this is the answer: packets that are none are dropped, and the next may be. */
  readonly accept: (packet: Uint8Array) => boolean;
  /** Ends the exchange. */
  readonly signal: AbortSignal;
}

export interface DnsSockets {
  /** By UDP and by TCP, or not at all. */
  listen(at: ServerAddress, handler: PacketHandler): Promise<ListenResult>;
  /**
   * Asks another server from a socket and a random port of its own. Packets that others send never count.
   * @returns undefined: the server cannot be reached, or the exchange was ended
   */
  exchange(exchange: Exchange): Promise<Uint8Array | undefined>;
}
