/** The strategy of services: allocated values stay theirs, and are released when their type does not need them any more. */
import {
  isExternallyAccessible,
  needsClusterIp,
  needsHealthCheckPort,
  needsNodePorts,
  type Service,
  type ServicePort,
  type ServiceSpec,
} from '../../api/index.ts';
import { omit } from './object.ts';
import { sameValue } from './object-meta.ts';
import type { Strategy } from './registration.ts';

export const serviceStrategy: Strategy = {
  returnsDeleted: true,
  prepareForCreate: (object) => ({ ...object, status: { loadBalancer: {} } }),
  prepareForUpdate: (object, old) => {
    const before = (old as Service).spec ?? {};
    const spec = { ...(object as Service).spec };
    keepAllocated(spec, before);
    dropUnneeded(spec, before);
    return { ...object, spec };
  },
};

/** A client that replaces a service need not know what it was given (upstream: patchAllocatedValues). */
function keepAllocated(spec: ServiceSpec, before: ServiceSpec): void {
  if (needsClusterIp(spec) && needsClusterIp(before) && !spec.clusterIP && (spec.clusterIPs?.length ?? 0) === 0) {
    if (before.clusterIP !== undefined) spec.clusterIP = before.clusterIP;
    if (before.clusterIPs !== undefined) spec.clusterIPs = before.clusterIPs;
  }
  if (needsNodePorts(spec) && needsNodePorts(before)) {
    const given = new Set((spec.ports ?? []).map((port) => port.nodePort ?? 0));
    spec.ports = spec.ports?.map((port) => {
      const own = before.ports?.find((each) => each.port === port.port && each.protocol === port.protocol);
      if (port.nodePort || !own?.nodePort || given.has(own.nodePort)) return port;
      return { ...port, nodePort: own.nodePort };
    });
    if (spec.ports === undefined) delete spec.ports;
  }
  if (needsHealthCheckPort(spec) && needsHealthCheckPort(before) && !spec.healthCheckNodePort) {
    if (before.healthCheckNodePort !== undefined) spec.healthCheckNodePort = before.healthCheckNodePort;
  }
}

/** Fields that only the old type needed are dropped, unless the client changed them (upstream: dropTypeDependentFields). */
function dropUnneeded(spec: ServiceSpec, before: ServiceSpec): void {
  const drop = (needs: (spec: ServiceSpec) => boolean, ...fields: (keyof ServiceSpec)[]): void => {
    if (!needs(before) || needs(spec)) return;
    for (const field of fields) if (sameValue(spec[field], before[field])) delete spec[field];
  };
  drop(needsClusterIp, 'clusterIP', 'clusterIPs', 'ipFamilies', 'ipFamilyPolicy', 'internalTrafficPolicy');
  drop(needsHealthCheckPort, 'healthCheckNodePort');
  drop(isLoadBalancer, 'allocateLoadBalancerNodePorts', 'loadBalancerClass');
  drop(isExternallyAccessible, 'externalTrafficPolicy');
  drop(hasAffinity, 'sessionAffinityConfig');
  if (!needsNodePorts(before) || needsNodePorts(spec)) return;
  const same = sameValue(
    spec.ports?.map((port) => port.nodePort),
    before.ports?.map((port) => port.nodePort),
  );
  if (same) spec.ports = spec.ports?.map((port) => omit(port, 'nodePort') as ServicePort) ?? [];
}

function isLoadBalancer({ type }: ServiceSpec): boolean {
  return type === 'LoadBalancer';
}

function hasAffinity({ sessionAffinity }: ServiceSpec): boolean {
  return sessionAffinity === 'ClientIP';
}
