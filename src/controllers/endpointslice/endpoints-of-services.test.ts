/** Services, pods and nodes in; EndpointSlices and Endpoints out: against the API server, with all controllers. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { until } from '../../../test/support/in-memory-api.ts';
import { type RunningControllers, startControllers } from '../../../test/support/running-controllers.ts';
import {
  ENDPOINT_SLICES,
  ENDPOINTS,
  type Endpoints,
  type EndpointSlice,
  isNotFound,
  NAMESPACES,
  NODES,
  type Pod,
  PODS,
  type Service,
  SERVICES,
} from '../../api/index.ts';
import { settle } from '../../lib/manual-clock.node.ts';

let cluster: RunningControllers;
beforeEach(async () => {
  cluster = await startControllers(async ({ client }) => {
    await client.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team' } });
    const labels = { 'topology.kubernetes.io/zone': 'z1' };
    await client.create(NODES, { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n1', labels } });
  });
});
afterEach(() => cluster.stop());

async function service(spec: Service['spec'], name = 'web'): Promise<Service> {
  const metadata = { namespace: 'team', name, labels: { team: 'a' } };
  return cluster.client.create(SERVICES, { apiVersion: 'v1', kind: 'Service', metadata, spec: spec ?? {} });
}

const HTTP = { ports: [{ name: 'http', port: 80, targetPort: 8080 }], selector: { app: 'web' } };

async function pod(name: string, ip: string, more: { ready?: boolean; labels?: Record<string, string> } = {}) {
  const { ready = true, labels = { app: 'web' } } = more;
  await cluster.client.create(PODS, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { namespace: 'team', name, labels },
    spec: { nodeName: 'n1', containers: [{ name: 'c', image: 'busybox' }] },
  });
  await status(name, { phase: 'Running', podIP: ip, podIPs: [{ ip }] }, ready);
}

async function status(name: string, fields: Pod['status'], ready: boolean): Promise<void> {
  const now = '2026-01-01T00:00:01Z';
  const conditions = [{ type: 'Ready', status: ready ? 'True' : 'False', lastTransitionTime: now }];
  const patch = { status: { ...fields, conditions } };
  await cluster.client.patch(PODS, 'team', name, 'strategic', patch, 'status');
}

async function slices(name = 'web'): Promise<readonly EndpointSlice[]> {
  const labelSelector = `kubernetes.io/service-name=${name}`;
  return (await cluster.client.list(ENDPOINT_SLICES, { namespace: 'team', labelSelector })).items;
}

async function endpoints(name = 'web'): Promise<Endpoints | undefined> {
  return cluster.client.get(ENDPOINTS, 'team', name).catch((error: unknown) => {
    if (isNotFound(error)) return undefined;
    throw error;
  });
}

/** "10.0.0.1 ready serving" of all, sorted. */
async function shown(name = 'web'): Promise<string[]> {
  return (await slices(name))
    .flatMap((slice) => slice.endpoints ?? [])
    .map(({ addresses, conditions = {} }) => {
      const { ready, serving, terminating } = conditions;
      return [addresses[0], ready && 'ready', serving && 'serving', terminating && 'terminating']
        .filter(Boolean)
        .join(' ');
    })
    .toSorted();
}

async function comesToShow(wanted: readonly string[], name = 'web'): Promise<void> {
  await until(async () => JSON.stringify(await shown(name)) === JSON.stringify(wanted), wanted.join(', '));
}

async function quiet(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await settle();
}

