/** Questions about the type of a service that several places ask. Pure. */
import type { ServiceSpec } from './types.gen.ts';

/** The clusterIP of a service that wants none. */
export const HEADLESS = 'None';

/** Gets an address of its own, unless it is headless. */
export function needsClusterIp(spec: ServiceSpec): boolean {
  return spec.type === 'ClusterIP' || spec.type === 'NodePort' || spec.type === 'LoadBalancer';
}

export function isHeadless(spec: ServiceSpec): boolean {
  return spec.clusterIP === HEADLESS || spec.clusterIPs?.[0] === HEADLESS;
}

/** Its ports are open on every node. */
export function needsNodePorts(spec: ServiceSpec): boolean {
  if (spec.type === 'NodePort') return true;
  return spec.type === 'LoadBalancer' && spec.allocateLoadBalancerNodePorts !== false;
}

/** Reachable from outside: traffic policies apply. */
export function isExternallyAccessible(spec: ServiceSpec): boolean {
  if (spec.type === 'NodePort' || spec.type === 'LoadBalancer') return true;
  return spec.type === 'ClusterIP' && (spec.externalIPs?.length ?? 0) > 0;
}

/** A load balancer that asks each node whether it has an endpoint. */
export function needsHealthCheckPort(spec: ServiceSpec): boolean {
  return spec.type === 'LoadBalancer' && spec.externalTrafficPolicy === 'Local';
}
