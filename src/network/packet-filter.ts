/** Rules of the packet filter for the pods' network: our own chains, in iptables' words. Pure. */
import { formatCidr } from './cidr.ts';
import { BRIDGE_PREFIX, type PodNetwork } from './pod-network.ts';

/** Where `dns/dns-link.ts` has its addresses. */
const DNS_LINK_NETWORK = '169.254.20.0/24';

/** A chain of ours and the built-in one that jumps to it. */
export interface FilterChain {
  readonly table: 'nat' | 'filter';
  readonly from: 'POSTROUTING' | 'FORWARD' | 'INPUT' | 'OUTPUT';
  readonly name: string;
}

/** @param listing of `iptables -S`, of the whole table. @returns whether the built-in chain jumps to ours, and ours has a rule */
export function isInPlace(chain: FilterChain, listing: string): boolean {
  return listing.split('\n').includes(`-A ${chain.from} -j ${chain.name}`) && hasRule(chain, listing);
}

/** @param listing of `iptables -S`, of the table or of the chain alone */
export function hasRule({ name }: FilterChain, listing: string): boolean {
  return listing.includes(`-A ${name} `);
}

/** The chain that decides under which address pods leave, where our table of nft cannot be. */
export function masqueradeChain(network: PodNetwork): FilterChain {
  return { table: 'nat', from: 'POSTROUTING', name: `MENDLET-SNAT-${idOf(network)}` };
}

function idOf({ bridge }: PodNetwork): string {
  return bridge.slice(BRIDGE_PREFIX.length);
}

/**
 * Our chains in the table that firewalls use, with the built-in chain that jumps to each: an accept of our own table would not
 * undo another's drop. iptables' limit is 28 bytes.
 */
export function filterChains(network: PodNetwork): readonly FilterChain[] {
  const id = idOf(network);
  return [
    { table: 'filter', from: 'FORWARD', name: `MENDLET-FWD-${id}` },
    { table: 'filter', from: 'INPUT', name: `MENDLET-IN-${id}` },
    { table: 'filter', from: 'OUTPUT', name: `MENDLET-OUT-${id}` },
  ];
}

/**
 * Input for `iptables-restore --noflush`: creates or empties our chains and fills them. Pods are forwarded though a firewall
 * (Docker's FORWARD policy) drops, and they reach the API server on the bridge.
 */
export function filterRules(network: PodNetwork, apiServerPort: number | undefined): string {
  const [forward, input, output] = filterChains(network).map(({ name }) => name);
  const api =
    apiServerPort === undefined
      ? []
      : [`-A ${input} -i ${network.bridge} -d ${network.gateway}/32 -p tcp --dport ${apiServerPort} -j ACCEPT`];
  return [
    '*filter',
    `:${forward} - [0:0]`,
    `-A ${forward} -i ${network.bridge} -j ACCEPT`,
    `-A ${forward} -o ${network.bridge} -j ACCEPT`,
    `:${input} - [0:0]`,
    ...api,
    ...dnsRules(network, input),
    `:${output} - [0:0]`,
    ...silenceRules(network, output),
    'COMMIT',
    '',
  ].join('\n');
}

/** Pods ask for names on the bridge, or on the link that the DNS server has where port 53 is taken there. */
function dnsRules({ bridge, gateway }: PodNetwork, input: string | undefined): readonly string[] {
  return [`${gateway}/32`, DNS_LINK_NETWORK].flatMap((to) =>
    ['udp', 'tcp'].map((protocol) => `-A ${input} -i ${bridge} -d ${to} -p ${protocol} --dport 53 -j ACCEPT`),
  );
}

/**
 * While no agent listens, a query gets no answer instead of a refusal: glibc gives up at once when it is refused, but asks again
 * after silence, and by then the agent is back. Pods on the host's network ask by loopback. Nothing else listens by UDP at these
 * addresses. What routing refuses is told from it by the connection: a refused packet has none, while the kernel says no to
 * both from the same address. No match of iptables' own for ICMP: it would load a second packet filter's module.
 *
 * By TCP, which resolvers take for what was truncated, the kernel of the client repeats its first packet after a second. Only
 * connections that were never open are kept from a refusal: one that ends with the agent is told so.
 */
function silenceRules({ gateway }: PodNetwork, output: string | undefined): readonly string[] {
  const refusal = `-A ${output} -p icmp -m conntrack --ctstate RELATED`;
  const reset = '-p tcp --sport 53 --tcp-flags RST RST -m conntrack ! --ctstatus ASSURED';
  return [`${gateway}/32`, DNS_LINK_NETWORK].flatMap((from) => [
    `${refusal} --ctreplsrc ${from} -j DROP`,
    `-A ${output} -s ${from} ${reset} -j DROP`,
  ]);
}

/**
 * The rules that decide under which address pods appear outside, where our table of nft cannot: their own for other nodes' pods
 * (`peers`), else the machine's.
 */
export function natRules(network: PodNetwork, peers: readonly string[]): readonly string[] {
  const snat = masqueradeChain(network).name;
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
