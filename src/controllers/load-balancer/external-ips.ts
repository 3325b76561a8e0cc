/** Why an external address of a service cannot be routed: it belongs to something of the cluster. Pure. */
import { addressesWithin, isCidr, namespacedName, type Node, type Service } from '../../api/index.ts';

export interface ClusterAddresses {
  readonly nodes: readonly Node[];
  readonly serviceCidrs: readonly string[];
}

/** One text for each address that nobody routes; services of our own addresses would steal traffic of others. */
export function externalIpProblems({ spec = {} }: Service, cluster: ClusterAddresses): readonly string[] {
  return (spec.externalIPs ?? []).flatMap((address) => {
    const owner = ownerOf(address, cluster);
    return owner === undefined ? [] : [`external address ${address} is not routed: it ${owner}`];
  });
}

function ownerOf(address: string, { nodes, serviceCidrs }: ClusterAddresses): string | undefined {
  const isWithin = (ranges: readonly string[]): boolean =>
    ranges.filter(isCidr).some((range) => addressesWithin([address], range).length > 0);
  const node = nodes.find(({ status }) => (status?.addresses ?? []).some((each) => each.address === address));
  if (node !== undefined) return `is an address of node ${namespacedName(node)}`;
  if (isWithin(serviceCidrs)) return 'is in the range of service addresses';
  const podNode = nodes.find(({ spec }) => isWithin(spec?.podCIDRs ?? (spec?.podCIDR ? [spec.podCIDR] : [])));
  return podNode === undefined ? undefined : `is in the range of pod addresses of node ${namespacedName(podNode)}`;
}
