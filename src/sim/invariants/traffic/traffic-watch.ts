/** Asks the packet filters of a cluster where packets to services go, as often as anything that matters changes. */
import type { Pod, Service } from '../../../api/index.ts';
import { findCondition } from '../../../api/index.ts';
import { followPacket, type Packet } from '../../packet-filter/follow-packet.ts';
import { isWithin } from '../../packet-filter/filter-table.ts';
import type { SimCluster } from '../../sim-cluster.ts';
import type { SimNode } from '../../sim-node.ts';
import type { Traffic, TruePod, Way } from './judge-traffic.ts';

const STRANGER = '198.51.100.7';

interface Asked {
  readonly version: string;
  readonly to: ReadonlySet<string>;
}

export class TrafficWatch {
  readonly #cluster: SimCluster;
  readonly #wellSince = new Map<string, number>();
  readonly #asked = new Map<string, Asked>();
  readonly #before = new Map<string, ReadonlySet<string>>();
  #seen = '';
  #changes = 0;
  #traffic: Traffic = { ways: [], nodes: { podAt: () => undefined, ownerOf: () => undefined } };

  constructor(cluster: SimCluster) {
    this.#cluster = cluster;
    const change = (): void => {
      this.#changes += 1;
    };
    cluster.facts.on({
      'pod-written': change,
      'pod-deleted': change,
      'service-written': change,
      'service-deleted': change,
      'sandbox-created': change,
      'sandbox-stopped': change,
      'sandbox-removed': change,
      started: change,
      exited: change,
      'machine-lost': change,
    });
  }

  /** What is now; the same object as long as nothing has changed. */
  look(): Traffic {
    const seen = `${this.#changes} ${this.#cluster.nodes.map(({ filter }) => filter.version).join(' ')}`;
    if (seen !== this.#seen) this.#traffic = this.#read();
    this.#seen = seen;
    return this.#traffic;
  }

  #read(): Traffic {
    const { nodes, services } = this.#cluster;
    const pods = this.#truePods();
    const byIp = new Map(pods.map((pod) => [pod.ip, pod]));
    const stored = [...services.values()].filter(({ spec, metadata }) => spec?.selector && metadata?.name);
    const ways = nodes.flatMap((node) => stored.flatMap((service) => this.#waysOf(node, service, pods)));
    this.#remember(ways, byIp);
    return {
      ways,
      nodes: {
        podAt: (ip) => byIp.get(ip),
        ownerOf: (ip) => nodes.find(({ podNetwork }) => isWithin(ip, podNetwork))?.name,
      },
    };
  }

  /** Those whose network is there. */
  #truePods(): readonly TruePod[] {
    const { nodes, pods, sim } = this.#cluster;
    const found: TruePod[] = [];
    for (const { name, runtime } of nodes) {
      for (const { uid, ip, running } of runtime.sandboxesByAddress().values()) {
        const pod = pods.get(uid);
        const isAlive = pod !== undefined && servingNames(pod).every((each) => running.has(each));
        const ready = findCondition(pod?.status?.conditions, 'Ready')?.status === 'True';
        const isReady = ready && pod?.status?.podIP === ip;
        const isDeleting = pod?.metadata?.deletionTimestamp !== undefined;
        if (!isAlive || !isReady || isDeleting) this.#wellSince.delete(uid);
        else if (!this.#wellSince.has(uid)) this.#wellSince.set(uid, sim.mono);
        found.push({ uid, ip, node: name, isAlive, isReady, isDeleting, wellSince: this.#wellSince.get(uid) });
      }
    }
    const there = new Set(found.map(({ uid }) => uid));
    for (const uid of this.#wellSince.keys()) if (!there.has(uid)) this.#wellSince.delete(uid);
    return found;
  }

  #waysOf(node: SimNode, service: Service, pods: readonly TruePod[]): readonly Way[] {
    const { metadata = {}, spec = {} } = service;
    const [port] = spec.ports ?? [];
    if (spec.clusterIP === undefined || spec.clusterIP === 'None' || port === undefined) return [];
    const name = `${metadata.namespace}/${metadata.name}@${metadata.uid}.${metadata.resourceVersion}`;
    const chosen = pods.filter(({ uid }) => isChosen(service, this.#cluster.pods.get(uid)));
    const common = {
      node: node.name,
      service: name,
      publishesUnready: spec.publishNotReadyAddresses === true,
      pods: chosen,
    };
    const pod = node.podNetwork.replace(/0\.0\/16$/, '255.254');
    const inside: Packet = { from: pod, to: spec.clusterIP, port: port.port, protocol: 'tcp', through: 'br0', mark: 0 };
    const ways: Omit<Way, 'before'>[] = [
      {
        ...common,
        client: 'pod',
        isLocal: spec.internalTrafficPolicy === 'Local',
        to: this.#ask(node, `${name} pod`, inside),
      },
    ];
    if (port.nodePort) {
      const outside: Packet = { ...inside, from: STRANGER, to: node.address, port: port.nodePort, through: 'eth0' };
      ways.push({
        ...common,
        client: 'stranger',
        isLocal: spec.externalTrafficPolicy === 'Local',
        to: this.#ask(node, `${name} stranger`, outside),
      });
    }
    return ways.map((way) => ({ ...way, before: this.#before.get(keyOf(way)) ?? new Set() }));
  }

  #ask({ name, filter, address }: SimNode, what: string, packet: Packet): ReadonlySet<string> {
    const key = `${name} ${what}`;
    const version = String(filter.version);
    const known = this.#asked.get(key);
    if (known?.version === version) return known.to;
    const place = { tables: [...filter.tables()], own: new Set([address]), mono: this.#cluster.sim.mono };
    const sent = followPacket(packet, place).filter(({ fate }) => fate === 'sent');
    const to = new Set(sent.map((outcome) => outcome.to.split(':')[0] ?? ''));
    this.#asked.set(key, { version, to });
    return to;
  }

  /** Targets that were there and whose pods are still well. */
  #remember(ways: readonly Way[], byIp: ReadonlyMap<string, TruePod>): void {
    const next = ways.map((way) => {
      const kept = [...way.before, ...way.to].filter((ip) => {
        const pod = byIp.get(ip);
        return pod?.wellSince !== undefined && way.pods.includes(pod);
      });
      return [keyOf(way), new Set(kept)] as const;
    });
    this.#before.clear();
    for (const [key, kept] of next) this.#before.set(key, kept);
  }
}

function keyOf({ node, service, client }: Pick<Way, 'node' | 'service' | 'client'>): string {
  return `${node} ${service} ${client}`;
}

function isChosen({ metadata, spec }: Service, pod: Pod | undefined): boolean {
  if (pod === undefined || pod.metadata?.namespace !== metadata?.namespace) return false;
  const labels = pod.metadata?.labels ?? {};
  return Object.entries(spec?.selector ?? {}).every(([key, value]) => labels[key] === value);
}

function servingNames({ spec }: Pod): readonly string[] {
  const sidecars = (spec?.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always');
  return [...(spec?.containers ?? []), ...sidecars].map(({ name }) => name);
}
