/** CNI's configuration of the pods' network, host ports included. Pure. */
import { formatCidr } from './cidr.ts';
import { networkName, type PodNetwork } from './pod-network.ts';

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
