/** The endpoints of a service, read from its EndpointSlices. Pure. */
import { type DiscoveryEndpointPort, type Endpoint, type EndpointSlice } from '../../api/index.ts';

/** One endpoint at one port, as routing and DNS need it. */
export interface ServiceEndpoint {
  readonly ip: string;
  readonly port: number;
  /** UID of the pod behind it; undefined: somebody wrote the endpoint by hand. */
  readonly podUid: string | undefined;
  readonly hostname: string | undefined;
  readonly nodeName: string | undefined;
  readonly zone: string | undefined;
  readonly ready: boolean;
  readonly serving: boolean;
  readonly terminating: boolean;
  /** Nodes and zones whose clients should prefer it; undefined: no hint of that kind. */
  readonly forNodes: readonly string[] | undefined;
  readonly forZones: readonly string[] | undefined;
}

/** A port of a slice by name and protocol; an absent name and "" are one name. */
export interface PortName {
  readonly name: string;
  readonly protocol: string;
}

/**
 * The endpoints of one port of a service, from all its slices of IPv4: each slice has port numbers of its own. An address that
 * several slices name at the same port counts once, with the slice that says that it is ready, if there is one. In a stable
 * order.
 */
export function endpointsAtPort(slices: readonly EndpointSlice[], wanted: PortName): readonly ServiceEndpoint[] {
  const found = new Map<string, ServiceEndpoint>();
  for (const slice of slices.filter(isIpv4)) {
    for (const port of (slice.ports ?? []).filter((each) => isPort(each, wanted))) {
      if (port.port === undefined) continue;
      for (const endpoint of endpointsOf(slice, port.port)) {
        const key = `${endpoint.ip}:${endpoint.port}`;
        const other = found.get(key);
        if (other === undefined || (!other.ready && endpoint.ready)) found.set(key, endpoint);
      }
    }
  }
  return [...found.values()].toSorted(byAddress);
}

/** All ports that the slices name, each once. */
export function portsOf(slices: readonly EndpointSlice[]): readonly (PortName & { readonly port: number })[] {
  const found = new Map<string, PortName & { readonly port: number }>();
  for (const { ports } of slices.filter(isIpv4)) {
    for (const { name = '', protocol = 'TCP', port } of ports ?? []) {
      if (port !== undefined) found.set(`${name}/${protocol}/${port}`, { name, protocol, port });
    }
  }
  return [...found.values()];
}

/** The endpoints of a slice, each at `port`. Upstream's proxies use the first address of an endpoint only. */
export function endpointsOf(slice: EndpointSlice, port: number): readonly ServiceEndpoint[] {
  return (slice.endpoints ?? []).flatMap((endpoint) => {
    const ip = endpoint.addresses[0];
    return ip === undefined ? [] : [serviceEndpoint(endpoint, ip, port)];
  });
}

export function isIpv4(slice: EndpointSlice): boolean {
  return slice.addressType === 'IPv4';
}

function isPort({ name = '', protocol = 'TCP' }: DiscoveryEndpointPort, wanted: PortName): boolean {
  return name === wanted.name && protocol === wanted.protocol;
}

/** An absent condition `ready` or `serving` means true, `terminating` false (discovery/v1, EndpointConditions). */
function serviceEndpoint(endpoint: Endpoint, ip: string, port: number): ServiceEndpoint {
  const { conditions = {}, targetRef, hints } = endpoint;
  const ready = conditions.ready ?? true;
  return {
    ip,
    port,
    podUid: targetRef?.kind === 'Pod' ? targetRef.uid : undefined,
    hostname: endpoint.hostname || undefined,
    nodeName: endpoint.nodeName || undefined,
    zone: endpoint.zone || undefined,
    ready,
    serving: conditions.serving ?? ready,
    terminating: conditions.terminating ?? false,
    forNodes: hints?.forNodes?.map(({ name }) => name),
    forZones: hints?.forZones?.map(({ name }) => name),
  };
}

function byAddress(a: ServiceEndpoint, b: ServiceEndpoint): number {
  if (a.ip !== b.ip) return a.ip < b.ip ? -1 : 1;
  return a.port - b.port;
}
