import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createManualClock } from '../../lib/manual-clock.node.ts';
import { type Answer, podManifest, startTestServer, type TestServer } from '../test-server.ts';

let api: TestServer;
beforeEach(async () => {
  api = await startTestServer({ clock: createManualClock() });
});
afterEach(() => api.close());

const pods = '/api/v1/namespaces/default/pods';
const classes = '/apis/scheduling.k8s.io/v1/priorityclasses';
const runtimeClasses = '/apis/node.k8s.io/v1/runtimeclasses';
const ranges = '/api/v1/namespaces/default/limitranges';

const post = (spec: object): Promise<Answer> => api.call('POST', pods, podManifest('p', { spec }));

describe('priority', () => {
  it('has the system’s classes from the start, and keeps them', async () => {
    const { body } = await api.call('GET', classes);
    expect(body.items.map((item: { metadata: object; value: number }) => item.value)).toEqual([
      2_000_000_000, 2_000_001_000,
    ]);
    expect((await api.call('DELETE', `${classes}/system-node-critical`)).status).toBe(403);
  });

  it('comes from the class, and stays when the class goes', async () => {
    await api.call('POST', classes, { metadata: { name: 'high' }, value: 1000, preemptionPolicy: 'Never' });
    expect((await post({ priorityClassName: 'high' })).body.spec).toMatchObject({
      priority: 1000,
      preemptionPolicy: 'Never',
    });
    await api.call('DELETE', `${classes}/high`);
    const labelled = await api.call(
      'PATCH',
      `${pods}/p`,
      { metadata: { labels: { a: 'b' } } },
      { 'content-type': 'application/merge-patch+json' },
    );
    expect([labelled.status, labelled.body.spec.priority]).toEqual([200, 1000]);
  });

  it('is the global default without a class', async () => {
    await api.call('POST', classes, { metadata: { name: 'usual' }, value: 7, globalDefault: true });
    expect((await post({})).body.spec).toMatchObject({ priority: 7, priorityClassName: 'usual' });
    const second = await api.call('POST', classes, { metadata: { name: 'other' }, value: 8, globalDefault: true });
    expect(second.body.message).toContain('PriorityClass usual is already marked as default');
  });

  it.each<[object, string]>([
    [{ priorityClassName: 'nope' }, 'no PriorityClass with name nope was found'],
    [{ priority: 5 }, 'the integer value of priority (5) must not be provided in pod spec'],
    [{ preemptionPolicy: 'Never' }, 'the string value of PreemptionPolicy (Never) must not be provided'],
  ])('refuses a pod with %j', async (spec, text) => {
    const { status, body } = await post(spec);
    expect(status).toBe(403);
    expect(body.message).toContain(text);
  });

  it.each<[object, string]>([
    [{ metadata: { name: 'system-own' }, value: 1 }, 'is not a known system priority class'],
    [
      { metadata: { name: 'a' }, value: 1_000_000_001 },
      'maximum allowed value of a user defined priority is 1000000000',
    ],
    [{ metadata: { name: 'a' }, preemptionPolicy: 'x' }, 'preemptionPolicy: Unsupported value: "x"'],
  ])('has no class %j', async (body, text) => {
    const answer = await api.call('POST', classes, body);
    expect(answer.status).toBe(422);
    expect(answer.body.message).toContain(text);
  });

  it('never changes the value of a class', async () => {
    await api.call('POST', classes, { metadata: { name: 'a' }, value: 1 });
    const patch = { 'content-type': 'application/merge-patch+json' };
    expect((await api.call('PATCH', `${classes}/a`, { value: 2 }, patch)).status).toBe(422);
    expect((await api.call('PATCH', `${classes}/a`, { description: 'x' }, patch)).status).toBe(200);
  });
});

