/** Rules of the packet filter for the pods' network: our own chains, in iptables' words. Pure. */
import { formatCidr } from './cidr.ts';
import { BRIDGE_PREFIX, type PodNetwork } from './pod-network.ts';

/** A chain of ours and the built-in one that jumps to it. */
export interface FilterChain {
  readonly table: 'nat' | 'filter';
  readonly from: string;
  readonly name: string;
}

/** Our chains, by table, with the built-in chain that jumps to each. iptables' limit is 28 bytes. */
export function chains({ bridge }: PodNetwork): readonly FilterChain[] {
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

/**
 * The rules that decide under which address pods appear outside: their own for other nodes' pods (`peers`), else the
 * machine's.
 */
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
