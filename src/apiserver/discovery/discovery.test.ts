import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { decodeText, readAll } from '../../lib/index.ts';
import { createManualClock } from '../../lib/manual-clock.node.ts';
import { type Loose, startTestServer, type TestServer } from '../test-server.ts';

let api: TestServer;
beforeAll(async () => {
  api = await startTestServer({ clock: createManualClock() });
});
afterAll(() => api.close());

const get = async (url: string, accept = 'application/json'): Promise<Loose> =>
  (await api.call('GET', url, undefined, { accept })).body;

describe('discovery', () => {
  it('tells the version', async () => {
    expect(await get('/version')).toMatchObject({ major: '1', minor: '36', gitVersion: 'v1.36.4+mendlet.test' });
  });

  it('lists groups and resources', async () => {
    expect(await get('/api')).toMatchObject({ kind: 'APIVersions', versions: ['v1'] });
    const { groups } = await get('/apis');
    expect(groups.map((group: Loose) => group.preferredVersion.groupVersion)).toEqual([
      'apps/v1',
      'autoscaling/v2',
      'batch/v1',
      'certificates.k8s.io/v1',
      'coordination.k8s.io/v1',
      'discovery.k8s.io/v1',
      'events.k8s.io/v1',
      'flowcontrol.apiserver.k8s.io/v1',
      'networking.k8s.io/v1',
      'node.k8s.io/v1',
      'policy/v1',
      'rbac.authorization.k8s.io/v1',
      'resource.k8s.io/v1',
      'scheduling.k8s.io/v1',
      'storage.k8s.io/v1',
      'authentication.k8s.io/v1',
      'authorization.k8s.io/v1',
      'apiextensions.k8s.io/v1',
      'metrics.k8s.io/v1beta1',
      'mendlet.dev/v1',
    ]);
    expect(await get('/apis/events.k8s.io')).toMatchObject({ kind: 'APIGroup', name: 'events.k8s.io' });
    const { resources } = await get('/api/v1');
    const names = (resources as { name: string }[]).map((entry) => entry.name);
    expect(names).toEqual(names.toSorted());
    expect(resources.find((entry: Loose) => entry.name === 'pods')).toEqual({
      name: 'pods',
      singularName: 'pod',
      namespaced: true,
      kind: 'Pod',
      verbs: ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'],
      shortNames: ['po'],
      categories: ['all'],
    });
    expect(resources.find((entry: Loose) => entry.name === 'pods/eviction')).toMatchObject({
      group: 'policy',
      version: 'v1',
      kind: 'Eviction',
    });
  });

  it.each(['v2', 'v2beta1'])('aggregates as %s', async (version) => {
    const accept = `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList,application/json`;
    const { headers, body } = await api.call('GET', '/apis', undefined, { accept });
    expect(headers['content-type']).toBe(
      `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`,
    );
    expect(body.items.map((item: Loose) => item.metadata.name)).toContain('apps');
    expect(body.items.find((item: Loose) => item.metadata.name === 'coordination.k8s.io')).toMatchObject({
      metadata: { name: 'coordination.k8s.io' },
      versions: [
        {
          version: 'v1',
          freshness: 'Current',
          resources: [{ resource: 'leases', scope: 'Namespaced', responseKind: { kind: 'Lease' } }],
        },
      ],
    });
  });

  it.each(['/apis/nope', '/apis/nope/v1', '/api/v2', '/openapi/v3/api/v2', '/openapi/v4', '/healthz/nope'])(
    '404 for %s',
    async (url) => {
      expect((await api.call('GET', url)).status).toBe(404);
    },
  );
});

describe('health', () => {
  it.each([
    ['/healthz', 'ok'],
    ['/livez?verbose', '[+]ping ok\n[+]etcd ok\nlivez check passed\n'],
    [
      '/readyz?verbose&exclude=etcd',
      '[+]ping ok\n[+]etcd excluded: ok\n[+]informer-sync ok\n[+]shutdown ok\nreadyz check passed\n',
    ],
    ['/readyz/etcd', 'ok'],
  ])('%s', async (url, text) => {
    expect(await get(url)).toBe(text);
  });

  it('fails with the store', async () => {
    const other = await startTestServer({ clock: createManualClock() });
    await other.store.close();
    const { status, body } = await other.call('GET', '/livez');
    expect(status).toBe(500);
    expect(body).toBe('[+]ping ok\n[-]etcd failed: reason withheld\nlivez check failed\n');
    await other.close();
  });
});

