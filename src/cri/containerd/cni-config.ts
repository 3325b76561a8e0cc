/** The pods' network: names, CNI configuration, packet filter rules. Pure; `network.node.ts` makes it so. */
import { type Cidr, formatCidr, gatewayOf, overlaps, parseCidr } from './cidr.ts';
import { ROUTE_PROTOCOL } from './peer-routes.ts';

/** The network of one mendlet instance. */
export interface PodNetwork {
  readonly instanceId: string;
  /** At most 15 bytes, as Linux wants. */
  readonly bridge: string;
  readonly cidr: Cidr;
  /** The bridge's own address: the pods' gateway, and where they find the API server. */
  readonly gateway: string;
}

/** A network of less than 8 addresses has no room for pods; one beyond /8 is a mistake. */
const LONGEST_PREFIX = 29;
const SHORTEST_PREFIX = 8;
/** mndt- and ten characters make Linux' 15. */
export const BRIDGE_PREFIX = 'mndt-';
const BRIDGE_ID_LENGTH = 10;

/** The network for `--pod-cidr`, or one sentence about what is wrong with it. */
export function podNetwork(instanceId: string, podCidr: string): PodNetwork | string {
  const cidr = podCidr.includes('/') ? parseCidr(podCidr) : undefined;
  if (cidr === undefined) return `--pod-cidr ${podCidr} is not an IPv4 network such as 10.244.0.0/16`;
  if (cidr.prefix > LONGEST_PREFIX || cidr.prefix < SHORTEST_PREFIX) {
    return `--pod-cidr ${podCidr} must be between /${SHORTEST_PREFIX} and /${LONGEST_PREFIX}`;
  }
  return { instanceId, bridge: bridgeName(instanceId), cidr, gateway: gatewayOf(cidr) };
}

/** Two instances on a machine have two bridges: the id itself when it fits, else its hash. */
export function bridgeName(instanceId: string): string {
  const fits = /^[a-z0-9-]+$/.test(instanceId) && instanceId.length <= BRIDGE_ID_LENGTH;
  return BRIDGE_PREFIX + (fits ? instanceId : fnv1a(instanceId));
}

function fnv1a(text: string): string {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(text)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  return hash.toString(16).padStart(8, '0');
}

/**
 * The conflist: a bridge with host-local addresses, and portmap for host ports. No ipMasq and no firewall plugin: both run
 * iptables several times for each pod; one rule for the whole network (`filterRules`) does the same.
 */
export function cniConflist(network: PodNetwork, leasesDir: string): string {
  const bridge = {
    type: 'bridge',
    bridge: network.bridge,
    isGateway: true,
    ipMasq: false,
    hairpinMode: true,
    ipam: {
      type: 'host-local',
      ranges: [[{ subnet: formatCidr(network.cidr), gateway: network.gateway }]],
      routes: [{ dst: '0.0.0.0/0' }],
      dataDir: leasesDir,
    },
  };
  const portmap = { type: 'portmap', capabilities: { portMappings: true }, snat: true };
  const conflist = { cniVersion: '1.0.0', name: networkName(network), plugins: [bridge, portmap] };
  return `${JSON.stringify(conflist, undefined, 2)}\n`;
}

/** CNI's name of the network, and host-local's folder of leases. */
export function networkName({ bridge }: PodNetwork): string {
  return bridge;
}

/** A host route as `ip -j route show table all` prints it. */
export interface HostRoute {
  readonly dst?: string;
  readonly dev?: string;
  readonly type?: string;
  readonly protocol?: string;
}

/** The first route of another device that the pod network would take over; default routes, also split in two, are none. */
export function conflictingRoute(network: PodNetwork, routes: readonly HostRoute[]): HostRoute | undefined {
  return routes.find(({ dst = 'default', dev, type = 'unicast', protocol }) => {
    // A route of ours to another node is set right when the nodes are known.
    if (dev === network.bridge || type === 'broadcast' || type === 'multicast' || protocol === ROUTE_PROTOCOL)
      return false;
    const to = parseCidr(dst);
    return to !== undefined && to.prefix > 1 && overlaps(to, network.cidr);
  });
}

/** Our chains, by table, with the built-in chain that jumps to each. iptables' limit is 28 bytes. */
export function chains({ bridge }: PodNetwork): readonly { table: 'nat' | 'filter'; from: string; name: string }[] {
  const id = bridge.slice(BRIDGE_PREFIX.length);
  return [
    { table: 'nat', from: 'POSTROUTING', name: `MENDLET-SNAT-${id}` },
    { table: 'filter', from: 'FORWARD', name: `MENDLET-FWD-${id}` },
    { table: 'filter', from: 'INPUT', name: `MENDLET-IN-${id}` },
  ];
}

/**
 * Input for `iptables-restore --noflush`: creates or empties our chains and fills them. Pods leave the machine under its
 * address; pods are forwarded though a firewall (Docker's FORWARD policy) drops; and they reach the API server on the bridge.
 */
export function filterRules(network: PodNetwork, apiServerPort: number | undefined): string {
  const [, forward, input] = chains(network).map(({ name }) => name);
  const api =
    apiServerPort === undefined
      ? []
      : [`-A ${input} -i ${network.bridge} -d ${network.gateway}/32 -p tcp --dport ${apiServerPort} -j ACCEPT`];
  return [
    ...natRules(network, []),
    '*filter',
    `:${forward} - [0:0]`,
    `-A ${forward} -i ${network.bridge} -j ACCEPT`,
    `-A ${forward} -o ${network.bridge} -j ACCEPT`,
    `:${input} - [0:0]`,
    ...api,
    'COMMIT',
    '',
  ].join('\n');
}

/** The part of them that says whose address pods have outside: their own for other nodes' pods (`peers`), else the machine's. */
export function natRules(network: PodNetwork, peers: readonly string[]): readonly string[] {
  const [snat] = chains(network).map(({ name }) => name);
  const cidr = formatCidr(network.cidr);
  return [
    '*nat',
    `:${snat} - [0:0]`,
    `-A ${snat} -d 224.0.0.0/4 -j RETURN`,
    ...peers.map((peer) => `-A ${snat} -s ${cidr} -d ${peer} -j RETURN`),
    `-A ${snat} -s ${cidr} ! -d ${cidr} -j MASQUERADE`,
    'COMMIT',
  ];
}

/** A fixed hardware address keeps the bridge's own from changing, with every neighbour's ARP entry, as pods come and go. */
export function bridgeHardwareAddress({ gateway }: PodNetwork): string {
  const bytes = gateway.split('.').map((part) => Number(part).toString(16).padStart(2, '0'));
  return ['0a', '58', ...bytes].join(':');
}
