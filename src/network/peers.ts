/** Plans which other nodes' pods have to be reached, and by which way. Pure. */
import { parseIpv4Range } from '../api/index.ts';
import { type Cidr, overlaps, parseCidr } from './cidr.ts';
import type { NodeRoute } from './node-routes.ts';
import type { Peer } from './peer-routes.ts';

export interface OwnNode {
  readonly nodeName: string;
  /** The network of its pods; '': it has none. */
  readonly podCidr: string;
  /** All addresses of this machine. */
  readonly addresses: readonly string[];
}

/** Prefix lengths of networks that pods may have: a longer one has no room, a shorter one is a mistake or an attack. */
const SHORTEST_PREFIX = 8;
const LONGEST_PREFIX = 28;

/** One for each network of another node; IPv4 alone. */
export function peersOf(routes: readonly NodeRoute[], own: OwnNode): readonly Peer[] {
  const ownNetwork = networkOf(own.podCidr);
  const peers = new Map<string, Peer>();
  for (const { node, podCIDRs, addresses } of routes.toSorted((a, b) => (a.node < b.node ? -1 : 1))) {
    if (node === own.nodeName) continue;
    const address = addresses.find((at) => !at.includes(':'));
    for (const cidr of podCIDRs) {
      const network = networkOf(cidr);
      if (address === undefined || network === undefined || peers.has(cidr)) continue;
      if (ownNetwork !== undefined && overlaps(network, ownNetwork)) continue;
      // Another instance on this machine: its bridge is here.
      peers.set(cidr, own.addresses.includes(address) ? { cidr } : { cidr, via: address });
    }
  }
  return [...peers.values()];
}

/** `undefined`: no network that pods may have, or one with bits set behind its mask. */
function networkOf(text: string): Cidr | undefined {
  const cidr = parseIpv4Range(text) === undefined ? undefined : parseCidr(text);
  return cidr !== undefined && cidr.prefix >= SHORTEST_PREFIX && cidr.prefix <= LONGEST_PREFIX ? cidr : undefined;
}
