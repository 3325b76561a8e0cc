/** What a node does with the addresses and ports of one service: its fronts. Pure. Upstream: pkg/proxy/nftables/proxier.go. */
import type { EndpointSlice, Service, ServicePort } from '../../api/index.ts';
import { endpointsAtPort, type ServiceEndpoint } from '../services/service-endpoint.ts';
import {
  localEndpoints,
  preferredEndpoints,
  type TrafficSource,
  usableEndpoints,
  verdictsFor,
} from '../services/usable-endpoints.ts';
import { hasNodeAddresses, type OutsideFront, portName } from './outside-addresses.ts';
import { addressText, isPort, networkText, type RoutedProtocol, routedProtocol, withoutNested } from './safe-values.ts';

/** "10.244.0.7 . 8080": an endpoint as nft writes it. */
export type Target = string;

/** What happens to a connection that comes to a front. */
export type Choice =
  /** The client is told at once. */
  | { readonly does: 'refuse' }
  /** As upstream where only this node has no endpoint: others may. */
  | { readonly does: 'drop' }
  /** At least one. */
  | { readonly does: 'send'; readonly targets: readonly Target[] };

/** One address and port of a service, or a port of all addresses of this node. */
export interface Front {
  readonly at: 'address' | 'port';
  /** "10.96.0.10 . udp . 53", or "udp . 30053" */
  readonly key: string;
  /** The front is for clients outside: policy Cluster hides them behind the node's address, so that answers come back here. */
  readonly external: boolean;
  /** For all clients, unless `far` says otherwise. */
  readonly near: Choice;
  /** Of an external front with the policy Local: for clients that are neither pods of this node nor the node itself. */
  readonly far: Choice | undefined;
  /** Only clients of these networks may come; undefined: all. */
  readonly sources: readonly string[] | undefined;
  /** Endpoints that may keep the flows that they have. */
  readonly serving: readonly Target[];
  /** The same client comes to the same endpoint; undefined: to any. */
  readonly affinity: Affinity | undefined;
}

export interface Affinity {
  /** "10.96.0.10-udp-53": the port of the service, whose fronts share what is known of clients. */
  readonly id: string;
  readonly protocol: RoutedProtocol;
  readonly timeoutSeconds: number;
}

/** One service as this node routes it. */
export interface ServicePlan {
  readonly fronts: readonly Front[];
  /** Other ports of these are refused. */
  readonly clusterIPs: readonly string[];
  /** Endpoints that can be clients of the service, too. */
  readonly selves: readonly string[];
  /** Ports whose protocol is not routed, external addresses of others, and endpoints beyond the limit: to be said. */
  readonly leftOut: readonly string[];
  /** Since when there is the service, as RFC 3339: of several that want a front, the oldest has it. */
  readonly since: string;
}

/** The node that routes. */
export interface RoutingNode extends TrafficSource {
  /** Where this node's own DNS answers; undefined: it has none. */
  readonly nodeDns: { readonly ip: string; readonly port: number } | undefined;
  /** Connections to this service wait for its endpoint, which restarts: their first packets are dropped, and come again. */
  readonly holds?: boolean;
  /** Why a front outside of the network of services is not made here; absent, undefined: it is made. */
  readonly refuses?: (front: OutsideFront) => string | undefined;
}

/** Endpoints of one front that get traffic; more would make no difference to anybody. */
export const MAX_TARGETS = 1000;
/** core/v1 DefaultClientIPServiceAffinitySeconds, and the greatest that is valid. */
const DEFAULT_AFFINITY_SECONDS = 10_800;
const MAX_AFFINITY_SECONDS = 86_400;
/** The annotation of kube-dns for which each node answers itself. */
const NODE_DNS_ANNOTATION = 'mendlet.dev/node-dns';
const DNS_PORT = 53;

const NOTHING: ServicePlan = { fronts: [], clusterIPs: [], selves: [], leftOut: [], since: '' };

