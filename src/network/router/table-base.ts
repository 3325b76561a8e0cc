/** The part of our table that does not depend on services: its hooks, chains and maps, in nft's words. Pure. */
import { fnv1a32 } from '../../lib/index.ts';
import { BRIDGE_PREFIX, bridgeName } from '../pod-network.ts';
import { type Family, FAMILIES, pickChain, slotMap } from './table-state.ts';

/** The machine, as the table of one instance sees it. */
export interface TableSettings {
  readonly instanceId: string;
  /** Networks of this node's pods; none: they are not known. */
  readonly podNetworks: readonly string[];
  /** Networks of cluster IPs; none: they are not known, and an unused address of them is not dropped. */
  readonly serviceNetworks: readonly string[];
  /** False: another mendlet of this machine has the same network of services, and the host's own traffic to it. */
  readonly routesHost: boolean;
  /** Those of `serviceNetworks` whose addresses are somebody else's to the host itself; absent: none. */
  readonly foreignNetworks?: readonly string[];
}

/** Upstream's bit (--iptables-masquerade-bit 14): the packet gets this machine's address. All other bits are others'. */
const HIDE_BIT = 0x4000;
const OTHER_BITS = 0xff_ff_bf_ff;
/** Host ports come next (`host-ports/pod-table-text.ts`), and then the rules of iptables, at -100. */
const DNAT_PRIORITY = -102;
/** Ahead of the bound of nft's own, which is 65535 for sets that packets fill. */
export const MAX_HELD_CLIENTS = 65_535;
/** A connection that its client has not used for so long hangs no longer than without us. */
export const DEAD_SECONDS = 900;

/** Addresses to which connections are reset. */
export const DEAD_SET = 'dead';
/** Networks to which connections are reset. */
export const LOST_SET = 'lost';

const ADDRESS_KEY = 'ip daddr . meta l4proto . th dport';
const PORT_KEY = 'meta l4proto . th dport';
const HIDE = `meta mark set meta mark or 0x${HIDE_BIT.toString(16)}`;

export function tableName(instanceId: string): string {
  return `mendlet-${bridgeName(instanceId).slice(BRIDGE_PREFIX.length)}`;
}

export function keyType(family: Family): string {
  return family.endsWith('address') ? 'ipv4_addr . inet_proto . inet_service' : 'inet_proto . inet_service';
}

/** The expression that makes a packet's key. */
export function keyOfPacket(family: Family): string {
  return family.endsWith('address') ? ADDRESS_KEY : PORT_KEY;
}

/** The table without any service. It is one block; `name` is the table's. */
export function baseTable(name: string, settings: TableSettings): string {
  return `table ip ${name} {\nchain ${layoutOf(settings)} { }\n${body(settings)}\n}\n`;
}

/** The name of an empty chain, by which an agent recognizes whether the table that it finds was built as it would build it. */
export function layoutOf(settings: TableSettings): string {
  // How slots, picks and affinity are built is not in the body: another way of it needs another number.
  return `layout-1-${fnv1a32(body(settings))}`;
}

function body(settings: TableSettings): string {
  return [...containers(settings), ...commonChains(), ...natHooks(settings), ...filterHooks(settings)].join('\n');
}

function containers({ podNetworks, serviceNetworks }: TableSettings): readonly string[] {
  const verdicts = (['address', 'port'] as const).flatMap((family) => {
    const base = family === 'address' ? 'services' : 'node-ports';
    return ['', 'near-', 'far-'].map((prefix) => `map ${prefix}${base} { type ${keyType(family)} : verdict; }`);
  });
  return [
    ...verdicts,
    'set cluster-ips { type ipv4_addr; }',
    'set selves { type ipv4_addr . ipv4_addr; }',
    'set guarded { type ipv4_addr . inet_proto . inet_service; }',
    'set allowed { type ipv4_addr . ipv4_addr . inet_proto . inet_service; flags interval; }',
    `set ${DEAD_SET} { type ipv4_addr; flags timeout; timeout ${DEAD_SECONDS}s; }`,
    `set ${LOST_SET} { type ipv4_addr; flags interval; }`,
    networks('service-networks', serviceNetworks),
    networks('pod-networks', podNetworks),
  ];
}

function networks(name: string, elements: readonly string[]): string {
  const filled = elements.length === 0 ? '' : ` elements = { ${elements.join(', ')} };`;
  return `set ${name} { type ipv4_addr; flags interval;${filled} }`;
}

function commonChains(): readonly string[] {
  return [
    'chain refuse { meta l4proto tcp reject with tcp reset; reject; }',
    // Clients of this node come to all endpoints, whatever the policy; others come to those of this node.
    ...(['services', 'node-ports'] as const).map((base) => {
      const key = base === 'services' ? ADDRESS_KEY : PORT_KEY;
      return `chain split-${base} {
  ip saddr @pod-networks ${key} vmap @near-${base}
  fib saddr type local ${HIDE} ${key} vmap @near-${base}
  ${key} vmap @far-${base}
}`;
    }),
    `chain route {
  ${ADDRESS_KEY} vmap @services
  ip daddr @cluster-ips goto refuse
  ip daddr @service-networks drop
  fib daddr type local ip daddr != 127.0.0.0/8 ${PORT_KEY} vmap @node-ports
}`,
  ];
}

