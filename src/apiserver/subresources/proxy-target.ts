/**
 * Finds the targets of pods/proxy and services/proxy: names like "https:web:8443", endpoints, and the path behind "proxy".
 * Pure.
 */
import {
  badRequest,
  type Container,
  type EndpointAddress,
  type Endpoints,
  isGlobalUnicast,
  labelSelectorOf,
  matchesLabels,
  type Pod,
  type Service,
  type ServicePort,
  serviceUnavailable,
} from '../../api/index.ts';

export interface ProxyName {
  /** "" when none is given. */
  readonly scheme: '' | 'http' | 'https';
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
  return { scheme: scheme === 'https' || scheme === 'http' ? scheme : '', name, port: port ?? '' };
}

/** "http://10.244.0.5:80". Throws 400 for a pod without an address that may be reached, or such a port. */
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

/**
 * A status is what some client wrote. So only addresses that other machines on the network have, too, are connected to, never
 * this machine's own loopback or its link (upstream: proxyutil.IsProxyableIP). Throws 400.
 */
function originOf(scheme: ProxyName['scheme'], ip: string, port: number | undefined): string {
  if (!isGlobalUnicast(ip)) throw badRequest(`address not allowed: ${JSON.stringify(ip)} is no global unicast address`);
  const host = ip.includes(':') ? `[${ip}]` : ip;
  return `${scheme || 'http'}://${host}:${port ?? (scheme === 'https' ? 443 : 80)}`;
}

export interface ServiceInputs {
  readonly service: Service;
  readonly endpoints: Endpoints | undefined;
  /** The pods of its namespace: an endpoint must be one of them, whatever the Endpoints say. */
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
    if (found === undefined) return [];
    return (subset.addresses ?? [])
      .filter((address) => isOfPod(address, service, pods))
      .map(({ ip }) => ({ ip, port: found.port }));
  });
  const places = (endpoints === undefined ? placesOfPods(service, wanted, pods) : listed).filter(({ ip }) =>
    isGlobalUnicast(ip),
  );
  const chosen = places[Math.floor(random * places.length)];
  if (chosen === undefined) throw serviceUnavailable(`no endpoints available for service ${JSON.stringify(name)}`);
  return originOf(scheme, chosen.ip, chosen.port);
}

/**
 * Any user who may write Endpoints in the namespace can write any address, so Endpoints must not lead out of it: an address
 * counts when it is that of the pod that it names, here (upstream: isValidAddress of the services' ResourceLocation).
 */
function isOfPod({ ip, targetRef }: EndpointAddress, service: Service, pods: readonly Pod[]): boolean {
  if (targetRef === undefined || targetRef.namespace !== service.metadata?.namespace) return false;
  const pod = pods.find(({ metadata }) => metadata?.name === targetRef.name);
  return (pod?.status?.podIPs ?? []).some((each) => each.ip === ip);
}

function placesOfPods(
  service: Service,
  wanted: ServicePort | undefined,
  pods: readonly Pod[],
): { readonly ip: string; readonly port: number }[] {
  const labels = service.spec?.selector ?? {};
  if (Object.keys(labels).length === 0) return [];
  const selector = labelSelectorOf({ matchLabels: labels }) ?? [];
  return pods
    .filter((pod) => matchesLabels(selector, pod.metadata?.labels) && isReady(pod))
    .flatMap((pod) => {
      const port = targetPort(pod, wanted);
      return port === undefined ? [] : [{ ip: pod.status?.podIP ?? '', port }];
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
