/** The target of a probe: host, port, path and headers, as upstream resolves them (pkg/probe, prober.go). Pure. */
import type { Container, HTTPGetAction, IntOrString } from '../../api/index.ts';

export interface HttpTarget {
  readonly scheme: 'http' | 'https';
  readonly host: string;
  readonly port: number;
  readonly path: string;
  readonly headers: readonly { readonly name: string; readonly value: string }[];
}

/** A port by number, by a container port's name, or a number written as text; `undefined`: there is no such port. */
export function resolvePort(port: IntOrString, container: Container): number | undefined {
  const named = typeof port === 'string' ? container.ports?.find(({ name }) => name === port)?.containerPort : port;
  const number = named ?? (/^\d+$/.test(String(port)) ? Number(port) : undefined);
  return number !== undefined && number > 0 && number < 65536 ? number : undefined;
}

/** `podIp` is asked unless the probe names a host. */
export function httpTarget(action: HTTPGetAction, port: number, podIp: string, version: string): HttpTarget {
  const path = action.path ?? '';
  return {
    scheme: action.scheme === 'HTTPS' ? 'https' : 'http',
    host: action.host || podIp,
    port,
    path: path.startsWith('/') ? path : `/${path}`,
    headers: withDefaultHeaders(action.httpHeaders ?? [], version),
  };
}

type Header = { readonly name: string; readonly value: string };

/** An empty value of either removes the header, as upstream. */
function withDefaultHeaders(given: readonly Header[], version: string): readonly Header[] {
  const has = (name: string): boolean => given.some((each) => each.name.toLowerCase() === name);
  const headers = given.filter(
    ({ name, value }) => value !== '' || !['user-agent', 'accept'].includes(name.toLowerCase()),
  );
  if (!has('user-agent')) headers.push({ name: 'User-Agent', value: probeUserAgent(version) });
  if (!has('accept')) headers.push({ name: 'Accept', value: '*/*' });
  return headers;
}

/** `version` e.g. "v1.36.0+mendlet.1" → "kube-probe/1.36". */
export function probeUserAgent(version: string): string {
  return `kube-probe/${/^v?(\d+\.\d+)/.exec(version)?.[1] ?? version}`;
}
