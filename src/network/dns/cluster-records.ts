/**
 * The records of a cluster's zone, computed from its services for each question. Pure.
 * Source: https://github.com/kubernetes/dns/blob/master/docs/specification.md, version 1.1.0
 */
import type { Service } from '../../api/index.ts';
import type { ServiceDirectory } from '../services/service-directory.ts';
import { endpointsAtPort, endpointsOf, isIpv4, type ServiceEndpoint } from '../services/service-endpoint.ts';
import type { Verdict } from '../services/local-verdicts.ts';
import { usableEndpoints } from '../services/usable-endpoints.ts';
import { type DnsName, parseName } from './codec/name.ts';
import type { DnsRecord } from './codec/records.ts';
import { TYPE } from './codec/wire.ts';
import { CLUSTER_IP_TTL_SECONDS, CLUSTER_TTL_SECONDS } from './limits.ts';

export interface ClusterView {
  /** "cluster.local" as labels. */
  readonly zone: DnsName;
  readonly directory: Pick<ServiceDirectory, 'service' | 'servicesIn' | 'slices' | 'slicesAt' | 'servicesAt'>;
  /** What this node knows of its own pods (`Verdicts.of`). */
  readonly verdictOf: (podUid: string, address?: string) => Verdict | undefined;
  /** The address of the server itself, which ns.dns.ZONE has. */
  readonly ownAddress: string;
  /** Uniform in [0, 1): the order of addresses spreads clients. */
  readonly next: () => number;
}

/** What a name has. */
export type Found =
  /** Of the asked type; none: the name exists all the same. */
  | { readonly kind: 'records'; readonly records: readonly DnsRecord[]; readonly additional?: readonly DnsRecord[] }
  /** Another name stands for it. */
  | { readonly kind: 'alias'; readonly record: DnsRecord; readonly target: DnsName }
  | { readonly kind: 'missing' };

export const SPECIFICATION_VERSION = '1.1.0';
const MISSING: Found = { kind: 'missing' };
const EMPTY: Found = { kind: 'records', records: [] };
const LABEL = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;
/** RFC 2782's weights of equal servers; as CoreDNS divides them. */
const WHOLE_WEIGHT = 100;

/** @param own the labels before those of the zone, in lower case */
export function findInCluster(view: ClusterView, own: DnsName, type: number): Found {
  const at = own.length - 1;
  switch (own[at]) {
    case 'svc':
      return findService(view, own.slice(0, at), type);
    case 'pod':
      return findPod(view, own.slice(0, at), type);
    case 'dns-version':
      return at > 0 ? MISSING : textOf(view, type);
    case 'dns':
      return findServer(view, own.slice(0, at), type);
    case undefined:
    default:
      return MISSING;
  }
}

/** The names that an address has in the cluster: those of services with this cluster IP, else of endpoints with a host name. */
export function findReverse(view: ClusterView, name: DnsName, address: string): readonly DnsRecord[] {
  const { directory } = view;
  const services = directory.servicesAt(address).filter((service) => hasClusterIp(service));
  if (services.length > 0) {
    return services.map((service) => pointer(name, CLUSTER_IP_TTL_SECONDS, serviceName(view, service)));
  }
  const owners = new Map<string, Service>();
  for (const { metadata } of directory.slicesAt(address)) {
    const service = directory.service(metadata?.namespace ?? '', serviceOf(metadata?.labels));
    if (service !== undefined) owners.set(`${service.metadata?.namespace}/${service.metadata?.name}`, service);
  }
  return [...owners.values()].flatMap((service) =>
    usableAddresses(view, service)
      .filter(({ ip, hostname }) => ip === address && hostname !== undefined)
      .map((endpoint) => pointer(name, CLUSTER_TTL_SECONDS, [hostLabel(endpoint), ...serviceName(view, service)])),
  );
}

function serviceOf(labels: Readonly<Record<string, string>> | undefined): string {
  return labels?.['kubernetes.io/service-name'] ?? '';
}

function pointer(name: DnsName, ttl: number, target: DnsName): DnsRecord {
  return { name, ttl, type: TYPE.PTR, target };
}

function textOf({ zone }: ClusterView, type: number): Found {
  if (type !== TYPE.TXT) return EMPTY;
  const name = ['dns-version', ...zone];
  return { kind: 'records', records: [{ name, ttl: CLUSTER_IP_TTL_SECONDS, type, texts: [SPECIFICATION_VERSION] }] };
}

/** ns.dns.ZONE, which SOA and NS name. */
function findServer({ zone, ownAddress }: ClusterView, own: DnsName, type: number): Found {
  if (own.length === 0) return EMPTY;
  if (own.length > 1 || own[0] !== 'ns') return MISSING;
  if (type !== TYPE.A) return EMPTY;
  const name = ['ns', 'dns', ...zone];
  return { kind: 'records', records: [{ name, ttl: CLUSTER_IP_TTL_SECONDS, type, address: ownAddress }] };
}