describe('a runtime class', () => {
  it('must exist', async () => {
    const { status, body } = await post({ runtimeClassName: 'nope' });
    expect(status).toBe(403);
    expect(body.message).toBe('pods "p" is forbidden: pod rejected: RuntimeClass "nope" not found');
  });

  it('adds its overhead and its places', async () => {
    await api.call('POST', runtimeClasses, {
      metadata: { name: 'vm' },
      handler: 'kata',
      overhead: { podFixed: { cpu: '250m', memory: '120Mi' } },
      scheduling: { nodeSelector: { vm: 'yes' }, tolerations: [{ key: 'vm', operator: 'Exists' }] },
    });
    const { body } = await post({ runtimeClassName: 'vm', nodeSelector: { disk: 'ssd' } });
    expect(body.spec).toMatchObject({
      overhead: { cpu: '250m', memory: '120Mi' },
      nodeSelector: { disk: 'ssd', vm: 'yes' },
    });
    expect(body.spec.tolerations).toContainEqual({ key: 'vm', operator: 'Exists' });
    await api.call('DELETE', `${pods}/p`);
    expect((await post({ runtimeClassName: 'vm', nodeSelector: { vm: 'no' } })).body.message).toContain(
      'conflict: runtimeClass.scheduling.nodeSelector[vm] = yes; pod.spec.nodeSelector[vm] = no',
    );
    expect((await post({ runtimeClassName: 'vm', overhead: { cpu: '1' } })).status).toBe(403);
  });

  it('is the only reason for an overhead', async () => {
    expect((await post({ overhead: { cpu: '1' } })).body.message).toContain('without corresponding RuntimeClass');
  });

  it('has a handler that does not change', async () => {
    expect((await api.call('POST', runtimeClasses, { metadata: { name: 'a' } })).status).toBe(422);
    await api.call('POST', runtimeClasses, { metadata: { name: 'a' }, handler: 'x' });
    const { status } = await api.call('PUT', `${runtimeClasses}/a`, { metadata: { name: 'a' }, handler: 'y' });
    expect(status).toBe(422);
  });
});

describe('a limit range', () => {
  const limits = (item: object): Promise<Answer> =>
    api.call('POST', ranges, { metadata: { name: 'l' }, spec: { limits: [{ type: 'Container', ...item }] } });
  const container = (resources: object) => ({ containers: [{ name: 'c', image: 'x', resources }] });

  it('completes containers', async () => {
    await limits({ default: { cpu: '500m', memory: '1Gi' }, defaultRequest: { cpu: '100m' } });
    const { body } = await post(container({ limits: { memory: '2Gi' } }));
    expect(body.spec.containers[0].resources).toEqual({
      limits: { cpu: '500m', memory: '2Gi' },
      requests: { cpu: '100m', memory: '2Gi' },
    });
    expect(body.metadata.annotations['kubernetes.io/limit-ranger']).toBe(
      'LimitRanger plugin set: cpu request for container c; cpu limit for container c',
    );
    expect(body.status.qosClass).toBe('Burstable');
  });

  it.each<[object, object, string]>([
    [{ max: { cpu: '1' } }, { limits: { cpu: '2' } }, 'maximum cpu usage per Container is 1, but limit is 2'],
    [{ min: { cpu: '1' } }, { requests: { cpu: '500m' } }, 'minimum cpu usage per Container is 1, but request is 500m'],
    [
      { maxLimitRequestRatio: { cpu: '2' } },
      { limits: { cpu: '3' }, requests: { cpu: '1' } },
      'cpu max limit to request ratio per Container is 2, but provided ratio is 3.000000',
    ],
  ])('%j refuses %j', async (item, resources, text) => {
    expect((await limits(item)).status).toBe(201);
    const { status, body } = await post(container(resources));
    expect(status).toBe(403);
    expect(body.message).toBe(`pods "p" is forbidden: ${text}`);
  });

  it('of pods looks at the sum', async () => {
    await limits({ type: 'Pod', max: { cpu: '1' } });
    const two = {
      containers: ['a', 'b'].map((name) => ({ name, image: 'x', resources: { limits: { cpu: '600m' } } })),
    };
    expect((await post(two)).body.message).toContain('maximum cpu usage per Pod is 1, but limit is 1200m');
  });

  it.each<[object, string]>([
    [{ min: { cpu: '2' }, max: { cpu: '1' } }, 'min value 2 is greater than max value 1'],
    [{ type: 'Pod', default: { cpu: '1' } }, "may not be specified when `type` is 'Pod'"],
    [{ type: 'Magic' }, 'spec.limits[0].type: Unsupported value: "Magic"'],
  ])('%j is none', async (item, text) => {
    const { status, body } = await limits(item);
    expect(status).toBe(422);
    expect(body.message).toContain(text);
  });
});