export function planService(service: Service, slices: readonly EndpointSlice[], self: RoutingNode): ServicePlan {
  const node = { ...self, verdictOf: verdictsFor(service, { of: self.verdictOf }) };
  const { spec = {} } = service;
  const clusterIP = clusterAddress(service);
  if (clusterIP === undefined) return NOTHING;
  const plans = (spec.ports ?? []).map((port) => planPort({ service, clusterIP, port, slices, node }));
  return {
    fronts: plans.flatMap(({ fronts }) => fronts),
    clusterIPs: [clusterIP],
    selves: [...new Set(plans.flatMap(({ selves }) => selves))].toSorted(),
    leftOut: plans.flatMap(({ leftOut }) => leftOut),
    since: service.metadata?.creationTimestamp ?? '',
  };
}

/** The address that clients in the cluster use; undefined: it is headless, a name alone, or of another family. */
export function clusterAddress({ spec = {} }: Service): string | undefined {
  if (spec.type === 'ExternalName') return undefined;
  for (const text of [spec.clusterIP, ...(spec.clusterIPs ?? [])]) {
    const address = addressText(text);
    if (address !== undefined) return address;
  }
  return undefined;
}

interface PortOfService {
  readonly service: Service;
  readonly clusterIP: string;
  readonly port: ServicePort;
  readonly slices: readonly EndpointSlice[];
  readonly node: RoutingNode;
}

function planPort(of: PortOfService): Pick<ServicePlan, 'fronts' | 'selves' | 'leftOut'> {
  const { service, clusterIP, port, node } = of;
  const { spec = {} } = service;
  const protocol = routedProtocol(port.protocol);
  if (protocol === undefined || !isPort(port.port)) {
    return { fronts: [], selves: [], leftOut: [`port ${port.port}/${port.protocol ?? 'TCP'}`] };
  }
  const found = endpointsOfPort(of);
  const all = node.holds === true ? [] : usableEndpoints(found, node);
  const here = node.holds === true ? [] : localEndpoints(found, node);
  const isServed = node.holds === true || targetsOf(all).length > 0;
  const anywhere = choice(preferredEndpoints(all, node), isServed);
  const local = choice(here, isServed);
  const common = {
    affinity: affinityOf(service, clusterIP, protocol, port.port),
    serving: protocol === 'udp' ? targetsOf(found.filter((endpoint) => isServing(endpoint, node))) : [],
  };
  const internal: Front = {
    ...common,
    at: 'address',
    key: `${clusterIP} . ${protocol} . ${port.port}`,
    external: false,
    near: spec.internalTrafficPolicy === 'Local' ? local : anywhere,
    far: undefined,
    sources: undefined,
  };
  const outside = { ...common, external: true, near: anywhere, far: isExternalLocal(service) ? local : undefined };
  const name = portName(port.port, port.protocol);
  const wished = externalAddresses(service).map((address) => {
    return { ...address, problem: node.refuses?.({ ip: address.ip, port: name, by: address.by }) };
  });
  const addresses = wished.flatMap(({ ip, sources, problem }): readonly Front[] => {
    if (problem !== undefined) return [];
    return [{ ...outside, at: 'address', key: `${ip} . ${protocol} . ${port.port}`, sources }];
  });
  const ports: readonly Front[] = isPort(port.nodePort)
    ? [{ ...outside, at: 'port', key: `${protocol} . ${port.nodePort}`, sources: undefined }]
    : [];
  return {
    fronts: [internal, ...addresses, ...ports],
    selves: [...all, ...here].flatMap(({ ip }) => addressText(ip) ?? []),
    leftOut: [
      ...(all.length > MAX_TARGETS ? [`endpoints of port ${port.port} beyond ${MAX_TARGETS}`] : []),
      ...wished.flatMap(({ ip, problem }) => (problem === undefined ? [] : [`port ${name} at ${ip}: ${problem}`])),
    ],
  };
}

/** What the endpoints of a port depend on. */
type PortWithSlices = Pick<PortOfService, 'service' | 'port' | 'slices'> & {
  readonly node: Pick<RoutingNode, 'nodeName' | 'nodeDns'>;
};

