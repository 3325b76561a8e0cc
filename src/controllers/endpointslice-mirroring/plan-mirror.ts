/**
 * Slices that mirror Endpoints which a client wrote for a service without a selector. Pure. Upstream: the
 * EndpointSliceMirroring controller.
 */
import {
  controllerReference,
  type Endpoint,
  type EndpointAddress,
  ENDPOINTS,
  type Endpoints,
  type EndpointSlice,
  equalJson,
  isDeleting,
  isIpAddress,
  isIpv6Address,
  nameOf,
  namespaceOf,
  type Service,
} from '../../api/index.ts';
import { byName, EndpointGroups, planSlices } from '../endpointslice/plan-slices.ts';
import {
  deleteSlice,
  MANAGED_BY_LABEL,
  SERVICE_NAME_LABEL,
  sliceOperations,
} from '../endpointslice/slice-operations.ts';
import { MAX_MIRRORED_ADDRESSES } from '../limits.ts';
import type { Operation } from '../operation.ts';
import { TRIGGER_TIME_ANNOTATION } from '../services/trigger-times.ts';

export const MIRRORING_NAME = 'endpointslicemirroring-controller.k8s.io';
const SKIP_MIRROR_LABEL = 'endpointslice.kubernetes.io/skip-mirror';
const LEADER_ANNOTATION = 'control-plane.alpha.kubernetes.io/leader';
const LAST_APPLIED_ANNOTATION = 'kubectl.kubernetes.io/last-applied-configuration';

export interface MirrorPlan {
  readonly operations: readonly Operation[];
  /** Addresses that are no IP addresses. */
  readonly invalid: number;
  /** Addresses beyond the bound of their subset. */
  readonly skipped: number;
}

/** @param slices those of the service's name with the name of this controller */
export function planMirror(
  service: Service | undefined,
  endpoints: Endpoints | undefined,
  slices: readonly EndpointSlice[],
): MirrorPlan {
  const existing = slices.filter((slice) => !isDeleting(slice)).toSorted(byName);
  if (service === undefined || endpoints === undefined || !isMirrored(service, endpoints))
    return { operations: existing.map(deleteSlice), invalid: 0, skipped: 0 };
  const { byFamily, invalid, skipped } = groupsOf(endpoints);
  const { labels, annotations } = copiedMeta(endpoints);
  const isOutdated = ({ metadata = {} }: EndpointSlice): boolean =>
    !equalJson(metadata.labels ?? {}, labels) ||
    !equalJson(withoutKeys(metadata.annotations, [TRIGGER_TIME_ANNOTATION]), annotations);
  const operations = Object.entries(byFamily).flatMap(([addressType, groups]) => {
    const own = existing.filter((slice) => slice.addressType === addressType);
    const plan = planSlices(own, groups.all(), {
      maxEndpoints: MAX_MIRRORED_ADDRESSES,
      isOutdated,
      placeholder: false,
    });
    return sliceOperations(plan, {
      namespace: namespaceOf(endpoints),
      name: nameOf(endpoints),
      labels,
      annotations,
      owner: controllerReference(ENDPOINTS, endpoints),
      addressType,
      triggerTime: endpoints.metadata?.annotations?.[TRIGGER_TIME_ANNOTATION],
    });
  });
  const strange = existing.filter(({ addressType }) => !Object.hasOwn(byFamily, addressType));
  return { operations: [...operations, ...strange.map(deleteSlice)], invalid, skipped };
}

/** A service without a selector, and Endpoints that do not refuse it. */
function isMirrored(service: Service, { metadata = {} }: Endpoints): boolean {
  if (Object.keys(service.spec?.selector ?? {}).length > 0 || isDeleting(service)) return false;
  return metadata.labels?.[SKIP_MIRROR_LABEL] !== 'true' && metadata.annotations?.[LEADER_ANNOTATION] === undefined;
}

function copiedMeta(endpoints: Endpoints): {
  readonly labels: Record<string, string>;
  readonly annotations: Record<string, string>;
} {
  const { labels, annotations } = endpoints.metadata ?? {};
  return {
    labels: { ...labels, [SERVICE_NAME_LABEL]: nameOf(endpoints), [MANAGED_BY_LABEL]: MIRRORING_NAME },
    annotations: withoutKeys(annotations, [LAST_APPLIED_ANNOTATION, TRIGGER_TIME_ANNOTATION]),
  };
}

function withoutKeys(
  record: Readonly<Record<string, string>> | undefined,
  keys: readonly string[],
): Record<string, string> {
  return Object.fromEntries(Object.entries(record ?? {}).filter(([key]) => !keys.includes(key)));
}

function groupsOf({ subsets = [] }: Endpoints) {
  const byFamily = { IPv4: new EndpointGroups(), IPv6: new EndpointGroups() };
  let invalid = 0;
  let skipped = 0;
  for (const { addresses = [], notReadyAddresses = [], ports = [] } of subsets) {
    const all = [
      ...addresses.map((address) => ({ address, ready: true })),
      ...notReadyAddresses.map((address) => ({ address, ready: false })),
    ];
    let taken = 0;
    for (const { address, ready } of all) {
      if (!isIpAddress(address.ip)) {
        invalid += 1;
      } else if (taken >= MAX_MIRRORED_ADDRESSES) {
        skipped += 1;
      } else {
        taken += 1;
        byFamily[isIpv6Address(address.ip) ? 'IPv6' : 'IPv4'].add(
          ports.map(({ name = '', protocol = 'TCP', ...port }) => ({ name, protocol, ...port })),
          endpointOf(address, ready),
        );
      }
    }
  }
  return { byFamily, invalid, skipped };
}

function endpointOf({ ip, hostname, nodeName, targetRef }: EndpointAddress, ready: boolean): Endpoint {
  return {
    addresses: [ip],
    conditions: { ready },
    ...(hostname ? { hostname } : {}),
    ...(nodeName ? { nodeName } : {}),
    ...(targetRef === undefined ? {} : { targetRef }),
  };
}
