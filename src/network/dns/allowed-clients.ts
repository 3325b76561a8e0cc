/** Tells the node and its pods from strangers, so that the server is no open resolver. */
import type { Clock } from '../../lib/index.ts';
import { type Cidr, overlaps, parseCidr } from '../cidr.ts';
import { OWN_ADDRESSES_CHECK_MS } from './limits.ts';

export interface AllowedPorts {
  readonly clock: Clock;
  /** The machine's own addresses. Cheap. */
  readonly addresses: () => readonly string[];
  /** Networks of the machine's own bridges, where the pods' is not known. */
  readonly localNetworks: () => Promise<readonly string[]>;
}

const LOOPBACK = '127.0.0.0/8';

export class AllowedClients {
  readonly #ports: AllowedPorts;
  readonly #known: readonly Cidr[];
  readonly #asksForNetworks: boolean;
  #own: ReadonlySet<string> = new Set();
  #found: readonly Cidr[] = [];
  #readAt = Number.NEGATIVE_INFINITY;

  /** @param podCidr of this node's pods; '': another program gives them their addresses */
  constructor(ports: AllowedPorts, podCidr: string) {
    this.#ports = ports;
    this.#known = networksOf(podCidr === '' ? [LOOPBACK] : [podCidr, LOOPBACK]);
    this.#asksForNetworks = podCidr === '';
  }

  readonly isAllowed = (address: string): boolean => {
    if (this.#has(address)) return true;
    const { mono } = this.#ports.clock.now();
    if (mono - this.#readAt < OWN_ADDRESSES_CHECK_MS) return false;
    this.#readAt = mono;
    this.#own = new Set(this.#ports.addresses());
    if (this.#asksForNetworks) void this.refresh();
    return this.#has(address);
  };

  /** Reads the networks of bridges. A failure leaves what was known. */
  async refresh(): Promise<void> {
    try {
      this.#found = networksOf(await this.#ports.localNetworks());
    } catch {
      // Its clients ask again, and so does this.
    }
  }

  #has(address: string): boolean {
    if (this.#own.has(address)) return true;
    const one = parseCidr(address);
    return one !== undefined && [...this.#known, ...this.#found].some((network) => overlaps(network, one));
  }
}

function networksOf(texts: readonly string[]): readonly Cidr[] {
  return texts.flatMap((text) => parseCidr(text) ?? []);
}