it('counts requests', async () => {
  await get('/api/v1/namespaces/default/pods');
  const text = await get('/metrics');
  expect(text).toContain(
    'apiserver_request_total{verb="LIST",group="",version="v1",resource="pods",subresource="",scope="namespace",code="200"} 1',
  );
  expect(text).toContain('apiserver_longrunning_requests{verb="WATCH",group="",version="v1",resource="pods"} 0');
});

describe('OpenAPI', () => {
  it('v3 has every reference that it makes', async () => {
    const { paths } = await get('/openapi/v3');
    expect(Object.keys(paths)).toEqual([
      'api/v1',
      'apis/apps/v1',
      'apis/autoscaling/v2',
      'apis/autoscaling/v1',
      'apis/batch/v1',
      'apis/certificates.k8s.io/v1',
      'apis/coordination.k8s.io/v1',
      'apis/discovery.k8s.io/v1',
      'apis/events.k8s.io/v1',
      'apis/flowcontrol.apiserver.k8s.io/v1',
      'apis/networking.k8s.io/v1',
      'apis/node.k8s.io/v1',
      'apis/policy/v1',
      'apis/rbac.authorization.k8s.io/v1',
      'apis/resource.k8s.io/v1',
      'apis/scheduling.k8s.io/v1',
      'apis/storage.k8s.io/v1',
      'apis/authentication.k8s.io/v1',
      'apis/authorization.k8s.io/v1',
      'apis/apiextensions.k8s.io/v1',
      'apis/mendlet.dev/v1',
      'apis/mendlet.dev/v1alpha1',
    ]);
    for (const { serverRelativeURL } of Object.values<{ serverRelativeURL: string }>(paths)) {
      const document = await get(serverRelativeURL);
      const names = new Set(Object.keys(document.components.schemas));
      const references = JSON.stringify(document).matchAll(/"#\/components\/schemas\/([^"]+)"/g);
      expect([...references].map((match) => match[1] ?? '').filter((name) => !names.has(name))).toEqual([]);
    }
  });

  it('v3 tells kinds, merge keys and parameters', async () => {
    const { components, paths } = await get('/openapi/v3/api/v1');
    const pod = components.schemas['io.k8s.api.core.v1.Pod'];
    expect(pod['x-kubernetes-group-version-kind']).toEqual([{ group: '', version: 'v1', kind: 'Pod' }]);
    expect(components.schemas['io.k8s.api.core.v1.PodSpec'].properties.containers).toMatchObject({
      type: 'array',
      'x-kubernetes-patch-merge-key': 'name',
      'x-kubernetes-patch-strategy': 'merge',
    });
    const { patch } = paths['/api/v1/namespaces/{namespace}/pods/{name}'];
    expect(patch.parameters.map((entry: Loose) => entry.name)).toEqual([
      'dryRun',
      'fieldManager',
      'fieldValidation',
      'force',
    ]);
  });

  it('says what each field of our own kinds is', async () => {
    const { components } = await get('/openapi/v3/apis/mendlet.dev/v1alpha1');
    const { schemas } = components;
    expect(schemas['dev.mendlet.v1alpha1.PodRestart']).toMatchObject({
      'x-kubernetes-group-version-kind': [{ group: 'mendlet.dev', version: 'v1alpha1', kind: 'PodRestart' }],
      description: expect.stringContaining('in place'),
    });
    expect(schemas['dev.mendlet.v1alpha1.PodRestart'].properties.spec.properties.scope).toMatchObject({
      type: 'string',
      enum: ['container', 'containers', 'pod'],
    });
    for (const kind of ['PodRestart', 'HealingPolicy']) {
      const { properties } = schemas[`dev.mendlet.v1alpha1.${kind}`];
      for (const part of [properties, properties.spec.properties, properties.status.properties])
        for (const [field, value] of Object.entries<Loose>(part))
          expect(value.description, `${kind}: ${field}`).toBeTruthy();
    }
  });

  it('v2 comes as JSON and as Protobuf', async () => {
    const document = await get('/openapi/v2');
    expect(document).toMatchObject({ swagger: '2.0', info: { title: 'Kubernetes' } });
    const accept = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf';
    const response = await api.raw('GET', '/openapi/v2', undefined, { accept });
    const bytes = await readAll(response.body, 8 * 1024 * 1024);
    // Document.swagger = "2.0"
    expect([...bytes.subarray(0, 5)]).toEqual([0x0a, 3, 0x32, 0x2e, 0x30]);
    const text = decodeText(bytes);
    for (const name of Object.keys(document.definitions)) expect(text).toContain(name);
  });
});
