/** Finds another DNS server of the cluster behind the service kube-dns: who installed one has it. Pure. */
import type { ServiceDirectory } from '../services/service-directory.ts';
import { endpointsAtPort } from '../services/service-endpoint.ts';
import type { Verdict } from '../services/local-verdicts.ts';
import { usableEndpoints } from '../services/usable-endpoints.ts';
import type { ServerAddress } from './dns-sockets.ts';
import { DNS_PORT } from './resolv-conf.ts';

export const KUBE_DNS = { namespace: 'kube-system', name: 'kube-dns' } as const;
/** On the kube-dns of mendlet's own server: each node's agent answers for it. */
export const NODE_DNS_ANNOTATION = 'mendlet.dev/node-dns';

/**
 * Where it answers: its pods, so that no routing is needed. One that has no usable pod is none: somebody has to answer.
 * @returns undefined: there is no other
 */
export function otherClusterDns(
  directory: Pick<ServiceDirectory, 'service' | 'slices'>,
  verdictOf: (podUid: string, address?: string) => Verdict | undefined,
): readonly ServerAddress[] | undefined {
  const { namespace, name } = KUBE_DNS;
  const service = directory.service(namespace, name);
  if (service === undefined) return undefined;
  const slices = directory.slices(namespace, name);
  const ports = (service.spec?.ports ?? []).filter(({ port, protocol }) => port === DNS_PORT && protocol === 'UDP');
  const endpoints = ports.flatMap(({ name: port = '' }) =>
    usableEndpoints(endpointsAtPort(slices, { name: port, protocol: 'UDP' }), { verdictOf }),
  );
  return endpoints.length === 0 ? undefined : endpoints.map(({ ip, port }) => ({ address: ip, port }));
}
