/** Tests objects with too much content: they are refused with the field's name before any work; existing ones stay usable. */
import { describe, expect, it } from 'vitest';
import { SERVICES, type Service, type Status } from '../../src/api/index.ts';
import { decodeText, encodeText, readAll } from '../../src/lib/index.ts';
import { createInMemoryApi, type InMemoryApi, until } from '../support/in-memory-api.ts';
import { ALL_ROWS } from './access/manifests.ts';
import { inShort } from './extent.ts';

const many = <T>(count: number, make: (position: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));
const strings = (count: number): string[] => many(count, (i) => `s${i}`);
const ports = (count: number) => many(count, (i) => ({ name: `p${i}`, port: i + 1 }));
const inPod = (spec: object) => ({ spec: { containers: [{ name: 'c', image: 'i' }], ...spec } });
const inContainer = (more: object) => inPod({ containers: [{ name: 'c', image: 'i', ...more }] });

/** A case: path of the collection, kind, the oversized object, and the field that is too large. */
type TooMuch = readonly [path: string, apiVersion: string, kind: string, body: object, field: string];

const CORE = '/api/v1/namespaces/default';
const TOO_MUCH: readonly TooMuch[] = [
  [`${CORE}/services`, 'v1', 'Service', { spec: { ports: ports(15_000) } }, 'spec.ports'],
  [`${CORE}/services`, 'v1', 'Service', { spec: { ports: ports(1), externalIPs: strings(2000) } }, 'spec.externalIPs'],
  [
    `${CORE}/pods`,
    'v1',
    'Pod',
    inPod({ containers: many(300, (i) => ({ name: `c${i}`, image: 'i' })) }),
    'spec.containers',
  ],
  [
    `${CORE}/pods`,
    'v1',
    'Pod',
    inPod({ initContainers: many(300, (i) => ({ name: `i${i}`, image: 'i' })) }),
    'spec.initContainers',
  ],
  [
    `${CORE}/pods`,
    'v1',
    'Pod',
    inPod({ volumes: many(2000, (i) => ({ name: `v${i}`, emptyDir: {} })) }),
    'spec.volumes',
  ],
  [`${CORE}/pods`, 'v1', 'Pod', inPod({ tolerations: many(2000, () => ({ operator: 'Exists' })) }), 'spec.tolerations'],
  [`${CORE}/pods`, 'v1', 'Pod', inPod({ hostAliases: many(2000, () => ({ ip: '10.0.0.1' })) }), 'spec.hostAliases'],
  [
    `${CORE}/pods`,
    'v1',
    'Pod',
    inPod({ readinessGates: many(2000, (i) => ({ conditionType: `g${i}` })) }),
    'spec.readinessGates',
  ],
  [
    `${CORE}/pods`,
    'v1',
    'Pod',
    inPod({ securityContext: { sysctls: many(2000, (i) => ({ name: `a.b${i}`, value: '1' })) } }),
    'spec.securityContext.sysctls',
  ],
  [
    `${CORE}/pods`,
    'v1',
    'Pod',
    inContainer({ env: many(6000, (i) => ({ name: `E${i}`, value: '' })) }),
    'spec.containers[0].env',
  ],
  [
    `${CORE}/pods`,
    'v1',
    'Pod',
    inContainer({ envFrom: many(2000, () => ({ secretRef: { name: 'x' } })) }),
    'spec.containers[0].envFrom',
  ],
  [
    `${CORE}/pods`,
    'v1',
    'Pod',
    inContainer({ args: ['x'.repeat(300_000), 'x'.repeat(300_000)] }),
    'spec.containers[0].args',
  ],
  [
    '/apis/rbac.authorization.k8s.io/v1/clusterroles',
    'rbac.authorization.k8s.io/v1',
    'ClusterRole',
    { rules: many(11_000, () => ({ verbs: [] })) },
    'rules',
  ],
  [
    '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings',
    'rbac.authorization.k8s.io/v1',
    'ClusterRoleBinding',
    { subjects: many(11_000, (i) => ({ kind: 'User', name: `u${i}` })), roleRef: { kind: 'ClusterRole', name: 'x' } },
    'subjects',
  ],
  [
    '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices',
    'discovery.k8s.io/v1',
    'EndpointSlice',
    { addressType: 'IPv4', endpoints: many(1001, () => ({ addresses: ['10.0.0.1'] })) },
    'endpoints',
  ],
];

interface Answer {
  readonly code: number;
  readonly status: Status & { metadata?: { resourceVersion?: string } };
}

