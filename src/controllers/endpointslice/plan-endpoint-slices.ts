/** The slices of a service that selects pods. Pure. Upstream: the EndpointSlice reconciler. */
import {
  controllerReference,
  type DiscoveryEndpointPort,
  type Endpoint,
  type EndpointSlice,
  equalJson,
  isDeleting,
  isHeadless,
  nameOf,
  namespaceOf,
  type Node,
  type Pod,
  type Service,
  SERVICES,
  uidOf,
} from '../../api/index.ts';
import { MAX_ENDPOINTS_PER_SLICE } from '../limits.ts';
import type { Operation } from '../operation.ts';
import { isReachable } from '../services/service-pods.ts';
import { byName, EndpointGroups, planSlices, portsKey } from './plan-slices.ts';
import { type AddressType, endpointOf, portsOf, zoneOf } from './pod-endpoint.ts';
import {
  deleteSlice,
  HEADLESS_LABEL,
  MANAGED_BY_LABEL,
  SERVICE_NAME_LABEL,
  sliceOperations,
} from './slice-operations.ts';

export const CONTROLLER_NAME = 'endpointslice-controller.k8s.io';

const RESERVED_LABELS: ReadonlySet<string> = new Set([HEADLESS_LABEL, SERVICE_NAME_LABEL, MANAGED_BY_LABEL]);

export interface EndpointSliceInput {
  readonly service: Service;
  /** Those that its selector matches. */
  readonly pods: readonly Pod[];
  /** Slices with the service's name and ours. */
  readonly slices: readonly EndpointSlice[];
  readonly nodeOf: (name: string) => Node | undefined;
  readonly triggerTime: string | undefined;
  readonly maxEndpoints?: number;
}

/** In the order in which they should be done. */
export function planEndpointSlices(input: EndpointSliceInput): readonly Operation[] {
  const { service, triggerTime, maxEndpoints = MAX_ENDPOINTS_PER_SLICE } = input;
  const families = addressTypesOf(service);
  const live = input.slices.filter((slice) => !isDeleting(slice)).toSorted(byName);
  const own = live.filter((slice) => isOwn(slice, service) && families.includes(slice.addressType as AddressType));
  const foreign = live.filter((slice) => !own.includes(slice));
  const labels = sliceLabels(service);
  const isOutdated = (slice: EndpointSlice): boolean => !equalJson(slice.metadata?.labels ?? {}, labels);
  const operations = families.flatMap((addressType) => {
    const existing = own.filter((slice) => slice.addressType === addressType);
    const plan = planSlices(existing, groupsOf(input, addressType), { maxEndpoints, isOutdated, placeholder: true });
    // Replacements for slices of a service that is being deleted would stay behind.
    const creates = isDeleting(service) ? [] : plan.creates;
    return sliceOperations(
      { ...plan, creates },
      {
        namespace: namespaceOf(service),
        name: nameOf(service),
        labels,
        owner: controllerReference(SERVICES, service),
        addressType,
        triggerTime,
      },
    );
  });
  return [...operations, ...foreign.map(deleteSlice)];
}

interface Seen {
  readonly zone: string | undefined;
  readonly endpoint: Endpoint | undefined;
  readonly ports: readonly DiscoveryEndpointPort[];
  readonly key: string;
}

/** Endpoints of pods that have not changed since: most of them, at any change of one. */
const seen: Readonly<Record<AddressType, WeakMap<Service, WeakMap<Pod, Seen>>>> = {
  IPv4: new WeakMap(),
  IPv6: new WeakMap(),
};

function seenOf(service: Service, pod: Pod, node: Node | undefined, addressType: AddressType): Seen {
  const known = seen[addressType].get(service) ?? new WeakMap<Pod, Seen>();
  const before = known.get(pod);
  const zone = zoneOf(node);
  if (before !== undefined && before.zone === zone) return before;
  const ports = portsOf(service, pod);
  const made = { zone, endpoint: endpointOf(pod, node, service, addressType), ports, key: portsKey(ports) };
  seen[addressType].set(service, known.set(pod, made));
  return made;
}

function groupsOf({ service, pods, nodeOf }: EndpointSliceInput, addressType: AddressType) {
  const groups = new EndpointGroups();
  for (const pod of pods) {
    if (!isReachable(pod, { whileTerminating: true })) continue;
    const node = nodeOf(pod.spec?.nodeName ?? '');
    // Its node's object is gone: no kubelet reports any more that it runs.
    if (node === undefined && service.spec?.publishNotReadyAddresses !== true) continue;
    const { endpoint, ports, key } = seenOf(service, pod, node, addressType);
    if (endpoint !== undefined) groups.add(ports, endpoint, key);
  }
  return groups.all();
}

function addressTypesOf({ spec = {} }: Service): readonly AddressType[] {
  const families = (spec.ipFamilies ?? []).filter((family) => family === 'IPv4' || family === 'IPv6');
  return families.length === 0 ? ['IPv4'] : families;
}

function sliceLabels(service: Service): Readonly<Record<string, string>> {
  const own = Object.entries(service.metadata?.labels ?? {}).filter(([name]) => !RESERVED_LABELS.has(name));
  return {
    ...Object.fromEntries(own),
    [SERVICE_NAME_LABEL]: nameOf(service),
    [MANAGED_BY_LABEL]: CONTROLLER_NAME,
    ...(isHeadless(service.spec ?? {}) ? { [HEADLESS_LABEL]: '' } : {}),
  };
}

/** Not one of an older service of the same name, which the garbage collector is about to take. */
function isOwn(slice: EndpointSlice, service: Service): boolean {
  return slice.metadata?.ownerReferences?.some(({ uid }) => uid === uidOf(service)) === true;
}
