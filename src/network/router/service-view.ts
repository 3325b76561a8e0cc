/** The endpoints that a node sends the clients of a service to, for whoever tries the way there. Pure. */
import type { EndpointSlice, Service } from '../../api/index.ts';
import type { ServiceEndpoint } from '../services/service-endpoint.ts';
import { localEndpoints, usableEndpoints } from '../services/usable-endpoints.ts';
import { endpointsOfPort, type RoutingNode } from './service-fronts.ts';

export interface ServicePortView {
  readonly port: number;
  readonly protocol: string;
  readonly endpoints: readonly Pick<ServiceEndpoint, 'ip' | 'port'>[];
}

export function servicePorts(
  service: Service,
  slices: readonly EndpointSlice[],
  node: Pick<RoutingNode, 'nodeName' | 'nodeDns' | 'verdictOf'>,
): readonly ServicePortView[] {
  const isLocal = service.spec?.internalTrafficPolicy === 'Local';
  return (service.spec?.ports ?? []).map((port) => {
    const endpoints = endpointsOfPort({ service, port, slices, node });
    const usable = isLocal ? localEndpoints(endpoints, node) : usableEndpoints(endpoints, node);
    return {
      port: port.port,
      protocol: port.protocol ?? 'TCP',
      endpoints: usable.map((each) => ({ ip: each.ip, port: each.port })),
    };
  });
}
