/** From what an object says of its webhook to the places where it is asked (upstream: webhook.ClientManager, proxy.ResolveEndpoint). Pure. */
import { type EndpointSlice, isGlobalUnicast, pemOf, type Service, type WebhookClient } from '../../api/index.ts';

export interface WebhookTarget {
  /** "https://HOST:PORT" */
  readonly server: string;
  /** "/convert" */
  readonly path: string;
  readonly authorityPem?: string;
  /** The Service that it is behind; absent: the name of the host leads to it. */
  readonly service?: { readonly namespace: string; readonly name: string; readonly port: number };
}

/** @param client one that validation let through */
export function targetOf({ url = '', service, caBundle = '' }: WebhookClient): WebhookTarget {
  const authority = caBundle === '' ? {} : { authorityPem: pemOf(caBundle) };
  if (service === undefined) {
    const { origin, pathname } = new URL(url);
    return { server: origin, path: pathname, ...authority };
  }
  const { namespace, name, path = '', port = 443 } = service;
  return {
    server: `https://${name}.${namespace}.svc:${port}`,
    path: path.startsWith('/') ? path : `/${path}`,
    service: { namespace, name, port },
    ...authority,
  };
}

export interface Address {
  readonly host: string;
  readonly port: number;
}

/** The addresses behind a Service, or why there are none. Only those of other machines on the network count, never this one's own. */
export function addressesOf(
  { name, port }: NonNullable<WebhookTarget['service']>,
  service: Service | undefined,
  slices: readonly EndpointSlice[],
): readonly Address[] | string {
  const quoted = JSON.stringify(name);
  if (service === undefined) return `service ${quoted} not found`;
  const { type, externalName = '', ports = [] } = service.spec ?? {};
  if (type === 'ExternalName') return [{ host: externalName, port }];
  const wanted = ports.find((each) => each.port === port);
  if (wanted === undefined) return `no service port ${port} found for service ${quoted}`;
  const found = slices.flatMap(({ ports: given, endpoints }) => {
    const target = (given ?? []).find((each) => (each.name ?? '') === (wanted.name ?? ''))?.port;
    if (target === undefined) return [];
    return (endpoints ?? [])
      .filter(({ conditions }) => conditions?.ready !== false)
      .flatMap(({ addresses }) => addresses.filter(isGlobalUnicast).map((host) => ({ host, port: target })));
  });
  return found.length === 0 ? `no endpoints available for service ${quoted}` : found;
}
