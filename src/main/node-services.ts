/** The kubelet's port to what this node does for services: its router, its DNS, and the services that it knows. */
import { isNotFound, type Service, SERVICES } from '../api/index.ts';
import type { KubeClient } from '../client/index.ts';
import type { DnsState, KnownService, NodeServices, RoutingState } from '../kubelet/index.ts';
import { errorMessage } from '../lib/index.ts';
import { systemProcess } from '../lib/process.node.ts';
import { DNS_PORT, servicePorts, type ServiceRouter, serviceTable, verdictsFor } from '../network/index.ts';
import { openRouterMachine } from '../network/router/router-machine.node.ts';
import type { ServiceNetwork } from './service-network.ts';

export interface NodeServiceParts {
  readonly instanceId: string;
  readonly node: { readonly nodeName: string };
  /** Undefined: this node neither routes nor answers DNS. */
  readonly services: ServiceNetwork | undefined;
  /** Without a router: it does not route. */
  readonly routed: { readonly router: Pick<ServiceRouter, 'state'> | undefined } | undefined;
  /** Undefined: it does not answer DNS. */
  readonly dns: DnsState | undefined;
}

/** @param client as the node, which may read services */
export function nodeServices(client: KubeClient, parts: NodeServiceParts): NodeServices {
  return {
    routing: () => routingOf(parts),
    dns: () => parts.dns,
    find: async (namespace, name) => {
      const network = parts.services?.directory.synced === true ? parts.services : undefined;
      const service =
        network === undefined ? await read(client, namespace, name) : network.directory.service(namespace, name);
      return service && known(service, network, parts);
    },
  };
}

async function routingOf({ instanceId, routed }: NodeServiceParts): Promise<RoutingState | undefined> {
  if (routed?.router === undefined) return undefined;
  const table = serviceTable(instanceId);
  const { state } = routed.router;
  try {
    const outline = await openRouterMachine(systemProcess).outline(table);
    return { table, isThere: outline !== undefined, ...state };
  } catch (error) {
    // Whether it is there is not known; why, is to be told.
    return { table, isThere: true, ...state, failure: state.failure ?? errorMessage(error) };
  }
}

async function read(client: KubeClient, namespace: string, name: string): Promise<Service | undefined> {
  try {
    return await client.get(SERVICES, namespace, name);
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

function known(service: Service, network: ServiceNetwork | undefined, { node, dns }: NodeServiceParts): KnownService {
  const { metadata, spec } = service;
  const slices = network?.directory.slices(metadata?.namespace ?? '', metadata?.name ?? '');
  const nodeDns = dns?.address === undefined ? undefined : { ip: dns.address, port: DNS_PORT };
  const ports =
    network === undefined || slices === undefined
      ? (spec?.ports ?? []).map(({ port, protocol = 'TCP' }) => ({ port, protocol, endpoints: undefined }))
      : servicePorts(service, slices, { ...node, nodeDns, verdictOf: verdictsFor(service, network.verdicts) });
  return {
    clusterIP: spec?.clusterIP ?? '',
    ...(spec?.type === 'ExternalName' && { externalName: spec.externalName ?? '' }),
    ports,
  };
}