describe('a service with a selector', () => {
  it('has an empty slice and empty Endpoints before it has pods', async () => {
    const own = await service(HTTP);
    await until(async () => (await slices()).length === 1 && (await endpoints()) !== undefined, 'both');
    const [slice] = await slices();
    expect(slice).toMatchObject({
      metadata: {
        generateName: 'web-',
        labels: {
          team: 'a',
          'kubernetes.io/service-name': 'web',
          'endpointslice.kubernetes.io/managed-by': 'endpointslice-controller.k8s.io',
        },
        ownerReferences: [
          {
            apiVersion: 'v1',
            kind: 'Service',
            name: 'web',
            uid: own.metadata?.uid,
            controller: true,
            blockOwnerDeletion: true,
          },
        ],
      },
      addressType: 'IPv4',
      endpoints: null,
      ports: null,
    });
    expect(await endpoints()).toMatchObject({
      metadata: { labels: { team: 'a', 'endpoints.kubernetes.io/managed-by': 'endpoint-controller' } },
    });
  });

  it('shows its pods, and how they are', async () => {
    await service(HTTP);
    await pod('a', '10.0.0.1');
    await pod('b', '10.0.0.2', { ready: false });
    await pod('other', '10.0.0.3', { labels: { app: 'other' } });
    await comesToShow(['10.0.0.1 ready serving', '10.0.0.2']);
    const [slice] = await slices();
    expect(slice?.ports).toEqual([{ name: 'http', port: 8080, protocol: 'TCP' }]);
    expect(slice?.endpoints?.[0]).toMatchObject({ nodeName: 'n1', zone: 'z1', targetRef: { kind: 'Pod', name: 'a' } });
    await until(async () => (await endpoints())?.subsets?.[0]?.notReadyAddresses !== undefined, 'Endpoints');
    expect((await endpoints())?.subsets).toMatchObject([
      { addresses: [{ ip: '10.0.0.1' }], notReadyAddresses: [{ ip: '10.0.0.2' }], ports: [{ port: 8080 }] },
    ]);

    await status('b', {}, true);
    await comesToShow(['10.0.0.1 ready serving', '10.0.0.2 ready serving']);
    await cluster.client.delete(PODS, 'team', 'a');
    await comesToShow(['10.0.0.1 serving terminating', '10.0.0.2 ready serving']);
    await cluster.client.delete(PODS, 'team', 'a', { gracePeriodSeconds: 0 });
    await comesToShow(['10.0.0.2 ready serving']);
    await cluster.client.patch(PODS, 'team', 'b', 'merge', { metadata: { labels: { app: 'gone' } } });
    await comesToShow([]);
    await until(
      async () => (await endpoints())?.subsets === undefined || (await endpoints())?.subsets?.length === 0,
      'none',
    );
  });

  it('drops pods whose node is gone, and those that have ended', async () => {
    await service(HTTP);
    await pod('a', '10.0.0.1');
    await comesToShow(['10.0.0.1 ready serving']);
    await cluster.client.delete(NODES, undefined, 'n1');
    await comesToShow([]);
    await cluster.client.create(NODES, { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n1' } });
    await comesToShow(['10.0.0.1 ready serving']);
    await status('a', { phase: 'Succeeded' }, true);
    await comesToShow([]);
  });

  it('shows all where readiness does not count', async () => {
    await service({ ...HTTP, clusterIP: 'None', publishNotReadyAddresses: true });
    await pod('a', '10.0.0.1', { ready: false });
    await comesToShow(['10.0.0.1 ready']);
    expect((await slices())[0]?.metadata?.labels).toMatchObject({ 'service.kubernetes.io/headless': '' });
  });

  it('is left alone when nothing changed, and put right when somebody meddled', async () => {
    await service(HTTP);
    await pod('a', '10.0.0.1');
    await comesToShow(['10.0.0.1 ready serving']);
    await quiet();
    const [before] = await slices();
    await cluster.client.patch(PODS, 'team', 'a', 'merge', { metadata: { annotations: { a: 'b' } } });
    await cluster.client.patch(SERVICES, 'team', 'web', 'merge', { metadata: { annotations: { a: 'b' } } });
    await quiet();
    const [after] = await slices();
    expect(after?.metadata?.resourceVersion).toBe(before?.metadata?.resourceVersion);
    const name = before?.metadata?.name ?? '';
    await cluster.client.patch(ENDPOINT_SLICES, 'team', name, 'merge', { endpoints: [] });
    await comesToShow(['10.0.0.1 ready serving']);
    await cluster.client.delete(ENDPOINT_SLICES, 'team', name);
    await comesToShow(['10.0.0.1 ready serving']);
    await cluster.client.delete(ENDPOINTS, 'team', 'web');
    await until(async () => (await endpoints()) !== undefined, 'Endpoints again');
  });

  it('follows its own changes: ports, selector, labels', async () => {
    await service(HTTP);
    await pod('a', '10.0.0.1');
    await pod('b', '10.0.0.2', { labels: { app: 'blue' } });
    await comesToShow(['10.0.0.1 ready serving']);
    await cluster.client.patch(SERVICES, 'team', 'web', 'merge', {
      metadata: { labels: { team: 'b' } },
      spec: { selector: { app: 'blue' }, ports: [{ name: 'http', port: 80, targetPort: 9090 }] },
    });
    await comesToShow(['10.0.0.2 ready serving']);
    const [slice, ...more] = await slices();
    expect(more).toEqual([]);
    expect(slice).toMatchObject({ ports: [{ port: 9090 }], metadata: { labels: { team: 'b' } } });
  });

  it('takes its slices and Endpoints along', async () => {
    await service(HTTP);
    await pod('a', '10.0.0.1');
    await comesToShow(['10.0.0.1 ready serving']);
    await cluster.client.delete(SERVICES, 'team', 'web');
    await until(async () => (await slices()).length === 0 && (await endpoints()) === undefined, 'both gone');
  });

  it('an ExternalName has none', async () => {
    await service({ type: 'ExternalName', externalName: 'example.com', selector: { app: 'web' } });
    await pod('a', '10.0.0.1');
    await quiet();
    expect(await slices()).toEqual([]);
    expect(await endpoints()).toBeUndefined();
  });

  it('with 250 pods has three slices, and one change changes one', async () => {
    for (let i = 0; i < 250; i += 1) await pod(`p${i}`, `10.0.${i >> 8}.${(i & 255) + 1}`);
    await service(HTTP);
    await until(async () => (await shown()).length === 250, 'all');
    const before = new Map((await slices()).map(({ metadata }) => [metadata?.name, metadata?.resourceVersion]));
    expect(before.size).toBe(3);
    await status('p7', {}, false);
    await until(async () => (await shown()).includes('10.0.0.8'), 'the change');
    const changed = (await slices()).filter(({ metadata }) => before.get(metadata?.name) !== metadata?.resourceVersion);
    expect(changed).toHaveLength(1);
  });
});

describe('a service without a selector', () => {
  const own = (subsets: Endpoints['subsets'], labels: Record<string, string> = {}): Endpoints => ({
    apiVersion: 'v1',
    kind: 'Endpoints',
    metadata: { namespace: 'team', name: 'web', labels: { own: 'yes', ...labels } },
    subsets: subsets ?? [],
  });
  const ports = [{ name: 'http', port: 80, protocol: 'TCP' }];

  it('has its Endpoints mirrored, through creation, change and deletion', async () => {
    await service({ ports: [{ name: 'http', port: 80 }] });
    await cluster.client.create(ENDPOINTS, own([{ addresses: [{ ip: '10.1.2.3' }], ports }]));
    await comesToShow(['10.1.2.3 ready']);
    const [slice] = await slices();
    expect(slice).toMatchObject({
      metadata: {
        labels: { own: 'yes', 'endpointslice.kubernetes.io/managed-by': 'endpointslicemirroring-controller.k8s.io' },
        ownerReferences: [{ kind: 'Endpoints', name: 'web' }],
      },
      ports,
    });
    const patch = { subsets: [{ notReadyAddresses: [{ ip: '10.2.3.4' }], ports }] };
    await cluster.client.patch(ENDPOINTS, 'team', 'web', 'merge', patch);
    await comesToShow(['10.2.3.4']);
    expect(await slices()).toHaveLength(1);
    await cluster.client.delete(ENDPOINTS, 'team', 'web');
    await until(async () => (await slices()).length === 0, 'none');
  });

  it('not when they refuse it, nor without a service', async () => {
    await service({ ports: [{ port: 80 }] });
    await cluster.client.create(
      ENDPOINTS,
      own([{ addresses: [{ ip: '10.1.2.3' }] }], { 'endpointslice.kubernetes.io/skip-mirror': 'true' }),
    );
    const lone = own([{ addresses: [{ ip: '10.1.2.3' }] }]);
    await cluster.client.create(ENDPOINTS, { ...lone, metadata: { ...lone.metadata, name: 'lone' } });
    await quiet();
    expect(await slices()).toEqual([]);
    expect(await slices('lone')).toEqual([]);
    expect(await endpoints('lone')).toBeDefined();
  });

  it('leaves slices that others made alone', async () => {
    await service({ ports: [{ port: 80 }] });
    await cluster.client.create(ENDPOINT_SLICES, {
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
      metadata: { namespace: 'team', name: 'mine', labels: { 'kubernetes.io/service-name': 'web' } },
      addressType: 'IPv4',
      endpoints: [{ addresses: ['10.1.2.3'] }],
      ports: [],
    });
    await quiet();
    expect((await slices()).map(({ metadata }) => metadata?.name)).toEqual(['mine']);
  });
});