async function send(
  api: InMemoryApi,
  method: string,
  url: string,
  body?: object,
  type = 'application/json',
): Promise<Answer> {
  const headers = { 'content-type': type, accept: 'application/json' };
  const answer = await api.connection.request({
    method,
    url,
    headers,
    ...(body === undefined ? {} : { body: encodeText(JSON.stringify(body)) }),
  });
  const text =
    answer.body instanceof Uint8Array ? decodeText(answer.body) : decodeText(await readAll(answer.body, 1e8));
  return { code: answer.status, status: JSON.parse(text) as Answer['status'] };
}

async function withNamespace(): Promise<InMemoryApi> {
  const api = await createInMemoryApi();
  await send(api, 'POST', '/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'default' } });
  return api;
}

describe('an object that holds too much', () => {
  it('is refused with its field', async () => {
    const api = await withNamespace();
    for (const [path, apiVersion, kind, body, field] of TOO_MUCH) {
      const { code, status } = await send(api, 'POST', path, { apiVersion, kind, metadata: { name: 'x' }, ...body });
      const causes = (status.details?.causes ?? []).map((cause) => [cause.reason, cause.field]);
      expect([kind, field, code, causes]).toEqual([
        kind,
        field,
        422,
        [[expect.stringMatching(/^FieldValueToo(Many|Long)$/), field]],
      ]);
    }
  });

  it('is refused in the metadata of every kind', async () => {
    const api = await withNamespace();
    const kinds = ALL_ROWS.filter(
      ({ kind, verbs }) => verbs.includes('create') && kind !== 'Binding' && !kind.endsWith('Review'),
    );
    for (const row of inShort(kinds.slice(0, 12), kinds)) {
      const root = row.group === '' ? `/api/${row.version}` : `/apis/${row.group}/${row.version}`;
      const path = row.namespaced ? `${root}/namespaces/default/${row.resource}` : `${root}/${row.resource}`;
      const metadata = { name: 'x', finalizers: many(2000, (i) => `a.b/f${i}`) };
      const apiVersion = row.group === '' ? row.version : `${row.group}/${row.version}`;
      const { code, status } = await send(api, 'POST', path, { apiVersion, kind: row.kind, metadata });
      expect([row.kind, code, status.details?.causes?.[0]?.field]).toEqual([row.kind, 422, 'metadata.finalizers']);
      const bare = await send(api, 'POST', path, { apiVersion, kind: row.kind, metadata: { name: 'bare' } });
      expect([row.kind, bare.code]).toEqual([row.kind, expect.toSatisfy((each: number) => each < 500)]);
    }
  });

  it('can be read, changed, shrunk and deleted when it was stored before there was a bound, and not grow', async () => {
    const api = await withNamespace();
    const path = `${CORE}/services`;
    const made = await send(api, 'POST', path, {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'old' },
      spec: { ports: ports(5) },
    });
    expect(made.code).toBe(201);
    const listed = await api.store.list('', {});
    const entry = listed.entries.find(({ key }) => key.includes('services/') && key.endsWith('/old'));
    if (entry === undefined) throw new Error('it is stored');
    const stored = JSON.parse(decodeText(entry.value)) as Service;
    const template = stored.spec?.ports?.[0] ?? { port: 1 };
    const vast = many(9000, (i) => ({ ...template, name: `p${i}`, port: i + 1, targetPort: i + 1 }));
    await api.store.put(
      entry.key,
      encodeText(JSON.stringify({ ...stored, spec: { ...stored.spec, ports: vast } })),
      entry.revision,
    );
    await until(
      async () => (await api.client.get(SERVICES, 'default', 'old')).spec?.ports?.length === 9000,
      'the vast one',
    );
    const merge = 'application/merge-patch+json';
    expect((await send(api, 'PATCH', `${path}/old`, { metadata: { labels: { a: 'b' } } }, merge)).code).toBe(200);
    const grown = [...vast, { ...template, name: 'more', port: 9001 }];
    const refused = await send(api, 'PATCH', `${path}/old`, { spec: { ports: grown } }, merge);
    expect([refused.code, refused.status.details?.causes?.[0]?.field]).toEqual([422, 'spec.ports']);
    expect((await send(api, 'PATCH', `${path}/old`, { spec: { ports: vast.slice(0, 8000) } }, merge)).code).toBe(200);
    expect((await send(api, 'PATCH', `${path}/old`, { spec: { ports: vast.slice(0, 8001) } }, merge)).code).toBe(422);
    expect((await send(api, 'DELETE', `${path}/old`)).code).toBe(200);
  });
});
