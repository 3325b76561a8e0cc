/** Where pods/proxy and services/proxy lead: names like "https:web:8443", endpoints, and the path behind "proxy". Pure. */
import {
  badRequest,
  type Container,
  type Endpoints,
  labelSelectorOf,
  matchesLabels,
  type Pod,
  type Service,
  type ServicePort,
  serviceUnavailable,
} from '../../api/index.ts';
import type { ResourceRequest } from '../http/request-info.ts';

export interface ProxyName {
  readonly scheme: 'http' | 'https';
  readonly name: string;
  /** "" when none is given; a number or a port's name. */
  readonly port: string;
}

/** Reads "NAME", "NAME:PORT" and "SCHEME:NAME:PORT" (upstream: SplitSchemeNamePort). Throws 400. */
export function parseProxyName(text: string): ProxyName {
  const parts = text.split(':');
  const [scheme, name, port] = parts.length === 3 ? parts : ['', parts[0], parts[1]];
  const known = scheme === '' || scheme === 'http' || scheme === 'https';
  if (parts.length > 3 || !known || name === undefined || name === '')
    throw badRequest(`invalid request ${JSON.stringify(text)}`);
  return { scheme: scheme === 'https' ? 'https' : 'http', name, port: port ?? '' };
}

/** "http://10.244.0.5:80". Throws 400 for a pod without an address or such a port. */
export function podOrigin(pod: Pod, { scheme, port }: ProxyName): string {
  const ip = pod.status?.podIP ?? '';
  if (ip === '') throw badRequest(`address not allowed: pod ${pod.metadata?.name ?? ''} has no address yet`);
  return originOf(scheme, ip, portOfPod(pod, port));
}

function portOfPod(pod: Pod, port: string): number | undefined {
  const containers: readonly Container[] = pod.spec?.containers ?? [];
  const ports = containers.flatMap((container) => container.ports ?? []);
  if (port === '') return ports[0]?.containerPort;
  return numbered(port) ?? ports.find((each) => each.name === port)?.containerPort ?? refusePort(port);
}

function refusePort(port: string): never {
  throw badRequest(`no port ${JSON.stringify(port)}`);
}

function numbered(port: string): number | undefined {
  const value = Number(port);
  return /^\d{1,5}$/.test(port) && value >= 1 && value <= 65_535 ? value : undefined;
}

function originOf(scheme: 'http' | 'https', ip: string, port: number | undefined): string {
  const host = ip.includes(':') ? `[${ip}]` : ip;
  return `${scheme}://${host}:${port ?? (scheme === 'https' ? 443 : 80)}`;
}

export interface ServiceInputs {
  readonly service: Service;
  readonly endpoints: Endpoints | undefined;
  /** Of its namespace: asked when nobody wrote endpoints. */
  readonly pods: readonly Pod[];
  /** Uniform in [0, 1). */
  readonly random: number;
}

/** One of the service's endpoints. Throws 503 when there is none. */
export function serviceOrigin(inputs: ServiceInputs, { scheme, name, port }: ProxyName): string {
  const { service, endpoints, pods, random } = inputs;
  const ports = service.spec?.ports ?? [];
  const wanted =
    ports.length === 1 && port === ''
      ? ports[0]
      : ports.find((each) => each.name === port || String(each.port) === port);
  if (wanted === undefined && !(port === '' && ports.length === 0))
    throw serviceUnavailable(`no service port ${JSON.stringify(port)} found for service ${JSON.stringify(name)}`);
  const listed = (endpoints?.subsets ?? []).flatMap((subset) => {
    const found = (subset.ports ?? []).find((each) => (each.name ?? '') === (wanted?.name ?? ''));
    return found === undefined ? [] : (subset.addresses ?? []).map(({ ip }) => originOf(scheme, ip, found.port));
  });
  const origins = endpoints === undefined ? originsOfPods(service, wanted, pods, scheme) : listed;
  const chosen = origins[Math.floor(random * origins.length)];
  if (chosen === undefined) throw serviceUnavailable(`no endpoints available for service ${JSON.stringify(name)}`);
  return chosen;
}

function originsOfPods(
  service: Service,
  wanted: ServicePort | undefined,
  pods: readonly Pod[],
  scheme: 'http' | 'https',
): string[] {
  const labels = service.spec?.selector ?? {};
  if (Object.keys(labels).length === 0) return [];
  const selector = labelSelectorOf({ matchLabels: labels }) ?? [];
  return pods
    .filter((pod) => matchesLabels(selector, pod.metadata?.labels) && isReady(pod))
    .flatMap((pod) => {
      const port = targetPort(pod, wanted);
      return port === undefined ? [] : [originOf(scheme, pod.status?.podIP ?? '', port)];
    });
}

function isReady({ status, metadata }: Pod): boolean {
  if (!status?.podIP || metadata?.deletionTimestamp !== undefined) return false;
  return status.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True') === true;
}

function targetPort(pod: Pod, wanted: ServicePort | undefined): number | undefined {
  const target = wanted?.targetPort ?? wanted?.port;
  if (target === undefined || typeof target === 'number') return target;
  return (pod.spec?.containers ?? []).flatMap(({ ports = [] }) => ports).find((each) => each.name === target)
    ?.containerPort;
}

/** What follows "proxy", as the client wrote it: "" or "/…", a trailing slash included. */
export function restOfPath(info: ResourceRequest): string {
  // /api/v1/namespaces/NS/pods/NAME/proxy…
  const parts = info.path.split('/');
  const at = info.namespace === undefined ? 5 : 7;
  return parts.length > at + 1 ? `/${parts.slice(at + 1).join('/')}` : '';
}
