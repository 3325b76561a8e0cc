/**
 * Our table for the pods' own network, in nft's words: host ports, and the address under which pods leave the machine. Pure. It
 * is apart from the table of services because it needs no API server, and is there where others route services.
 */
import { fnv1a32 } from '../../lib/index.ts';
import { formatCidr } from '../cidr.ts';
import type { PodNetwork } from '../pod-network.ts';
import { tableName } from '../router/table-base.ts';

/**
 * The bit of portmap, whose default it is (0x2000, its markMasqBit 13): the packet gets this machine's address. All other
 * bits are others'.
 */
const HIDE_BIT = 0x2000;
const OTHER_BITS = 0xff_ff_df_ff;

/** Services come first, at -102; the rules of iptables, portmap's among them, follow at -100. */
const DNAT_PRIORITY = -101;
/** After iptables and services, at 100: what they have decided stays. */
const SNAT_PRIORITY = 101;
/** Before connection tracking: no answer is translated back yet. */
const RAW_PRIORITY = -300;

/** Networks of other nodes' pods, which see ours by their own addresses. */
export const PEERS_SET = 'peer-networks';
/** Ports of one address of the machine, and of all. */
export const BOUND = { set: 'bound-ports', map: 'bound-targets' } as const;
export const OPEN = { set: 'open-ports', map: 'open-targets' } as const;

const BOUND_TYPE = 'ipv4_addr . inet_proto . inet_service';
const OPEN_TYPE = 'inet_proto . inet_service';
const TARGET_TYPE = 'ipv4_addr . inet_service';
const BOUND_KEY = 'ip daddr . meta l4proto . th dport';
const OPEN_KEY = 'meta l4proto . th dport';
const HIDE = `meta mark set meta mark or 0x${HIDE_BIT.toString(16)}`;

export function podTableName(instanceId: string): string {
  return `${tableName(instanceId)}-pods`;
}

/** The table without any host port and without peers. */
export function podTable(network: PodNetwork): string {
  return `table ip ${podTableName(network.instanceId)} {\nchain ${podTableLayout(network)} { }\n${body(network)}\n}\n`;
}

/** The name of an empty chain, by which an agent recognizes a table that was built as it would build it. */
export function podTableLayout(network: PodNetwork): string {
  return `layout-${fnv1a32(body(network))}`;
}

function body({ cidr }: PodNetwork): string {
  const dnat = (key: string, map: string): string => `meta l4proto { tcp, udp, sctp } dnat ip to ${key} map @${map}`;
  return `set ${BOUND.set} { type ${BOUND_TYPE}; }
map ${BOUND.map} { type ${BOUND_TYPE} : ${TARGET_TYPE}; }
set ${OPEN.set} { type ${OPEN_TYPE}; }
map ${OPEN.map} { type ${OPEN_TYPE} : ${TARGET_TYPE}; }
set ${PEERS_SET} { type ipv4_addr; flags interval; }
set pod-networks { type ipv4_addr; flags interval; elements = { ${formatCidr(cidr)} } }
chain hide-near {
  ip saddr @pod-networks ${HIDE}
  ip saddr 127.0.0.0/8 ${HIDE}
}
chain to-bound {
  jump hide-near
  ${dnat(BOUND_KEY, BOUND.map)}
}
chain to-open {
  jump hide-near
  ${dnat(OPEN_KEY, OPEN.map)}
}
chain to-pod {
  ${BOUND_KEY} @${BOUND.set} goto to-bound
  ${OPEN_KEY} @${OPEN.set} goto to-open
}
chain ports-prerouting { type nat hook prerouting priority ${DNAT_PRIORITY};
  fib daddr type local jump to-pod
}
chain ports-output { type nat hook output priority ${DNAT_PRIORITY};
  fib daddr type local jump to-pod
}
chain leave-postrouting { type nat hook postrouting priority ${SNAT_PRIORITY};
  meta mark and 0x${HIDE_BIT.toString(16)} != 0 meta mark set meta mark and 0x${OTHER_BITS.toString(16)} masquerade
  ip saddr @pod-networks ip daddr != @pod-networks ip daddr != 224.0.0.0/4 ip daddr != @${PEERS_SET} masquerade
}
chain loopback-prerouting { type filter hook prerouting priority ${RAW_PRIORITY};
  iifname != "lo" ip saddr 127.0.0.0/8 drop
  iifname != "lo" ip daddr 127.0.0.0/8 drop
}`;
}
