/** Defaults of services, endpoints and endpoint slices (upstream `SetDefaults_Service` and its siblings). They fill a draft in place. */
import { isExternallyAccessible, isHeadless, needsClusterIp } from '../service-kind.ts';
import type { Endpoints, EndpointSlice, Service } from '../types.gen.ts';

/** Three hours (upstream: DefaultClientIPServiceAffinitySeconds). */
const AFFINITY_SECONDS = 10_800;

export function defaultService(service: Service): void {
  const spec = (service.spec ??= {});
  service.status ??= { loadBalancer: {} };
  spec.sessionAffinity ||= 'None';
  if (spec.sessionAffinity === 'None') delete spec.sessionAffinityConfig;
  if (spec.sessionAffinity === 'ClientIP') {
    spec.sessionAffinityConfig ??= {};
    spec.sessionAffinityConfig.clientIP ??= {};
    spec.sessionAffinityConfig.clientIP.timeoutSeconds ??= AFFINITY_SECONDS;
  }
  spec.type ||= 'ClusterIP';
  for (const port of spec.ports ?? []) {
    port.protocol ||= 'TCP';
    if (port.targetPort === undefined || port.targetPort === 0 || port.targetPort === '') port.targetPort = port.port;
  }
  if (isExternallyAccessible(spec)) spec.externalTrafficPolicy ||= 'Cluster';
  if (needsClusterIp(spec)) spec.internalTrafficPolicy ??= 'Cluster';
  if (spec.type === 'LoadBalancer') {
    spec.allocateLoadBalancerNodePorts ??= true;
    for (const point of service.status.loadBalancer?.ingress ?? []) if (point.ip) point.ipMode ??= 'VIP';
  }
  defaultAddresses(service);
}

/** The old field and the new list say the same; the cluster has one family. */
function defaultAddresses({ spec = {} }: Service): void {
  if (!needsClusterIp(spec)) return;
  if (spec.clusterIP && (spec.clusterIPs?.length ?? 0) === 0) spec.clusterIPs = [spec.clusterIP];
  spec.ipFamilyPolicy ??=
    isHeadless(spec) && Object.keys(spec.selector ?? {}).length === 0 ? 'RequireDualStack' : 'SingleStack';
  if (spec.ipFamilyPolicy === 'RequireDualStack' && isHeadless(spec)) spec.ipFamilies ??= ['IPv4', 'IPv6'];
  if ((spec.ipFamilies?.length ?? 0) === 0) spec.ipFamilies = ['IPv4'];
}

export function defaultEndpoints(endpoints: Endpoints): void {
  for (const subset of endpoints.subsets ?? []) for (const port of subset.ports ?? []) port.protocol ||= 'TCP';
}

export function defaultEndpointSlice(slice: EndpointSlice): void {
  for (const port of slice.ports ?? []) {
    port.name ??= '';
    port.protocol ??= 'TCP';
  }
}
