/** What is tried on the way to a service, and from which pod. Pure. */
import type { Pod } from '../../api/index.ts';
import type { DnsState, KnownPort, KnownService, PathTry, RoutingState } from '../ports.ts';
import type { PodView } from '../types.ts';

/** TCP ports of one service that are tried. */
const MAX_PORTS = 4;
/** A cluster domain that is not set. */
const USUAL_DOMAIN = 'cluster.local';

export interface ServiceName {
  readonly namespace: string;
  readonly name: string;
}

/** The pod in whose network the way is tried. */
export interface TriedPod {
  readonly name: ServiceName;
  readonly dnsPolicy: string;
  /** Undefined: its resolv.conf cannot be read. */
  readonly nameServers: readonly string[] | undefined;
}

export interface PathFacts {
  readonly wanted: ServiceName;
  readonly clusterDomain: string;
  /** Wall ms. */
  readonly now: number;
  /** A text: why it is not known whether there is one. */
  readonly service: KnownService | string | undefined;
  readonly routing: RoutingState | undefined;
  readonly dns: DnsState | undefined;
  /** A text: why the way is tried from the node alone. */
  readonly pod: TriedPod | string;
}

export interface PathPlan {
  /** From the node. */
  readonly dns: PathTry | undefined;
  /** From the pod. */
  readonly lookup: PathTry | undefined;
  readonly connections: readonly PlannedConnection[];
  /** In words. */
  readonly leftOut: readonly string[];
}

export interface PlannedConnection {
  readonly port: KnownPort;
  readonly attempt: PathTry & { readonly kind: 'connect' };
}

/** Pods with a network of their own that this node may enter, the best first; `endpoints`: addresses of the service's own. */
export function podsToTry(
  views: readonly PodView[],
  { namespace }: ServiceName,
  endpoints: ReadonlySet<string>,
): readonly PodView[] {
  const rank = ({ pod, status }: PodView): number => {
    const own = pod.metadata?.namespace === namespace ? 0 : 4;
    const isEndpoint = endpoints.has(status?.podIP ?? '') ? 1 : 0;
    return (asksNoCluster(pod) ? 8 : 0) + own + (usesClusterDns(pod) ? 0 : 2) + isEndpoint;
  };
  return views
    .filter(({ pod }) => hasOwnNetwork(pod))
    .map((view) => ({ view, rank: rank(view), name: `${view.pod.metadata?.namespace}/${view.pod.metadata?.name}` }))
    .toSorted((a, b) => a.rank - b.rank || (a.name < b.name ? -1 : 1))
    .map(({ view }) => view);
}

/** A runtime of another make may have a kernel, and so networks, of its own. */
function hasOwnNetwork({ spec, metadata }: Pod): boolean {
  return spec?.hostNetwork !== true && !spec?.runtimeClassName && metadata?.deletionTimestamp === undefined;
}

function usesClusterDns({ spec }: Pod): boolean {
  return (spec?.dnsPolicy ?? 'ClusterFirst').startsWith('ClusterFirst');
}

function asksNoCluster({ spec }: Pod): boolean {
  return spec?.dnsPolicy === 'Default';
}

export function planPath(facts: PathFacts): PathPlan {
  const { service, dns, pod } = facts;
  if (typeof service !== 'object') return { dns: undefined, lookup: undefined, connections: [], leftOut: [] };
  const name = nameOf(facts);
  const isNamed = service.externalName !== undefined || expectedAddresses(service)?.length !== 0;
  const asks = (server: string | undefined): PathTry | undefined =>
    isNamed && server !== undefined ? { kind: 'lookup', server, name } : undefined;
  const server = typeof pod === 'object' && pod.dnsPolicy !== 'Default' ? pod.nameServers?.[0] : undefined;
  return { dns: asks(dns?.address), lookup: asks(server), ...planConnections(service) };
}

export function nameOf({ wanted: { namespace, name }, clusterDomain }: PathFacts): string {
  return `${name}.${namespace}.svc.${clusterDomain || USUAL_DOMAIN}`;
}

/** The addresses that its name has; undefined: they are not known. */
export function expectedAddresses({ clusterIP, externalName, ports }: KnownService): readonly string[] | undefined {
  if (externalName !== undefined || clusterIP === '') return undefined;
  if (clusterIP !== 'None') return [clusterIP];
  if (ports.length === 0 || ports.some(({ endpoints }) => endpoints === undefined)) return undefined;
  return [...new Set(ports.flatMap(({ endpoints }) => (endpoints ?? []).map(({ ip }) => ip)))];
}

function planConnections(service: KnownService): Pick<PathPlan, 'connections' | 'leftOut'> {
  const { clusterIP, externalName, ports } = service;
  if (externalName !== undefined)
    return { connections: [], leftOut: ['an alias leads out of the cluster: its ports are not tried'] };
  const tcp = ports.filter(({ protocol }) => protocol === 'TCP');
  const others = ports.filter(({ protocol }) => protocol !== 'TCP');
  const tried = tcp.slice(0, MAX_PORTS);
  const connections = tried.flatMap((port): readonly PlannedConnection[] => {
    const endpoint = port.endpoints?.[0];
    // Without an endpoint a refusal is as it should be.
    if (port.endpoints !== undefined && endpoint === undefined) return [];
    if (clusterIP === 'None' || clusterIP === '')
      return endpoint === undefined ? [] : [{ port, attempt: { kind: 'connect', to: endpoint } }];
    const to = { ip: clusterIP, port: port.port };
    return [{ port, attempt: { kind: 'connect', to, ...(endpoint && { instead: endpoint }) } }];
  });
  const leftOut = [
    ...(tcp.length > MAX_PORTS ? [`${tcp.length - MAX_PORTS} more TCP ports are not tried`] : []),
    ...others.map(({ port, protocol }) => `${protocol} ${port} cannot be tried without knowing its protocol`),
  ];
  return { connections, leftOut };
}
