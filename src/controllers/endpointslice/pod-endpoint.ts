/** The endpoint that a pod is for a service. Pure. Upstream: podToEndpoint, getEndpointPorts. */
import {
  type DiscoveryEndpointPort,
  type Endpoint,
  type EndpointHints,
  isDeleting,
  isIpv6Address,
  type Node,
  nameOf,
  namespaceOf,
  type Pod,
  type Service,
  uidOf,
} from '../../api/index.ts';
import { isPodReady } from '../pods/pod-state.ts';
import { addressesOf, hostnameOf, targetPortOf } from '../services/service-pods.ts';

export type AddressType = 'IPv4' | 'IPv6';

const ZONE_LABEL = 'topology.kubernetes.io/zone';

export function zoneOf(node: Node | undefined): string | undefined {
  return node?.metadata?.labels?.[ZONE_LABEL];
}

/** Undefined when the pod has no address of this family. */
export function endpointOf(
  pod: Pod,
  node: Node | undefined,
  service: Service,
  addressType: AddressType,
): Endpoint | undefined {
  const addresses = addressesOf(pod).filter((ip) => isIpv6Address(ip) === (addressType === 'IPv6'));
  if (addresses.length === 0) return undefined;
  const serving = isPodReady(pod);
  const terminating = isDeleting(pod);
  const ready = service.spec?.publishNotReadyAddresses === true || (serving && !terminating);
  const hostname = hostnameOf(pod, service);
  const nodeName = pod.spec?.nodeName;
  const zone = zoneOf(node);
  const hints = ready ? hintsOf(service, zone, nodeName) : undefined;
  return {
    addresses,
    conditions: { ready, serving, terminating },
    ...(hostname === undefined ? {} : { hostname }),
    targetRef: { kind: 'Pod', namespace: namespaceOf(pod), name: nameOf(pod), uid: uidOf(pod) },
    ...(nodeName ? { nodeName } : {}),
    ...(zone === undefined ? {} : { zone }),
    ...(hints === undefined ? {} : { hints }),
  };
}

/** The clients that should prefer it, if the service has a preference. */
function hintsOf(service: Service, zone: string | undefined, nodeName: string | undefined): EndpointHints | undefined {
  const zones = zone === undefined ? {} : { forZones: [{ name: zone }] };
  const nodes = nodeName ? { forNodes: [{ name: nodeName }] } : {};
  switch (service.spec?.trafficDistribution) {
    case 'PreferClose':
    case 'PreferSameZone':
      return zone === undefined ? undefined : zones;
    case 'PreferSameNode':
      return nodeName ? { ...nodes, ...zones } : undefined;
    case undefined:
    default:
      return undefined;
  }
}

/** The ports of the service as they are on this pod; one that it does not have is left out. */
export function portsOf(service: Service, pod: Pod): readonly DiscoveryEndpointPort[] {
  return (service.spec?.ports ?? []).flatMap((each) => {
    const port = targetPortOf(pod, each);
    if (port === undefined) return [];
    const { name = '', protocol = 'TCP', appProtocol } = each;
    return [{ name, protocol, port, ...(appProtocol === undefined ? {} : { appProtocol }) }];
  });
}
