/** Which other nodes' pods are to be reached, and by which way. Pure. */
import { parsePodCidr } from '../cli/index.ts';
import type { NodeRoute } from '../controllers/index.ts';
import type { Peer } from '../cri/containerd/network.node.ts';

export interface OwnNode {
  readonly nodeName: string;
  /** The network of its pods. */
  readonly podCidr: string;
  /** All addresses of this machine. */
  readonly addresses: readonly string[];
}

/** One for each network of another node; IPv4 alone. */
export function peersOf(routes: readonly NodeRoute[], own: OwnNode): readonly Peer[] {
  const peers = new Map<string, Peer>();
  for (const { node, podCIDRs, addresses } of routes.toSorted((a, b) => (a.node < b.node ? -1 : 1))) {
    if (node === own.nodeName) continue;
    const address = addresses.find((at) => !at.includes(':'));
    for (const cidr of podCIDRs) {
      if (address === undefined || !isNetwork(cidr) || overlap(cidr, own.podCidr) || peers.has(cidr)) continue;
      // Another instance on this machine: its bridge is here.
      peers.set(cidr, own.addresses.includes(address) ? { cidr } : { cidr, via: address });
    }
  }
  return [...peers.values()];
}

function isNetwork(cidr: string): boolean {
  try {
    parsePodCidr(cidr);
    return true;
  } catch {
    return false;
  }
}

function overlap(one: string, other: string): boolean {
  if (!isNetwork(other)) return false;
  const [a, b] = [parsePodCidr(one), parsePodCidr(other)];
  const [wide, narrow] = a.prefix <= b.prefix ? [a, b] : [b, a];
  return narrow.base >= wide.base && narrow.base < wide.base + 2 ** (32 - wide.prefix);
}
