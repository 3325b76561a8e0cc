/** Which part of the cluster's pod network each node gets. */
import { type Ipv4Range, parseIpv4Range } from '../api/index.ts';

export interface NodeIpamSettings {
  /** `--cluster-cidr`: the pods' network, e.g. "10.244.0.0/16". */
  readonly clusterCidr: string;
  /** `--node-cidr-mask-size`: prefix length of each node's part; 24 gives 254 pods' addresses. */
  readonly nodeMaskSize: number;
}

/** Upstream's bound: a cluster network of more than 2^16 parts is refused. */
const MAX_PARTS_BITS = 16;
/** A node needs an address for its bridge and one for a pod. */
const LONGEST_NODE_MASK = 30;

/** The problem of the settings, in one sentence; undefined when there is none. */
export function checkNodeIpam({ clusterCidr, nodeMaskSize }: NodeIpamSettings): string | undefined {
  const range = parseIpv4Range(clusterCidr);
  if (range === undefined) return `the cluster CIDR ${clusterCidr} is no IPv4 network such as 10.244.0.0/16`;
  const mask = maskSizeOf(range);
  if (!Number.isInteger(nodeMaskSize) || nodeMaskSize < mask || nodeMaskSize > LONGEST_NODE_MASK)
    return `the node CIDR mask size ${nodeMaskSize} must be between ${mask}, that of ${clusterCidr}, and ${LONGEST_NODE_MASK}`;
  if (nodeMaskSize - mask > MAX_PARTS_BITS)
    return `the node CIDR mask size ${nodeMaskSize} must not exceed that of ${clusterCidr} by more than ${MAX_PARTS_BITS}`;
  return undefined;
}

export function maskSizeOf(range: Ipv4Range): number {
  return 32 - Math.log2(range.size);
}
