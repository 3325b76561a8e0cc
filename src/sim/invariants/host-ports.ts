/**
 * Invariant: a host port leads only to the living sandbox of the pod that has it, and to it as soon as the node can know. What
 * leads there is asked of the packet filter, as with services.
 */
import type { Pod } from '../../api/index.ts';
import { followPacket, type Packet } from '../packet-filter/follow-packet.ts';
import type { SimCluster } from '../sim-cluster.ts';
import type { SimNode } from '../sim-node.ts';
import { POD_TABLE } from '../sim-routing.ts';
import type { Calm } from './traffic/calm.ts';
import type { Complaint, Promised } from './traffic/judge-traffic.ts';
import { Patience } from './traffic/patience.ts';

/** The clients that are asked for: another machine, a pod of the node, and the node by its two addresses. */
const CLIENTS = ['stranger', 'pod', 'node', 'loopback'] as const;
type Client = (typeof CLIENTS)[number];
const STRANGER = '198.51.100.7';

/** One host port of one node. */
export interface HostPortWay {
  readonly node: string;
  readonly port: number;
  readonly client: Client;
  /** "10.244.0.2:8080"; undefined: the packet stays at the node. */
  readonly to: string | undefined;
  /** Where the sandbox is that it must lead to; undefined: its pod has none. */
  readonly wanted: string | undefined;
  /** It has led there since the sandbox began. */
  readonly hasLed: boolean;
}

export class HostPortWatch {
  readonly #cluster: SimCluster;
  /** By the uid of a pod: it may be deleted before its sandbox. */
  readonly #ports = new Map<string, readonly PortOfPod[]>();
  readonly #led = new Set<string>();

  constructor(cluster: SimCluster) {
    this.#cluster = cluster;
    cluster.facts.on({ 'pod-written': ({ pod }) => this.#ports.set(pod.metadata?.uid ?? '', portsOf(pod)) });
  }

  look(): readonly HostPortWay[] {
    const { nodes } = this.#cluster;
    const known = new Set([...this.#ports.values()].flatMap((ports) => ports.map(({ hostPort }) => hostPort)));
    return nodes.flatMap((node) => {
      const wanted = this.#wanted(node);
      return [...known].flatMap((port) => CLIENTS.map((client) => this.#way(node, port, client, wanted.get(port))));
    });
  }

  /** Where the host ports of a node have to lead. */
  #wanted({ runtime }: SimNode): ReadonlyMap<number, string> {
    const found = new Map<number, string>();
    for (const { uid, ip } of runtime.sandboxesByAddress().values()) {
      for (const { hostPort, containerPort } of this.#ports.get(uid) ?? []) {
        found.set(hostPort, `${ip}:${containerPort}`);
      }
    }
    return found;
  }

  #way(node: SimNode, port: number, client: Client, wanted: string | undefined): HostPortWay {
    const place = { tables: [...node.filter.tables()], own: new Set([node.address]), mono: this.#cluster.sim.mono };
    const sent = followPacket(packetOf(node, port, client), place).find(({ fate }) => fate === 'sent');
    const to = sent?.to;
    const key = `${node.name} ${port} ${client} ${wanted}`;
    if (wanted !== undefined && to === wanted) this.#led.add(key);
    return { node: node.name, port, client, to, wanted, hasLed: this.#led.has(key) };
  }
}

interface PortOfPod {
  readonly hostPort: number;
  readonly containerPort: number;
}

function portsOf({ spec }: Pod): readonly PortOfPod[] {
  if (spec?.hostNetwork === true) return [];
  return (spec?.containers ?? [])
    .flatMap(({ ports }) => ports ?? [])
    .flatMap(({ hostPort, containerPort }) => (hostPort === undefined ? [] : [{ hostPort, containerPort }]));
}

function packetOf({ address, podNetwork }: SimNode, port: number, client: Client): Packet {
  const common = { port, protocol: 'tcp' as const, mark: 0, to: address };
  const pod = podNetwork.replace(/0\.0\/16$/, '255.254');
  switch (client) {
    case 'stranger':
      return { ...common, from: STRANGER, through: 'eth0' };
    case 'pod':
      return { ...common, from: pod, through: 'br0' };
    case 'node':
      return { ...common, from: address, through: undefined };
    case 'loopback':
      return { ...common, from: '127.0.0.1', to: '127.0.0.1', through: undefined };
  }
}

export function judgeHostPorts(ways: readonly HostPortWay[]): readonly Complaint[] {
  return ways.flatMap(({ node, port, client, to, wanted, hasLed }) => {
    if (to === wanted) return [];
    const complain = (what: string, promise: Promised): Complaint => ({
      key: `${node} ${port} ${client} ${what} ${to} ${wanted}`,
      message: `host port ${port} of ${node} for a ${client} ${what} (${to ?? 'nowhere'}, not ${wanted ?? 'anywhere'})`,
      promise,
      nodes: [node],
    });
    if (to !== undefined) return [complain('leads to what is not its sandbox', 'withdrawn')];
    const missing = complain('does not lead to its sandbox', 'withdrawn');
    return hasLed ? [missing, complain('leads to its sandbox no more', 'kept')] : [missing];
  });
}

export function leadsToItsSandbox(cluster: SimCluster, watch: HostPortWatch, calm: Calm): void {
  const { sim, facts, nodes } = cluster;
  const patience = new Patience();
  let changes = 0;
  const change = (): void => {
    changes += 1;
  };
  facts.on({
    'pod-written': change,
    'sandbox-created': change,
    'sandbox-stopped': change,
    'sandbox-removed': change,
    'machine-lost': change,
  });
  let seen = '';
  sim.check(() => {
    calm.look();
    const now = `${changes} ${nodes.map(({ filter }) => filter.version).join(' ')}`;
    if (now !== seen) patience.set(judgeHostPorts(watch.look()), sim.mono);
    seen = now;
    patience.check((node, part) => calm.since(node, part), sim.mono);
  });
}

/** What is wrong now, however short: in the end the table must have the living sandboxes' host ports, and no other. */
export function wrongHostPorts(cluster: SimCluster, watch: HostPortWatch): string | undefined {
  const ways = watch.look();
  const wrong = judgeHostPorts(ways)[0]?.message;
  if (wrong !== undefined) return wrong;
  for (const { name, filter } of cluster.nodes) {
    const wanted = new Set(
      ways.flatMap(({ node, port, wanted: to }) => (node === name && to !== undefined ? [port] : [])),
    );
    const found = filter.table(POD_TABLE)?.sets.get('open-targets')?.elements.size;
    if (found !== wanted.size) return `${name} has rules for ${found} host ports, not for ${wanted.size}`;
  }
  return undefined;
}
