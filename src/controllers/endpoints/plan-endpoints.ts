/**
 * The Endpoints object of a service: the content of its EndpointSlices in the old form, for old clients. Pure. Upstream: the
 * endpoints controller, RepackSubsets, truncateEndpoints.
 */
import {
  type EndpointAddress,
  type EndpointPort,
  ENDPOINTS,
  type Endpoints,
  type EndpointSubset,
  equalJson,
  isHeadless,
  isIpv6Address,
  nameOf,
  namespaceOf,
  type Pod,
  type Service,
  uidOf,
} from '../../api/index.ts';
import { HEADLESS_LABEL } from '../endpointslice/slice-operations.ts';
import { MAX_ENDPOINTS_ADDRESSES } from '../limits.ts';
import type { Operation } from '../operation.ts';
import { isPodReady } from '../pods/pod-state.ts';
import { addressesOf, hostnameOf, isReachable, targetPortOf } from '../services/service-pods.ts';
import { withTriggerTime } from '../services/trigger-times.ts';

export const MANAGED_BY_LABEL = 'endpoints.kubernetes.io/managed-by';
export const CONTROLLER_NAME = 'endpoint-controller';
const OVER_CAPACITY_ANNOTATION = 'endpoints.kubernetes.io/over-capacity';

export interface EndpointsInput {
  readonly service: Service;
  /** Those that its selector matches. */
  readonly pods: readonly Pod[];
  /** The Endpoints object of its name, if there is one. */
  readonly current: Endpoints | undefined;
  readonly triggerTime: string | undefined;
  readonly maxAddresses?: number;
}

/** Undefined when it is as it should be. */
export function planEndpoints(input: EndpointsInput): Operation | undefined {
  const { service, current, triggerTime, maxAddresses = MAX_ENDPOINTS_ADDRESSES } = input;
  const { subsets, truncated } = truncate(subsetsOf(input), maxAddresses);
  const labels = {
    ...withoutKey(service.metadata?.labels ?? {}, HEADLESS_LABEL),
    [MANAGED_BY_LABEL]: CONTROLLER_NAME,
    ...(isHeadless(service.spec ?? {}) ? { [HEADLESS_LABEL]: '' } : {}),
  };
  const marked = current?.metadata?.annotations?.[OVER_CAPACITY_ANNOTATION] !== undefined;
  const same =
    current !== undefined &&
    equalJson(current.subsets ?? [], subsets) &&
    equalJson(current.metadata?.labels ?? {}, labels) &&
    marked === truncated;
  if (same) return undefined;
  const annotations = {
    ...withTriggerTime(withoutKey(current?.metadata?.annotations ?? {}, OVER_CAPACITY_ANNOTATION), triggerTime),
    ...(truncated ? { [OVER_CAPACITY_ANNOTATION]: 'truncated' } : {}),
  };
  const metadata = {
    ...(current?.metadata ?? { namespace: namespaceOf(service), name: nameOf(service) }),
    labels,
    annotations,
  };
  const object: Endpoints = { apiVersion: 'v1', kind: 'Endpoints', metadata, subsets };
  return { verb: current === undefined ? 'create' : 'update', resource: ENDPOINTS, object };
}

function withoutKey(record: Readonly<Record<string, string>>, key: string): Record<string, string> {
  const { [key]: _, ...others } = record;
  return others;
}

/** One per set of ports; everything in an order of its own, so that the same pods always give the same. */
function subsetsOf({ service, pods }: EndpointsInput): EndpointSubset[] {
  const { ports: wanted = [], publishNotReadyAddresses = false, ipFamilies = [] } = service.spec ?? {};
  const portless = wanted.length === 0 && isHeadless(service.spec ?? {});
  const byPorts = new Map<string, Required<EndpointSubset>>();
  for (const pod of pods) {
    if (!isReachable(pod, { whileTerminating: publishNotReadyAddresses })) continue;
    const ip = addressesOf(pod).find((each) => isIpv6Address(each) === (ipFamilies[0] === 'IPv6'));
    if (ip === undefined) continue;
    const { ports, key } = portsOf(service, pod);
    if (ports.length === 0 && !portless) continue;
    const subset = byPorts.get(key) ?? { addresses: [], notReadyAddresses: [], ports };
    byPorts.set(key, subset);
    const address = addressOf(pod, service, ip);
    if (publishNotReadyAddresses || isPodReady(pod)) subset.addresses.push(address);
    else subset.notReadyAddresses.push(address);
  }
  const sorted = [...byPorts].toSorted(inOrderOf(([key]) => key));
  return sorted.map(([, { addresses, notReadyAddresses, ports }]) =>
    compact({
      addresses: addresses.toSorted(byAddress),
      notReadyAddresses: notReadyAddresses.toSorted(byAddress),
      ports,
    }),
  );
}