/** `kube-dns` without endpoints of others is answered by this node. */
export function endpointsOfPort({ service, port, slices, node }: PortWithSlices): readonly ServiceEndpoint[] {
  const { metadata } = service;
  const isOurs =
    metadata?.namespace === 'kube-system' &&
    metadata.name === 'kube-dns' &&
    metadata.annotations?.[NODE_DNS_ANNOTATION] === 'true' &&
    slices.every(({ endpoints }) => (endpoints ?? []).length === 0);
  const { nodeDns, nodeName } = node;
  if (isOurs && nodeDns !== undefined && port.port === DNS_PORT) {
    return [
      {
        ...nodeDns,
        podUid: undefined,
        hostname: undefined,
        nodeName,
        zone: undefined,
        ready: true,
        serving: true,
        terminating: false,
        forNodes: undefined,
        forZones: undefined,
      },
    ];
  }
  return endpointsAtPort(slices, { name: port.name ?? '', protocol: port.protocol ?? 'TCP' });
}

/** @param elsewhere there are endpoints, if not among these: then policy Local drops instead of refusing */
function choice(endpoints: readonly ServiceEndpoint[], elsewhere: boolean): Choice {
  const targets = targetsOf(endpoints);
  if (targets.length > 0) return { does: 'send', targets: targets.slice(0, MAX_TARGETS) };
  return { does: elsewhere ? 'drop' : 'refuse' };
}

function targetsOf(endpoints: readonly ServiceEndpoint[]): readonly Target[] {
  const targets = endpoints.flatMap(({ ip, port }) => {
    const address = addressText(ip);
    return address === undefined || !isPort(port) ? [] : [`${address} . ${port}`];
  });
  return [...new Set(targets)];
}

/** One that ends keeps what it has, unless this node knows that it is dead. */
function isServing({ serving, podUid, ip }: ServiceEndpoint, { verdictOf }: RoutingNode): boolean {
  const verdict = podUid === undefined ? undefined : verdictOf(podUid, ip);
  return serving && verdict !== 'dead' && verdict !== 'gone';
}

/** Upstream's ExternalPolicyLocal: the policy counts for services that have a front outside. */
export function isExternalLocal({ spec = {} }: Service): boolean {
  return spec.externalTrafficPolicy === 'Local';
}

interface ExternalAddress {
  readonly ip: string;
  readonly by: OutsideFront['by'];
  readonly sources: readonly string[] | undefined;
}

/** Source ranges are for the load balancer's addresses alone (as upstream). */
function externalAddresses(service: Service): readonly ExternalAddress[] {
  const { spec = {}, status } = service;
  const found = new Map<string, ExternalAddress>();
  for (const text of spec.externalIPs ?? []) {
    const ip = addressText(text);
    if (ip !== undefined) found.set(ip, { ip, by: 'externalIPs', sources: undefined });
  }
  if (spec.type !== 'LoadBalancer') return [...found.values()];
  const by = hasNodeAddresses(service) ? 'nodes' : 'others';
  const ranges = spec.loadBalancerSourceRanges ?? [];
  const sources = ranges.length === 0 ? undefined : withoutNested(ranges.flatMap((range) => networkText(range) ?? []));
  for (const { ip: text, ipMode = 'VIP' } of status?.loadBalancer?.ingress ?? []) {
    const ip = addressText(text);
    // A balancer in the mode Proxy delivers to node ports itself.
    if (ip !== undefined && ipMode === 'VIP') found.set(ip, { ip, by, sources });
  }
  return [...found.values()];
}

function affinityOf(
  { spec = {} }: Service,
  clusterIP: string,
  protocol: RoutedProtocol,
  port: number,
): Affinity | undefined {
  if (spec.sessionAffinity !== 'ClientIP') return undefined;
  const wished = spec.sessionAffinityConfig?.clientIP?.timeoutSeconds;
  const isValid = wished !== undefined && Number.isInteger(wished) && wished > 0 && wished <= MAX_AFFINITY_SECONDS;
  return {
    id: `${clusterIP}-${protocol}-${port}`,
    protocol,
    timeoutSeconds: isValid ? wished : DEFAULT_AFFINITY_SECONDS,
  };
}