/** Pods of other mendlets on this machine have services of their own. */
function passStrangers({ instanceId }: TableSettings): string {
  return `iifname "${BRIDGE_PREFIX}*" iifname != "${bridgeName(instanceId)}" return`;
}

/** What the host itself sends to networks that are somebody else's here. */
function passForeign({ foreignNetworks = [] }: TableSettings): string {
  return foreignNetworks.length === 0 ? '' : `ip daddr { ${foreignNetworks.join(', ')} } return\n  `;
}

function natHooks(settings: TableSettings): readonly string[] {
  const { podNetworks, routesHost } = settings;
  // The answers to a client that is no pod of this node would take another way.
  const strangers = podNetworks.length === 0 ? '' : `ip saddr != @pod-networks ip daddr @cluster-ips ${HIDE}\n  `;
  const output = `chain nat-output { type nat hook output priority ${DNAT_PRIORITY};
  ${passForeign(settings)}ip daddr @cluster-ips ${HIDE}
  jump route
}`;
  return [
    `chain nat-prerouting { type nat hook prerouting priority ${DNAT_PRIORITY};
  ${passStrangers(settings)}
  ${strangers}jump route
}`,
    ...(routesHost ? [output] : []),
    `chain nat-postrouting { type nat hook postrouting priority 100;
  meta mark and 0x${HIDE_BIT.toString(16)} != 0 meta mark set meta mark and 0x${OTHER_BITS.toString(16)} masquerade fully-random
  ct status dnat ip saddr . ip daddr @selves masquerade fully-random
}`,
  ];
}

/**
 * What must not pass: clients from outside of the ranges of a balancer, packets to addresses of services that nothing
 * translated (they would leave by the default route), and what is sent on a connection whose pod is gone. The last is
 * answered before translation, since an answer after it never reaches a pod on a bridge.
 */
function filterHooks(settings: TableSettings): readonly string[] {
  const guard = `ct state new ${ADDRESS_KEY} @guarded ip saddr . ${ADDRESS_KEY} != @allowed drop`;
  const reset = [DEAD_SET, LOST_SET]
    .map((set) => `meta l4proto tcp ct direction original ct reply ip saddr @${set} reject with tcp reset`)
    .join('\n  ');
  const stray = 'ip daddr @service-networks drop';
  const pass = passStrangers(settings);
  return [
    `chain guard-prerouting { type filter hook prerouting priority -110;\n  ${pass}\n  ${guard}\n}`,
    `chain guard-output { type filter hook output priority -110;\n  ${guard}\n}`,
    `chain dead-prerouting { type filter hook prerouting priority -150;\n  ${pass}\n  ${reset}\n}`,
    `chain dead-output { type filter hook output priority -150;\n  ${reset}\n}`,
    `chain stray-forward { type filter hook forward priority -5;\n  ${pass}\n  ${stray}\n}`,
    ...(settings.routesHost
      ? [`chain stray-output { type filter hook output priority 0;\n  ${passForeign(settings)}${stray}\n}`]
      : []),
  ];
}

/** A slot: its map, and the chain that sends a connection to the target in it. */
export function slotText(table: string, family: Family, slot: number): string {
  const name = slotMap(family, slot);
  return `add map ip ${table} ${name} { type ${keyType(family)} : ipv4_addr . inet_service; }
add chain ip ${table} ${name}
flush chain ip ${table} ${name}
add rule ip ${table} ${name} meta l4proto { tcp, udp } dnat ip to ${keyOfPacket(family)} map @${name}
`;
}

/** The choice among `targets` slots, each as likely as the others; and the same for clients that are hidden. */
export function pickText(table: string, family: Family, targets: number): string {
  const name = pickChain(family, targets);
  const slots = Array.from({ length: targets }, (_, slot) => `${slot} : goto ${slotMap(family, slot)}`);
  const rule =
    targets === 1 ? `goto ${slotMap(family, 0)}` : `numgen random mod ${targets} vmap { ${slots.join(', ')} }`;
  return `add chain ip ${table} ${name}\nflush chain ip ${table} ${name}\nadd rule ip ${table} ${name} ${rule}\n${hidingText(table, name)}`;
}

/** A chain that leads to another, whose clients get this machine's address. */
export function hidingText(table: string, chain: string): string {
  const name = `hide-${chain}`;
  return `add chain ip ${table} ${name}\nflush chain ip ${table} ${name}\nadd rule ip ${table} ${name} ${HIDE} goto ${chain}\n`;
}

/** "address-pick-3", "hide-far-port-pick-2"; undefined: another chain. */
export function parsePick(chain: string): { readonly family: Family; readonly targets: number } | undefined {
  const found = /^(?:hide-)?(.*)-pick-(\d+)$/.exec(chain);
  const family = FAMILIES.find((each) => each === found?.[1]);
  return family === undefined ? undefined : { family, targets: Number(found?.[2]) };
}