function byAddress(a: EndpointAddress, b: EndpointAddress): number {
  if (a.ip !== b.ip) return a.ip < b.ip ? -1 : 1;
  return (a.targetRef?.uid ?? '') < (b.targetRef?.uid ?? '') ? -1 : 1;
}

interface Ports {
  readonly ports: EndpointPort[];
  readonly key: string;
}

/** Those of pods that did not change since. */
const knownPorts = new WeakMap<Service, WeakMap<Pod, Ports>>();

/** The ports of the service as they are on this pod; `key` is the same for the same ones. */
function portsOf(service: Service, pod: Pod): Ports {
  const known = knownPorts.get(service) ?? new WeakMap<Pod, Ports>();
  const before = known.get(pod);
  if (before !== undefined) return before;
  const ports = (service.spec?.ports ?? []).flatMap((each): EndpointPort[] => {
    const port = targetPortOf(pod, each);
    if (port === undefined) return [];
    const { name, protocol = 'TCP', appProtocol } = each;
    return [{ ...(name && { name }), port, protocol, ...(appProtocol === undefined ? {} : { appProtocol }) }];
  });
  ports.sort(inOrderOf((port) => `${port.name ?? ''} ${port.protocol ?? ''} ${port.port}`));
  const made = { ports, key: JSON.stringify(ports) };
  knownPorts.set(service, known.set(pod, made));
  return made;
}

function inOrderOf<T>(key: (item: T) => string): (a: T, b: T) => number {
  return (a, b) => {
    const [first, second] = [key(a), key(b)];
    return first === second ? 0 : first < second ? -1 : 1;
  };
}

/** Without empty lists, as it is stored. */
function compact({ addresses = [], notReadyAddresses = [], ports = [] }: EndpointSubset): EndpointSubset {
  return {
    ...(addresses.length === 0 ? {} : { addresses }),
    ...(notReadyAddresses.length === 0 ? {} : { notReadyAddresses }),
    ...(ports.length === 0 ? {} : { ports }),
  };
}

function addressOf(pod: Pod, service: Service, ip: string): EndpointAddress {
  const hostname = hostnameOf(pod, service);
  const nodeName = pod.spec?.nodeName;
  return {
    ip,
    ...(hostname === undefined ? {} : { hostname }),
    ...(nodeName ? { nodeName } : {}),
    targetRef: { kind: 'Pod', namespace: namespaceOf(pod), name: nameOf(pod), uid: uidOf(pod) },
  };
}

/** No more addresses than an object should hold: ready ones first, each subset in proportion. */
function truncate(
  subsets: readonly EndpointSubset[],
  max: number,
): { readonly subsets: EndpointSubset[]; readonly truncated: boolean } {
  const count = (field: 'addresses' | 'notReadyAddresses'): number =>
    subsets.reduce((sum, subset) => sum + (subset[field]?.length ?? 0), 0);
  const ready = count('addresses');
  const notReady = count('notReadyAddresses');
  if (ready + notReady <= max) return { subsets: [...subsets], truncated: false };
  const cutReady = ready > max;
  const field = cutReady ? 'addresses' : 'notReadyAddresses';
  const total = cutReady ? ready : notReady;
  const room = cutReady ? max : max - ready;
  let left = room;
  const cut = subsets.map((subset) => {
    const own = subset[field] ?? [];
    const share = Math.min(left, Math.ceil((own.length / total) * room));
    const kept = own.slice(0, share);
    left -= kept.length;
    return compact({ ...subset, ...(cutReady ? { notReadyAddresses: [] } : {}), [field]: kept });
  });
  const some = cut.filter(({ addresses = [], notReadyAddresses = [] }) => addresses.length + notReadyAddresses.length);
  return { subsets: some, truncated: true };
}
