/** CNI's configuration of the pods' network. Pure. */
import { formatCidr } from './cidr.ts';
import { networkName, type PodNetwork } from './pod-network.ts';

/**
 * The conflist: a bridge with host-local addresses, and portmap. No ipMasq and no firewall plugin: both run iptables several
 * times for each pod; one rule for the whole network does the same. Portmap is given host ports only where our table of nft cannot
 * be, and does nothing without. It stays in the list because the runtime ends sandboxes by this file: those that portmap has made
 * rules for, in an earlier version or without nft, would leave them behind.
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
