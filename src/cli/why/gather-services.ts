/** Gathers the services that a failing pod names, with the number of their endpoints. */
import { ENDPOINT_SLICES, SERVICES } from '../../api/index.ts';
import type { ServiceEvidence, ServiceName } from '../../diagnosis/index.ts';
import { type Asker } from './ask.ts';
import { MAX_LISTED, MAX_SERVICES } from './limits.ts';

export async function gatherServices(asker: Asker, names: readonly ServiceName[]): Promise<readonly ServiceEvidence[]> {
  const all = await Promise.all(names.slice(0, MAX_SERVICES).map((name) => gatherService(asker, name)));
  return all.flatMap((one) => one ?? []);
}

async function gatherService(asker: Asker, { namespace, name }: ServiceName): Promise<ServiceEvidence | undefined> {
  const [service, slices] = await Promise.all([
    asker.get(`service/${name}`, SERVICES, namespace, name),
    asker.list(`endpointslices of service/${name}`, ENDPOINT_SLICES, {
      namespace,
      labelSelector: `kubernetes.io/service-name=${name}`,
      limit: MAX_LISTED,
    }),
  ]);
  const empty = { namespace, name, clusterIPs: [], ports: [], ready: 0, notReady: 0 };
  if (service.kind === 'missing') return { ...empty, missing: true };
  if (service.kind !== 'found') return undefined;
  const { spec } = service.value;
  // An ExternalName service has no endpoints in the cluster.
  if (spec?.type === 'ExternalName') return undefined;
  const endpoints = slices.flatMap((slice) => slice.endpoints ?? []);
  const ready = endpoints.filter(({ conditions }) => conditions?.ready !== false).length;
  return {
    namespace,
    name,
    missing: false,
    clusterIPs: (spec?.clusterIPs ?? []).filter((address) => address !== 'None'),
    ports: (spec?.ports ?? []).map(({ port }) => port),
    ready,
    notReady: endpoints.length - ready,
  };
}