/** A-B-C-D.NS.pod.ZONE echoes its address, so each namespace that could be exists. */
function findPod({ zone }: ClusterView, own: DnsName, type: number): Found {
  const [namespace = 'default', ...rest] = own.toReversed();
  if (!LABEL.test(namespace) || rest.length > 1) return MISSING;
  const [dashed] = rest;
  if (dashed === undefined) return EMPTY;
  const address = dashed.replaceAll('-', '.');
  const isAddress = /^(\d{1,3}-){3}\d{1,3}$/.test(dashed) && address.split('.').every((part) => isOctet(part));
  if (!isAddress) return MISSING;
  if (type !== TYPE.A) return EMPTY;
  const name = [dashed, namespace, 'pod', ...zone];
  return { kind: 'records', records: [{ name, ttl: CLUSTER_TTL_SECONDS, type, address }] };
}

function isOctet(text: string): boolean {
  return Number(text) <= 255 && String(Number(text)) === text;
}

/** @param own the labels before "svc" */
function findService(view: ClusterView, own: DnsName, type: number): Found {
  const [namespace, name, ...rest] = own.toReversed();
  if (namespace === undefined) return EMPTY;
  // A directory of services knows no namespaces: one of which nothing can be named need not exist.
  if (name === undefined) return view.directory.servicesIn(namespace).length > 0 ? EMPTY : MISSING;
  const service = view.directory.service(namespace, name);
  if (service === undefined) return MISSING;
  if (service.spec?.type === 'ExternalName') return rest.length === 0 ? aliasOf(view, service) : MISSING;
  const [label, port] = rest;
  if (rest.length > 2) return MISSING;
  if (label === undefined) return ofService(view, service, type);
  if (port === undefined)
    return label.startsWith('_') ? ofProtocol(view, service, label) : ofHost(view, service, label, type);
  return ofPort(view, service, { port, protocol: label }, type);
}

/** An external name that looks like an address is none (Kubernetes' documentation of ExternalName). */
function aliasOf(view: ClusterView, service: Service): Found {
  const target = parseName(service.spec?.externalName ?? '');
  if (target === undefined || target.every((label) => /^\d+$/.test(label))) return EMPTY;
  const name = serviceName(view, service);
  return { kind: 'alias', record: { name, ttl: CLUSTER_TTL_SECONDS, type: TYPE.CNAME, target }, target };
}

function ofService(view: ClusterView, service: Service, type: number): Found {
  const name = serviceName(view, service);
  if (hasClusterIp(service)) {
    if (type === TYPE.SRV) return ofPorts(view, service, name, undefined);
    return { kind: 'records', records: type === TYPE.A ? clusterIpRecords(name, service) : [] };
  }
  const endpoints = usableAddresses(view, service);
  // The specification wants a headless service without ready endpoints to have no name.
  if (endpoints.length === 0) return MISSING;
  if (type === TYPE.SRV) return ofPorts(view, service, name, undefined);
  return { kind: 'records', records: type === TYPE.A ? addressRecords(name, shuffled(view, endpoints)) : [] };
}

/** HOSTNAME.SVC.NS.svc.ZONE; an endpoint without a host name has its address with dashes. */
function ofHost(view: ClusterView, service: Service, label: string, type: number): Found {
  const endpoints = usableAddresses(view, service).filter((endpoint) => hostLabel(endpoint) === label);
  if (endpoints.length === 0) return MISSING;
  const name = [label, ...serviceName(view, service)];
  return { kind: 'records', records: type === TYPE.A ? addressRecords(name, shuffled(view, endpoints)) : [] };
}

/** _PROTO.SVC.NS.svc.ZONE has no records, but its ports do. */
function ofProtocol(view: ClusterView, service: Service, label: string): Found {
  return namedPorts(view, service).some((port) => protocolLabel(port) === label) ? EMPTY : MISSING;
}

function ofPort(
  view: ClusterView,
  service: Service,
  asked: { readonly port: string; readonly protocol: string },
  type: number,
): Found {
  const ports = namedPorts(view, service).filter(
    (port) => `_${port.name}` === asked.port && protocolLabel(port) === asked.protocol,
  );
  if (ports.length === 0) return MISSING;
  if (type !== TYPE.SRV) return EMPTY;
  return ofPorts(view, service, [asked.port, asked.protocol, ...serviceName(view, service)], ports);
}

interface NamedPort {
  readonly name: string;
  readonly protocol: string;
  /** Of the service; endpoints may have others. */
  readonly port: number;
}

/** Of a headless service: those that a usable endpoint has. */
function namedPorts(view: ClusterView, service: Service): readonly NamedPort[] {
  const named = (service.spec?.ports ?? []).flatMap(({ name = '', protocol = 'TCP', port }) =>
    name === '' ? [] : [{ name, protocol, port }],
  );
  return hasClusterIp(service) ? named : named.filter((port) => usableAtPort(view, service, port).length > 0);
}

