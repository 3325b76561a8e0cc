/** Which addresses outside of the network of services a service may have on a node, and which ports there. Pure. */
import type { Node, Service } from '../../api/index.ts';
import { type Cidr, overlaps, parseCidr } from '../cidr.ts';

/** Says that the addresses in a service's status are those of nodes, given by mendlet's controller. */
export const BALANCER_ANNOTATION = 'mendlet.dev/load-balancer';
export const BALANCER_VALUE = 'node-addresses';
/** Of a Node: ports that services of type LoadBalancer want, and that programs of its machine have: "80/TCP,443/TCP". */
export const TAKEN_PORTS_ANNOTATION = 'mendlet.dev/taken-ports';

/** An address outside of the network of services, at which a service wants to be reached. */
export interface OutsideFront {
  readonly ip: string;
  /** "80/TCP" */
  readonly port: string;
  /** Who gave the address: the service's author, mendlet's controller (then it is a node's), or another controller. */
  readonly by: 'externalIPs' | 'nodes' | 'others';
}

/** "80/TCP" */
export function portName(port: number, protocol = 'TCP'): string {
  return `${port}/${protocol}`;
}

/** Whether mendlet's controller gave the addresses in its status. */
export function hasNodeAddresses({ metadata }: Service): boolean {
  return metadata?.annotations?.[BALANCER_ANNOTATION] === BALANCER_VALUE;
}

/** The ports of this node that its machine's programs have, as its agent says. */
export function takenPortsOf({ metadata }: Node): ReadonlySet<string> {
  return new Set((metadata?.annotations?.[TAKEN_PORTS_ANNOTATION] ?? '').split(',').filter((port) => port !== ''));
}

/** What the addresses of a cluster belong to. */
export interface AddressOwners {
  /** By address. */
  readonly nodes: ReadonlyMap<string, string>;
  readonly podNetworks: readonly Cidr[];
}

export function addressOwners(nodes: readonly Node[]): AddressOwners {
  const named = nodes.flatMap(({ metadata, status }) =>
    (status?.addresses ?? []).map(({ address }) => [address, metadata?.name ?? ''] as const),
  );
  const networks = nodes.flatMap(({ spec }) => spec?.podCIDRs ?? (spec?.podCIDR ? [spec.podCIDR] : []));
  return { nodes: new Map(named), podNetworks: networks.flatMap((text) => parseCidr(text) ?? []) };
}

const LOOPBACK = { base: 127 * 2 ** 24, prefix: 8 };
const LINK_LOCAL = { base: (169 * 256 + 254) * 2 ** 16, prefix: 16 };

/**
 * Why an external address that a service's author chose is not routed: it would take the traffic of somebody else.
 * @param own addresses of this machine @param serviceNetworks of cluster IPs
 * @returns undefined: it is routed
 */
export function externalIpProblem(
  ip: string,
  owners: AddressOwners,
  { own, serviceNetworks }: { readonly own: readonly string[]; readonly serviceNetworks: readonly string[] },
): string | undefined {
  const address = parseCidr(ip);
  if (address === undefined) return 'it is no IPv4 address';
  const isWithin = (networks: readonly Cidr[]): boolean => networks.some((network) => overlaps(network, address));
  if (isWithin([LOOPBACK, LINK_LOCAL])) return 'it is an address of this machine alone';
  const node = owners.nodes.get(ip);
  if (node !== undefined) return `it is an address of node ${node}`;
  if (own.includes(ip)) return 'it is an address of this machine';
  if (isWithin(serviceNetworks.flatMap((text) => parseCidr(text) ?? [])))
    return 'it is in the range of service addresses';
  return isWithin(owners.podNetworks) ? 'it is in the range of pod addresses' : undefined;
}
