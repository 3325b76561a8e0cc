/**
 * The objects that the server keeps for pods: the range of services' addresses, the `kubernetes` service with its real endpoint, the
 * service of the cluster's DNS, and the system's classes.
 */
import {
  type Condition,
  ENDPOINT_SLICES,
  ENDPOINTS,
  type Ipv4Range,
  isIpv4Cidr,
  isIpv6Address,
  type KubeObject,
  numberToIpv4,
  parseIpv4Range,
  PRIORITY_CLASSES,
  type ResourceRow,
  SERVICE_CIDRS,
  type ServiceCIDR,
  SERVICES,
} from '../../api/index.ts';
import { decodeText, encodeText, formatTime, readAll } from '../../lib/index.ts';
import { MAX_REQUEST_BODY_BYTES } from '../limits.ts';
import { rootPath } from '../openapi/paths.ts';
import { type Connection, OWN_HEADERS } from '../ports.ts';
import { sameValue } from '../registry/object-meta.ts';
import { isRecord } from '../registry/object.ts';
import { STORE_READ_ERROR } from '../registry/storage.ts';
import { SYSTEM_CLASSES } from '../registry/policies.ts';
import { DEFAULT_CIDR_NAME } from './address-book.ts';
import { firstAddress } from './allocate-service.ts';
import { DNS_ADDRESS_OFFSET } from './limits.ts';

/** The address at which pods and other nodes reach the server. */
export interface Advertised {
  readonly ip: string;
  readonly port: number;
}

const NAME = 'kubernetes';
const HTTPS_PORT = 443;

/** Where services get their addresses, as the server was told. `server` acts as its own user. */
export interface RangeSetting {
  readonly range: Ipv4Range;
  /** Wall ms. */
  readonly now: number;
}

export interface KeptRange {
  /** The one that is in use. */
  readonly range: Ipv4Range;
  /** Why that is not the one of the setting. */
  readonly problem?: string;
}

/**
 * Makes the ServiceCIDR `kubernetes` of the setting (upstream: the default ServiceCIDR controller). One that is there is left alone,
 * whatever the setting says now: addresses of it are in use.
 */
export async function ensureServiceRange(server: Connection, { range, now }: RangeSetting): Promise<KeptRange> {
  await ensure(server, SERVICE_CIDRS, serviceCidr(range), []);
  const url = `${rootPath(SERVICE_CIDRS)}/${SERVICE_CIDRS.resource}/${DEFAULT_CIDR_NAME}`;
  const answer = await send(server, 'GET', url);
  if (answer.status !== 200) return { range };
  const stored = JSON.parse(answer.text) as ServiceCIDR;
  const isReady = (stored.status?.conditions ?? []).some(({ type }) => type === 'Ready');
  if (!isReady && stored.metadata?.deletionTimestamp === undefined) {
    const status = { conditions: [readyCondition(formatTime(now))] };
    const written = await send(server, 'PUT', `${url}/status`, { ...stored, status });
    if (written.status >= 300 && written.status !== 409)
      throw new Error(`could not make ServiceCIDR ${DEFAULT_CIDR_NAME} ready: ${written.text}`);
  }
  const text = stored.spec?.cidrs?.find(isIpv4Cidr);
  const kept = text === undefined ? undefined : parseIpv4Range(text);
  if (kept === undefined || kept.text === range.text) return { range };
  const problem = `${kept.text} is in use, not ${range.text} of the setting: delete the ServiceCIDR ${DEFAULT_CIDR_NAME} to change it`;
  return { range: kept, problem };
}

function serviceCidr({ text }: Ipv4Range): KubeObject {
  const object = {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'ServiceCIDR',
    metadata: { name: DEFAULT_CIDR_NAME, finalizers: ['networking.k8s.io/service-cidr-finalizer'] },
    spec: { cidrs: [text] },
  };
  return object;
}

function readyCondition(lastTransitionTime: string): Condition {
  const message = 'Kubernetes default Service CIDR is ready';
  return { type: 'Ready', status: 'True', lastTransitionTime, reason: '', message };
}

/** Creates what is missing and corrects what is wrong, through the server itself. `server` acts as its own user. */
export async function ensureSystemObjects(
  server: Connection,
  { range, advertised }: { readonly range: Ipv4Range; readonly advertised: Advertised | undefined },
): Promise<void> {
  for (const priorityClass of SYSTEM_CLASSES) await ensure(server, PRIORITY_CLASSES, priorityClass, []);
  await ensure(server, SERVICES, kubernetesService(range, advertised), []);
  if (advertised === undefined) return;
  await ensure(server, ENDPOINTS, kubernetesEndpoints(advertised), ['subsets']);
  await ensure(server, ENDPOINT_SLICES, kubernetesSlice(advertised), ['endpoints', 'ports']);
}

/**
 * Makes the service of the cluster's DNS, at the address that pods' resolvers are told. One that is there is left alone: somebody
 * may have put a DNS of his own behind it. Returns why it could not be made, if another service has its address.
 */
export async function ensureDnsService(server: Connection, range: Ipv4Range): Promise<string | undefined> {
  const wanted = dnsService(range);
  const collection = '/api/v1/namespaces/kube-system/services';
  const stored = await send(server, 'GET', `${collection}/${wanted.metadata?.name}`);
  if (stored.status !== 404) return undefined;
  const made = await send(server, 'POST', collection, wanted);
  if (made.status < 300 || made.status === 409) return undefined;
  const answer: unknown = JSON.parse(made.text);
  return isRecord(answer) && typeof answer['message'] === 'string' ? answer['message'] : made.text;
}

