/** What must hold in the end: each node's table means what a load of everything from nothing would mean. */
import { fullLoad, type RoutedService } from '../../network/index.ts';
import type { FilterTable } from '../packet-filter/filter-table.ts';
import { followPacket, type Packet } from '../packet-filter/follow-packet.ts';
import { PacketFilter } from '../packet-filter/packet-filter.ts';
import type { SimCluster } from '../sim-cluster.ts';
import type { SimNode } from '../sim-node.ts';
import { SERVICE_TABLE, tableSettings } from '../sim-routing.ts';

const SERVICE_NAME_LABEL = 'kubernetes.io/service-name';
/** Sets and maps whose elements have to be the same. Those of slots are compared by where packets go, held clients come and go. */
const COMPARED =
  /^(?:(?:near-|far-)?(?:services|node-ports)|cluster-ips|selves|guarded|allowed|service-networks|pod-networks)$/;
/** A client that is no pod of any node. */
const STRANGER = '198.51.100.7';

/** A difference, if there is one. The stored objects count, and what the living agents know of their own pods. */
export function tablesDiffer(cluster: SimCluster): string | undefined {
  const services = routedServices(cluster);
  for (const node of cluster.nodes) {
    const wanted = new PacketFilter();
    const verdictOf = (uid: string) => node.routing?.verdicts.of(uid);
    const source = { nodeName: node.name, zone: undefined, verdictOf };
    const refusal = wanted.apply(fullLoad(services, source, tableSettings(node.podNetwork)), cluster.sim.mono);
    const difference = refusal ?? differenceOf(node, wanted, cluster.sim.mono);
    if (difference !== undefined) return `the table of ${node.name} differs from a full load: ${difference}`;
  }
  return undefined;
}

export function routedServices({
  services,
  slices,
}: Pick<SimCluster, 'services' | 'slices'>): readonly RoutedService[] {
  return [...services.values()].map((service) => ({
    service,
    slices: [...slices.values()]
      .filter(
        ({ metadata }) =>
          metadata?.namespace === service.metadata?.namespace &&
          metadata?.labels?.[SERVICE_NAME_LABEL] === service.metadata?.name,
      )
      .toSorted((a, b) => ((a.metadata?.name ?? '') < (b.metadata?.name ?? '') ? -1 : 1)),
  }));
}

function differenceOf(
  { filter, address, podNetwork }: Pick<SimNode, 'filter' | 'address' | 'podNetwork'>,
  wanted: PacketFilter,
  mono: number,
): string | undefined {
  const present = filter.table(SERVICE_TABLE);
  const whole = wanted.table(SERVICE_TABLE);
  if (present === undefined || whole === undefined) return 'there is no table';
  const elements = compareElements(present, whole);
  if (elements !== undefined) return elements;
  const place = { own: new Set([address]), mono };
  for (const packet of packetsTo(whole, address, podNetwork)) {
    const [found, due] = [present, whole].map((table) =>
      followPacket(packet, { ...place, tables: [table] })
        .map(({ fate, to, isHidden }) => `${fate} ${to}${isHidden ? ' hidden' : ''}`)
        .toSorted()
        .join(', '),
    );
    // Held clients of this one find their endpoint.
    if (found !== due) return `${packet.from} → ${packet.to}:${packet.port} is ${found}, not ${due}`;
  }
  return undefined;
}

function compareElements(present: FilterTable, whole: FilterTable): string | undefined {
  for (const [name, { elements: due }] of whole.sets) {
    if (!COMPARED.test(name)) continue;
    const found = present.sets.get(name)?.elements ?? new Map();
    for (const [key, { value }] of due) {
      if (!found.has(key)) return `${name} has no ${key}`;
      if (found.get(key)?.value !== value) return `${name} says ${found.get(key)?.value} of ${key}, not ${value}`;
    }
    for (const key of found.keys()) if (!due.has(key)) return `${name} still has ${key}`;
  }
  return undefined;
}

/** Packets to all fronts, of clients of each kind. */
function packetsTo(table: FilterTable, address: string, podNetwork: string): readonly Packet[] {
  const pod = podNetwork.replace(/0\.0\/16$/, '255.254');
  const clients = [
    { from: pod, through: 'br0' },
    { from: STRANGER, through: 'eth0' },
    { from: address, through: undefined },
  ];
  const fronts = [
    ...[...(table.sets.get('services')?.elements.keys() ?? [])].map((key) => key.split(' . ')),
    ...[...(table.sets.get('node-ports')?.elements.keys() ?? [])].map((key) => [address, ...key.split(' . ')]),
  ];
  return fronts.flatMap(([to = '', protocol, port]) =>
    clients.map((client) => ({
      ...client,
      to,
      protocol: protocol === 'udp' ? ('udp' as const) : ('tcp' as const),
      port: Number(port),
      mark: 0,
    })),
  );
}
