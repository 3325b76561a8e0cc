import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createManualClock } from '../../lib/manual-clock.node.ts';
import { type Answer, podManifest, startTestServer, type TestServer } from '../test-server.ts';

let api: TestServer;
beforeEach(async () => {
  api = await startTestServer({ clock: createManualClock() });
});
afterEach(() => api.close());

const base = '/api/v1/namespaces/default';
const strategic = { 'content-type': 'application/strategic-merge-patch+json' };

async function create(spec: object): Promise<void> {
  expect((await api.call('POST', `${base}/pods`, podManifest('p', { spec }))).status).toBe(201);
}

const resize = (spec: object): Promise<Answer> => api.call('PATCH', `${base}/pods/p/resize`, { spec }, strategic);
const container = (resources: object, more: object = {}) => ({ name: 'c', image: 'x', resources, ...more });
const resources = (requests: object, limits: object) => ({ requests, limits });

describe('pods/resize', () => {
  it('changes resources, and counts the generation', async () => {
    await create({ containers: [container(resources({ cpu: '100m' }, { cpu: '200m' }))] });
    const { status, body } = await resize({ containers: [{ name: 'c', resources: { requests: { cpu: '150m' } } }] });
    expect(status).toBe(200);
    expect(body.spec.containers[0].resources).toEqual(resources({ cpu: '150m' }, { cpu: '200m' }));
    expect(body.metadata.generation).toBe(2);
  });

  it('changes nothing else', async () => {
    await create({ containers: [container(resources({ cpu: '100m' }, { cpu: '200m' }))] });
    const { body } = await resize({ nodeName: 'n', containers: [{ name: 'c', image: 'other' }] });
    expect(body.spec.nodeName).toBeUndefined();
    expect(body.spec.containers[0].image).toBe('x');
    expect(body.metadata.generation).toBe(1);
  });

  it.each<[string, object, object, string]>([
    [
      'the QoS class',
      container(resources({ cpu: '1', memory: '1Gi' }, { cpu: '1', memory: '1Gi' })),
      { requests: { cpu: '500m' } },
      'Pod QOS Class may not change as a result of resizing',
    ],
    [
      'a request above the limit',
      container(resources({ cpu: '100m' }, { cpu: '200m' })),
      { requests: { cpu: '300m' } },
      'must be less than or equal to cpu limit of 200m',
    ],
    [
      'other resources',
      container(resources({ cpu: '100m' }, { 'example.com/gpu': '1' })),
      { limits: { 'example.com/gpu': '2' }, requests: { 'example.com/gpu': '2' } },
      'only cpu and memory resources are mutable',
    ],
    [
      'a limit away',
      container(resources({ cpu: '100m' }, { cpu: '200m', memory: '1Gi' })),
      { limits: { memory: null } },
      'resource limits cannot be removed',
    ],
  ])('refuses %s', async (_, before, after, text) => {
    await create({ containers: [before] });
    const { status, body } = await resize({ containers: [{ name: 'c', resources: after }] });
    expect(status).toBe(422);
    expect(body.message).toContain(text);
  });

  it('takes away nothing that was asked for, and renames nothing', async () => {
    await create({ containers: [container(resources({ cpu: '100m' }, { cpu: '200m' }))] });
    const put = async (containers: object[]): Promise<string> =>
      (await api.call('PUT', `${base}/pods/p/resize`, podManifest('p', { spec: { containers } }))).body.message;
    expect(await put([container({})])).toContain('resource limits cannot be removed');
    expect(await put([{ ...container({}), name: 'd' }])).toContain(
      'containers may not be renamed or reordered on resize',
    );
    expect(await put([container({}), { name: 'd', image: 'x' }])).toContain('may not add or remove containers');
    const policy = { resizePolicy: [{ resourceName: 'cpu', restartPolicy: 'RestartContainer' }] };
    expect(await put([container(resources({ cpu: '150m' }, { cpu: '200m' }), policy)])).toContain(
      'only cpu and memory resources are mutable',
    );
  });

  it('is for sidecars too, and not for other init containers', async () => {
    const first = { name: 'first', image: 'x', resources: { requests: { cpu: '1' } } };
    const sidecar = { ...first, name: 'sidecar', restartPolicy: 'Always' };
    await create({ initContainers: [first, sidecar], containers: [container({})] });
    const change = (name: string) => resize({ initContainers: [{ name, resources: { requests: { cpu: '2' } } }] });
    expect((await change('sidecar')).status).toBe(200);
    expect((await change('first')).status).toBe(422);
  });

  it('is the only way', async () => {
    await create({ containers: [container(resources({ cpu: '100m' }, { cpu: '200m' }))] });
    const spec = { containers: [{ name: 'c', resources: { requests: { cpu: '150m' } } }] };
    expect((await api.call('PATCH', `${base}/pods/p`, { spec }, strategic)).status).toBe(422);
  });

  it('stays within limit ranges and quotas', async () => {
    await create({ containers: [container(resources({ cpu: '100m' }, { cpu: '1' }))] });
    const limits = [{ type: 'Container', max: { cpu: '2' } }];
    await api.call('POST', `${base}/limitranges`, { metadata: { name: 'l' }, spec: { limits } });
    await api.call('POST', `${base}/resourcequotas`, {
      metadata: { name: 'q' },
      spec: { hard: { 'requests.cpu': '500m' } },
    });
    const to = (cpu: string, limit: string) =>
      resize({ containers: [{ name: 'c', resources: resources({ cpu }, { cpu: limit }) }] });
    expect((await to('100m', '3')).body.message).toContain('maximum cpu usage per Container is 2, but limit is 3');
    expect((await to('600m', '2')).body.message).toContain('exceeded quota: q, requested: requests.cpu=500m');
    expect((await to('500m', '2')).status).toBe(200);
  });
});

it('an eviction tells why before it deletes', async () => {
  await create({ nodeName: 'n1', containers: [container({})] });
  const body = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'p' } };
  expect((await api.call('POST', `${base}/pods/p/eviction`, body)).status).toBe(201);
  const pod = (await api.call('GET', `${base}/pods/p`)).body;
  expect(pod.metadata.deletionTimestamp).toBeDefined();
  expect(pod.status.conditions).toContainEqual(
    expect.objectContaining({ type: 'DisruptionTarget', status: 'True', reason: 'EvictionByEvictionAPI' }),
  );
});
