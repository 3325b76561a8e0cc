/**
 * Which addresses a service of type LoadBalancer is reached at: those of the nodes, which all route to it. A port of the nodes belongs to
 * one service alone, the oldest that wants it, and never to what mendlet or another program of the machine needs itself. Pure.
 */
import {
  type EndpointSlice,
  isDeleting,
  isIpv4Address,
  type LoadBalancerIngress,
  nameOf,
  namespacedName,
  type Node,
  type Service,
  type ServicePort,
} from '../../api/index.ts';
import { hasNodeAddresses, takenPortsOf, portName } from '../../network/index.ts';

const EXCLUDE_LABEL = 'node.kubernetes.io/exclude-from-external-load-balancers';
/** TCP and UDP ports on which mendlet answers on nodes: DNS, the health of the router, the kubelet, the API server. */
const OWN_PORTS: ReadonlyMap<number, string> = new Map([
  [53, 'the DNS of the cluster'],
  [6443, 'the API server'],
  [10_250, 'the kubelet'],
  [10_256, 'the health check of the service routes'],
]);

export interface BalancerFacts {
  readonly services: readonly Service[];
  readonly nodes: readonly Node[];
  slicesOf(service: Service): readonly EndpointSlice[];
}

export interface BalancerDecision {
  readonly service: Service;
  /** Empty: it has none (any more). */
  readonly ingress: readonly LoadBalancerIngress[];
  /** Why it has none, for an event. */
  readonly problem?: string;
}

/** Whether its addresses are for us to give: no other controller is asked for, and nobody else has given it some. */
export function isOurs(service: Service): boolean {
  const { spec = {}, status } = service;
  if (spec.type !== 'LoadBalancer' || spec.loadBalancerClass !== undefined || isDeleting(service)) return false;
  return hasNodeAddresses(service) || (status?.loadBalancer?.ingress ?? []).length === 0;
}

/** The decisions about all services that are ours, or were. */
export function planBalancers(facts: BalancerFacts): readonly BalancerDecision[] {
  const { services } = facts;
  const owners = nodePortOwners(services);
  const nodes = facts.nodes.filter(takesTraffic);
  const ours = services.filter(isOurs).toSorted(byAge);
  const given = ours.map((service): BalancerDecision => {
    const problem = refusal(service, owners);
    if (problem !== undefined) return { service, ingress: [], problem };
    for (const port of service.spec?.ports ?? [])
      owners.set(keyOf(port, port.port), `service ${namespacedName(service)}`);
    return withAddresses(service, nodes, facts);
  });
  const former = services.filter(
    (service) => hasNodeAddresses(service) && !ours.includes(service) && !isDeleting(service),
  );
  return [...given, ...former.map((service): BalancerDecision => ({ service, ingress: [] }))];
}

function byAge(a: Service, b: Service): number {
  const key = (service: Service): string => `${service.metadata?.creationTimestamp ?? ''} ${namespacedName(service)}`;
  return key(a) < key(b) ? -1 : 1;
}

function keyOf({ protocol }: ServicePort, port: number): string {
  return portName(port, protocol);
}

/** Who has which port of the nodes already, by "PORT/PROTOCOL": node ports answer at the same addresses. */
function nodePortOwners(services: readonly Service[]): Map<string, string> {
  const owners = new Map<string, string>();
  for (const service of services) {
    const { ports = [], healthCheckNodePort = 0 } = service.spec ?? {};
    for (const port of ports)
      if (port.nodePort) owners.set(keyOf(port, port.nodePort), `service ${namespacedName(service)} as a node port`);
    if (healthCheckNodePort > 0)
      owners.set(`${healthCheckNodePort}/TCP`, `the health check of service ${namespacedName(service)}`);
  }
  return owners;
}

function refusal(service: Service, owners: ReadonlyMap<string, string>): string | undefined {
  for (const port of service.spec?.ports ?? []) {
    const key = keyOf(port, port.port);
    const own = port.protocol === 'SCTP' ? undefined : OWN_PORTS.get(port.port);
    const owner = own ?? owners.get(key);
    if (owner !== undefined) return `port ${key} of the nodes belongs to ${owner}`;
  }
  return undefined;
}

function withAddresses(service: Service, nodes: readonly Node[], facts: BalancerFacts): BalancerDecision {
  const isLocal = service.spec?.externalTrafficPolicy === 'Local';
  const fitting = isLocal ? nodes.filter((node) => hasEndpoint(node, facts.slicesOf(service))) : nodes;
  const chosen = fitting.filter((node) => takenOn(node, service) === undefined);
  const addresses = [...addressesOf(chosen, 'ExternalIP'), ...addressesOf(chosen, 'InternalIP')];
  if (addresses.length > 0) {
    const ingress = [...new Set(addresses)].map((ip): LoadBalancerIngress => ({ ip, ipMode: 'VIP' }));
    return { service, ingress };
  }
  const [first] = fitting;
  if (first !== undefined && chosen.length === 0) {
    const problem = `port ${takenOn(first, service)} of node ${nameOf(first)} is in use by a program or a pod of that machine`;
    const others = fitting.length - 1;
    return { service, ingress: [], problem: others === 0 ? problem : `${problem}; other nodes: ${others}` };
  }
  if (isLocal && nodes.length > 0) {
    const problem = 'no ready node has an endpoint of it, and its external traffic policy is Local';
    return { service, ingress: [], problem };
  }
  // Without any ready node nothing is known better: what was given stays.
  const before = hasNodeAddresses(service) ? (service.status?.loadBalancer?.ingress ?? []) : [];
  return { service, ingress: before, problem: 'no node is ready' };
}

/** A port of the service that a program of the node's machine has; undefined: there is none. */
function takenOn(node: Node, { spec }: Service): string | undefined {
  const taken = takenPortsOf(node);
  return spec?.ports?.map((port) => keyOf(port, port.port)).find((key) => taken.has(key));
}

export function takesTraffic(node: Node): boolean {
  const ready = node.status?.conditions?.find(({ type }) => type === 'Ready');
  return ready?.status === 'True' && !isDeleting(node) && node.metadata?.labels?.[EXCLUDE_LABEL] === undefined;
}

function addressesOf(nodes: readonly Node[], type: 'ExternalIP' | 'InternalIP'): readonly string[] {
  return nodes
    .flatMap(({ status }) => status?.addresses ?? [])
    .filter((each) => each.type === type && isIpv4Address(each.address))
    .map(({ address }) => address)
    .toSorted();
}

/** A ready endpoint, or where no node has one, one that serves on while it ends. */
function hasEndpoint(node: Node, slices: readonly EndpointSlice[]): boolean {
  const endpoints = slices.flatMap((slice) => slice.endpoints ?? []);
  const ready = endpoints.filter(({ conditions }) => conditions?.ready !== false);
  const serving = endpoints.filter(({ conditions }) => conditions?.serving === true && conditions.terminating === true);
  const usable = ready.length > 0 ? ready : serving;
  return usable.some(({ nodeName }) => nodeName === nameOf(node));
}