function protocolLabel({ protocol }: NamedPort): string {
  return `_${protocol.toLowerCase()}`;
}

/** SRV records of these ports, of all named ones if undefined, and the addresses of their targets. */
function ofPorts(view: ClusterView, service: Service, name: DnsName, ports: readonly NamedPort[] | undefined): Found {
  const own = serviceName(view, service);
  const chosen = ports ?? namedPorts(view, service);
  if (hasClusterIp(service)) {
    const ttl = CLUSTER_IP_TTL_SECONDS;
    const records = chosen.map(({ port }) => server({ name, ttl }, { port, target: own, weight: WHOLE_WEIGHT }));
    return { kind: 'records', records, additional: records.length === 0 ? [] : clusterIpRecords(own, service) };
  }
  const endpoints = chosen.flatMap((port) => usableAtPort(view, service, port));
  const weight = Math.max(1, Math.floor(WHOLE_WEIGHT / Math.max(1, endpoints.length)));
  const mixed = shuffled(view, endpoints);
  return {
    kind: 'records',
    records: mixed.map((endpoint) =>
      server(
        { name, ttl: CLUSTER_TTL_SECONDS },
        { port: endpoint.port, target: [hostLabel(endpoint), ...own], weight },
      ),
    ),
    additional: [...new Map(mixed.map((endpoint) => [endpoint.ip, endpoint])).values()].flatMap((endpoint) =>
      addressRecords([hostLabel(endpoint), ...own], [endpoint]),
    ),
  };
}

function server(
  owner: { readonly name: DnsName; readonly ttl: number },
  { port, target, weight }: { readonly port: number; readonly target: DnsName; readonly weight: number },
): DnsRecord {
  return { ...owner, type: TYPE.SRV, priority: 0, weight, port, target };
}

function serviceName({ zone }: ClusterView, { metadata }: Service): DnsName {
  return [metadata?.name ?? '', metadata?.namespace ?? '', 'svc', ...zone];
}

function hasClusterIp({ spec }: Service): boolean {
  return spec?.type !== 'ExternalName' && spec?.clusterIP !== 'None' && (spec?.clusterIP ?? '') !== '';
}

function clusterIpRecords(name: DnsName, { spec }: Service): readonly DnsRecord[] {
  const addresses = spec?.clusterIPs ?? [spec?.clusterIP ?? ''];
  return addresses
    .filter((address) => address.includes('.'))
    .map((address) => ({ name, ttl: CLUSTER_IP_TTL_SECONDS, type: TYPE.A, address }));
}

function addressRecords(name: DnsName, endpoints: readonly ServiceEndpoint[]): readonly DnsRecord[] {
  const addresses = new Set(endpoints.map(({ ip }) => ip));
  return [...addresses].map((address) => ({ name, ttl: CLUSTER_TTL_SECONDS, type: TYPE.A, address }));
}

/** Endpoint slices have host names in lower case. */
function hostLabel({ ip, hostname }: ServiceEndpoint): string {
  return hostname ?? ip.replaceAll('.', '-');
}

/** Each endpoint once, whatever ports it has: a service without ports has names, too. */
function usableAddresses(view: ClusterView, service: Service): readonly ServiceEndpoint[] {
  const found = new Map<string, ServiceEndpoint>();
  for (const slice of slicesOf(view, service).filter(isIpv4)) {
    for (const endpoint of endpointsOf(slice, 0)) {
      const other = found.get(endpoint.ip);
      if (other === undefined || (!other.ready && endpoint.ready)) found.set(endpoint.ip, endpoint);
    }
  }
  return usable(view, service, [...found.values()]);
}

function usableAtPort(view: ClusterView, service: Service, port: NamedPort): readonly ServiceEndpoint[] {
  return usable(view, service, endpointsAtPort(slicesOf(view, service), port));
}

function slicesOf({ directory }: ClusterView, { metadata }: Service): ReturnType<ServiceDirectory['slices']> {
  return directory.slices(metadata?.namespace ?? '', metadata?.name ?? '');
}

/** Who publishes addresses that are not ready wants those of dying pods, too, as long as they have a network. */
function usable(
  { verdictOf }: ClusterView,
  { spec }: Service,
  endpoints: readonly ServiceEndpoint[],
): readonly ServiceEndpoint[] {
  if (spec?.publishNotReadyAddresses !== true) return usableEndpoints(endpoints, { verdictOf });
  const onlyGone = (podUid: string, address?: string): Verdict | undefined =>
    verdictOf(podUid, address) === 'gone' ? 'gone' : undefined;
  return usableEndpoints(endpoints, { verdictOf: onlyGone });
}

/** Fisher and Yates' shuffle. */
function shuffled<T>({ next }: ClusterView, items: readonly T[]): readonly T[] {
  const mixed = [...items];
  for (let at = mixed.length - 1; at > 0; at--) {
    const other = Math.floor(next() * (at + 1));
    [mixed[at], mixed[other]] = [mixed[other] as T, mixed[at] as T];
  }
  return mixed;
}
