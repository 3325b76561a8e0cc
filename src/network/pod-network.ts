/** The network of one instance's pods: its addresses, its bridge and their names. Pure. */
import { type Cidr, gatewayOf, parseCidr } from './cidr.ts';
import { fnv1a32 } from '../lib/index.ts';

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
  return BRIDGE_PREFIX + (fits ? instanceId : fnv1a32(instanceId).padStart(8, '0'));
}

/** CNI's name of the network, and host-local's folder of leases. */
export function networkName({ bridge }: PodNetwork): string {
  return bridge;
}

/** A fixed hardware address keeps the bridge's own from changing, with every neighbour's ARP entry, as pods come and go. */
export function bridgeHardwareAddress({ gateway }: PodNetwork): string {
  const bytes = gateway.split('.').map((part) => Number(part).toString(16).padStart(2, '0'));
  return ['0a', '58', ...bytes].join(':');
}