/** The address that pods ask for names, unless a kubelet is told another (as kubeadm has it: the tenth of the range). */
export function dnsAddress(range: Ipv4Range): string {
  return numberToIpv4(range.base + DNS_ADDRESS_OFFSET);
}

/** No selector: each node's own agent answers, where it sees the annotation. */
function dnsService(range: Ipv4Range): KubeObject {
  const object = {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: {
      namespace: 'kube-system',
      name: 'kube-dns',
      labels: { 'k8s-app': 'kube-dns', 'kubernetes.io/cluster-service': 'true' },
      annotations: { 'mendlet.dev/node-dns': 'true' },
    },
    spec: {
      type: 'ClusterIP',
      clusterIP: dnsAddress(range),
      ports: [
        { name: 'dns', port: 53, targetPort: 53, protocol: 'UDP' },
        { name: 'dns-tcp', port: 53, targetPort: 53, protocol: 'TCP' },
      ],
    },
  };
  return object;
}

const metadata = { namespace: 'default', name: NAME };

function kubernetesService(range: Ipv4Range, advertised: Advertised | undefined): KubeObject {
  const clusterIP = firstAddress(range);
  const targetPort = advertised?.port ?? HTTPS_PORT;
  const object = {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { ...metadata, labels: { component: 'apiserver', provider: 'kubernetes' } },
    spec: { type: 'ClusterIP', clusterIP, ports: [{ name: 'https', port: HTTPS_PORT, targetPort, protocol: 'TCP' }] },
  };
  return object;
}

function kubernetesEndpoints({ ip, port }: Advertised): KubeObject {
  const object = {
    apiVersion: 'v1',
    kind: 'Endpoints',
    metadata: { ...metadata, labels: { 'endpointslice.kubernetes.io/skip-mirror': 'true' } },
    subsets: [{ addresses: [{ ip }], ports: [{ name: 'https', port, protocol: 'TCP' }] }],
  };
  return object;
}

function kubernetesSlice({ ip, port }: Advertised): KubeObject {
  const object = {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { ...metadata, labels: { 'kubernetes.io/service-name': NAME } },
    addressType: isIpv6Address(ip) ? 'IPv6' : 'IPv4',
    endpoints: [{ addresses: [ip], conditions: { ready: true } }],
    ports: [{ name: 'https', port, protocol: 'TCP' }],
  };
  return object;
}

/** Makes an object that is not there, or that cannot be read. `server` acts as its own user. */
export async function ensureObject(server: Connection, row: ResourceRow, wanted: KubeObject): Promise<void> {
  await ensure(server, row, wanted, []);
}

/** `fields`: those that must say what `wanted` says; without any, being there is enough. */
async function ensure(
  server: Connection,
  row: ResourceRow,
  wanted: KubeObject,
  fields: readonly string[],
): Promise<void> {
  const { namespace, name } = wanted.metadata ?? {};
  const collection = row.namespaced
    ? `${rootPath(row)}/namespaces/${namespace}/${row.resource}`
    : `${rootPath(row)}/${row.resource}`;
  const stored = await send(server, 'GET', `${collection}/${name}`);
  if (stored.status === 404) {
    const made = await send(server, 'POST', collection, wanted);
    if (made.status >= 300 && made.status !== 409)
      throw new Error(`could not create ${row.resource} ${name}: ${made.text}`);
    return;
  }
  if (isUnreadable(stored)) {
    // Objects that the server itself creates are created again.
    const restored = await send(server, 'PUT', `${collection}/${name}`, wanted);
    if (restored.status >= 300 && restored.status !== 409)
      throw new Error(`could not restore ${row.resource} ${name}: ${restored.text}`);
    return;
  }
  if (stored.status !== 200) throw new Error(`could not read ${row.resource} ${name}: ${stored.text}`);
  const object: unknown = JSON.parse(stored.text);
  const entries = new Map(Object.entries(wanted));
  if (!isRecord(object) || fields.every((field) => sameValue(object[field], entries.get(field)))) return;
  const changed = { ...object, ...Object.fromEntries(fields.map((field) => [field, entries.get(field)])) };
  const written = await send(server, 'PUT', `${collection}/${name}`, changed);
  if (written.status >= 300 && written.status !== 409)
    throw new Error(`could not correct ${row.resource} ${name}: ${written.text}`);
}

function isUnreadable({ status, text }: { readonly status: number; readonly text: string }): boolean {
  if (status !== 500) return false;
  const answer: unknown = JSON.parse(text);
  return isRecord(answer) && answer['reason'] === STORE_READ_ERROR;
}

async function send(
  server: Connection,
  method: string,
  url: string,
  body?: object,
): Promise<{ readonly status: number; readonly text: string }> {
  const answer = await server.request({
    method,
    url,
    headers: OWN_HEADERS,
    ...(body === undefined ? {} : { body: encodeText(JSON.stringify(body)) }),
  });
  return { status: answer.status, text: decodeText(await readAll(answer.body, MAX_REQUEST_BODY_BYTES)) };
}
