/** The objects that the server keeps for pods: the `kubernetes` service with its real endpoint, and the system's classes. */
import {
  ENDPOINT_SLICES,
  ENDPOINTS,
  type Ipv4Range,
  isIpv6Address,
  type KubeObject,
  PRIORITY_CLASSES,
  type ResourceRow,
  SERVICES,
} from '../../api/index.ts';
import { decodeText, encodeText, readAll } from '../../lib/index.ts';
import { MAX_REQUEST_BODY_BYTES } from '../limits.ts';
import { rootPath } from '../openapi/paths.ts';
import type { Connection } from '../ports.ts';
import { sameValue } from '../registry/object-meta.ts';
import { isRecord } from '../registry/object.ts';
import { STORE_READ_ERROR } from '../registry/storage.ts';
import { SYSTEM_CLASSES } from '../registry/policies.ts';
import { firstAddress } from './allocate-service.ts';

/** The address at which pods and other nodes reach the server. */
export interface Advertised {
  readonly ip: string;
  readonly port: number;
}

const NAME = 'kubernetes';
const HTTPS_PORT = 443;

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
    headers: {},
    ...(body === undefined ? {} : { body: encodeText(JSON.stringify(body)) }),
  });
  return { status: answer.status, text: decodeText(await readAll(answer.body, MAX_REQUEST_BODY_BYTES)) };
}
