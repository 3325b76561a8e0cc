import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createManualClock } from '../lib/manual-clock.node.ts';
import { podManifest, startTestServer, type TestServer } from './test-server.ts';

let api: TestServer;
beforeEach(async () => {
  api = await startTestServer({ clock: createManualClock() });
});
afterEach(() => api.close());

const maps = '/api/v1/namespaces/default/configmaps';
const pods = '/api/v1/namespaces/default/pods';

function map(name: string, more: object = {}): object {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, ...more };
}

describe('create', () => {
  it('sets what only the server sets', async () => {
    const { status, body } = await api.call('POST', maps, map('a', { data: { k: 'v' } }));
    expect(status).toBe(201);
    expect(body).toMatchObject({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      data: { k: 'v' },
      metadata: { name: 'a', namespace: 'default', creationTimestamp: '2026-01-01T00:00:00Z' },
    });
    expect(body.metadata.uid).toMatch(/^[0-9a-f-]{36}$/);
    expect(Number(body.metadata.resourceVersion)).toBeGreaterThan(0);
  });

  it('reads its own write', async () => {
    const created = await api.call('POST', maps, map('a'));
    const read = await api.call('GET', `${maps}/a`);
    expect(read.body).toEqual(created.body);
  });

  it('refuses a taken name', async () => {
    await api.call('POST', maps, map('a'));
    const { status, body } = await api.call('POST', maps, map('a'));
    expect(status).toBe(409);
    expect(body).toMatchObject({ reason: 'AlreadyExists', message: 'configmaps "a" already exists' });
  });

  it('generates names', async () => {
    const { body } = await api.call('POST', maps, { kind: 'ConfigMap', metadata: { generateName: 'x-' } });
    expect(body.metadata.name).toMatch(/^x-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
  });

  it('stores nothing on a dry run', async () => {
    const { status, body } = await api.call('POST', `${maps}?dryRun=All`, map('a'));
    expect(status).toBe(201);
    expect(body.metadata.resourceVersion).toBeUndefined();
    expect((await api.call('GET', `${maps}/a`)).status).toBe(404);
  });

  it.each([
    ['no namespace', '/api/v1/namespaces/nope/configmaps', map('a'), 404, 'namespaces "nope" not found'],
    [
      'no name',
      maps,
      { kind: 'ConfigMap' },
      422,
      'ConfigMap "" is invalid: metadata.name: Required value: name or generateName is required',
    ],
    [
      'a pod without containers',
      pods,
      { metadata: { name: 'a' }, spec: {} },
      422,
      'Pod "a" is invalid: spec.containers: Required value',
    ],
    [
      'a pod without a spec',
      pods,
      { metadata: { name: 'a' } },
      422,
      'Pod "a" is invalid: spec.containers: Required value',
    ],
    ['bad JSON', maps, '{', 400, /error decoding the body/],
    ['another kind', maps, podManifest('a'), 400, 'Pod in version "v1" cannot be handled as a ConfigMap'],
    [
      'another namespace',
      maps,
      { kind: 'ConfigMap', metadata: { name: 'a', namespace: 'b' } },
      400,
      'the namespace of the provided object does not match the namespace sent on the request',
    ],
    [
      'a resourceVersion',
      maps,
      { metadata: { name: 'a', resourceVersion: '1' } },
      400,
      'resourceVersion should not be set on objects to be created',
    ],
    ['an invalid name', maps, map('A_'), 422, /ConfigMap "A_" is invalid: metadata.name: Invalid value/],
    [
      'an unknown resource',
      '/api/v1/namespaces/default/nopes',
      {},
      404,
      'the server could not find the requested resource',
    ],
  ])('refuses %s', async (_, url, body, status, message) => {
    const answer = await api.call('POST', url, body);
    expect(answer.body.message).toMatch(message);
    expect(answer.status).toBe(status);
  });

  it.each([
    ['Strict', 400],
    ['Warn', 201],
    ['Ignore', 201],
  ])('handles unknown fields by %s', async (mode, status) => {
    const answer = await api.call('POST', `${maps}?fieldValidation=${mode}`, map('a', { dato: {} }));
    expect(answer.status).toBe(status);
    expect(answer.headers['warning']).toBe(mode === 'Warn' ? String.raw`299 - "unknown field \"dato\""` : undefined);
    if (status === 201) expect(answer.body.dato).toBeUndefined();
  });

  it('says which fields are twice there', async () => {
    const answer = await api.call('POST', maps, '{"kind":"ConfigMap","metadata":{"name":"a","name":"b"}}');
    expect(answer.headers['warning']).toContain('duplicate field');
  });

  it('admits a pod', async () => {
    const { body } = await api.call('POST', pods, podManifest('p'));
    expect(body.metadata.generation).toBe(1);
    expect(body.status).toEqual({ phase: 'Pending', qosClass: 'BestEffort' });
    const gates = podManifest('gated', { spec: { schedulingGates: [{ name: 'example.com/wait' }] } });
    const gated = await api.call('POST', pods, gates);
    expect(gated.body.status.conditions).toMatchObject([
      { type: 'PodScheduled', status: 'False', reason: 'SchedulingGated' },
    ]);
    expect(body.spec).toMatchObject({
      serviceAccountName: 'default',
      serviceAccount: 'default',
      restartPolicy: 'Always',
      priority: 0,
      preemptionPolicy: 'PreemptLowerPriority',
      terminationGracePeriodSeconds: 30,
      tolerations: [
        { key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 },
        { key: 'node.kubernetes.io/unreachable', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 },
      ],
    });
  });

  it('refuses a priority class that is not there', async () => {
    const { status, body } = await api.call('POST', pods, podManifest('p', { spec: { priorityClassName: 'x' } }));
    expect(status).toBe(403);
    expect(body.message).toBe('pods "p" is forbidden: no PriorityClass with name x was found');
  });
});

describe('update', () => {
  it('replaces under the right resourceVersion alone', async () => {
    const { body: first } = await api.call('POST', maps, map('a'));
    const second = await api.call('PUT', `${maps}/a`, { ...first, data: { k: '1' } });
    expect(second.status).toBe(200);
    const stale = await api.call('PUT', `${maps}/a`, { ...first, data: { k: '2' } });
    expect(stale.status).toBe(409);
    expect(stale.body.message).toBe(
      'Operation cannot be fulfilled on configmaps "a": the object has been modified; please apply your changes to the latest version and try again',
    );
    const blind = await api.call('PUT', `${maps}/a`, map('a', { data: { k: '3' } }));
    expect(blind.body.data).toEqual({ k: '3' });
    expect(blind.body.metadata.uid).toBe(first.metadata.uid);
  });

  it('writes nothing when nothing changes', async () => {
    const { body: first } = await api.call('POST', maps, map('a', { data: { k: 'v' } }));
    const { body: second } = await api.call('PUT', `${maps}/a`, first);
    expect(second.metadata.resourceVersion).toBe(first.metadata.resourceVersion);
  });

  it('keeps status and spec apart', async () => {
    const { body: pod } = await api.call('POST', pods, podManifest('p'));
    const changed = { ...pod, metadata: { ...pod.metadata, labels: { a: 'b' } }, status: { phase: 'Running' } };
    const { body: main } = await api.call('PUT', `${pods}/p`, changed);
    expect(main.metadata.labels).toEqual({ a: 'b' });
    expect(main.status.phase).toBe('Pending');
    const wanted = { ...main, spec: { ...main.spec, activeDeadlineSeconds: 5 }, status: { phase: 'Running' } };
    const { body: status } = await api.call('PUT', `${pods}/p/status`, wanted);
    expect(status.status).toEqual({ phase: 'Running', qosClass: 'BestEffort' });
    expect(status.spec.activeDeadlineSeconds).toBeUndefined();
    expect(status.metadata.generation).toBe(1);
  });

  it('counts generations of the spec', async () => {
    const { body: pod } = await api.call('POST', pods, podManifest('p'));
    const { body } = await api.call('PUT', `${pods}/p`, { ...pod, spec: { ...pod.spec, activeDeadlineSeconds: 5 } });
    expect(body.metadata.generation).toBe(2);
  });

  it('creates leases, but replaces none blindly', async () => {
    const url = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/n1';
    const lease = { metadata: { name: 'n1' }, spec: { holderIdentity: 'n1' } };
    expect((await api.call('PUT', url, lease)).status).toBe(201);
    const blind = await api.call('PUT', url, lease);
    expect(blind.status).toBe(422);
    expect(blind.body.message).toContain('metadata.resourceVersion: Invalid value: 0: must be specified for an update');
  });

  it.each([
    ['what is not there', `${maps}/b`, map('b'), 404, 'configmaps "b" not found'],
    [
      'under another name',
      `${maps}/a`,
      map('b'),
      400,
      'the name of the object (b) does not match the name on the URL (a)',
    ],
    [
      'another uid',
      `${maps}/a`,
      { metadata: { name: 'a', uid: 'x' } },
      409,
      /Precondition failed: UID in precondition: x, UID in object meta: /,
    ],
  ])('refuses %s', async (_, url, body, status, message) => {
    await api.call('POST', maps, map('a'));
    const answer = await api.call('PUT', url, body);
    expect(answer.body.message).toMatch(message);
    expect(answer.status).toBe(status);
  });
});

describe('answers', () => {
  it.each([
    ['PATCH', maps, 405],
    ['POST', `${maps}/a`, 405],
    ['DELETE', '/api/v1/namespaces', 405],
    ['GET', '/nope', 404],
    ['GET', '/apis/nope/v1/things', 404],
    ['GET', `${maps}/a/status`, 404],
    ['GET', '/api/v1/bindings', 405],
  ])('%s %s with %d', async (method, url, status) => {
    const answer = await api.call(method, url);
    expect(answer.status).toBe(status);
    expect(answer.body).toMatchObject({ kind: 'Status', status: 'Failure', code: status });
  });

  it('401 to strangers, but not on health', async () => {
    const { connection } = api.server;
    expect((await connection.request({ method: 'GET', url: maps, headers: {} })).status).toBe(401);
    expect((await connection.request({ method: 'GET', url: '/readyz', headers: {} })).status).toBe(200);
  });

  it('413 to a body past the limit', async () => {
    const answer = await api.call('POST', maps, map('a', { data: { k: 'x'.repeat(3 * 1024 * 1024) } }));
    expect(answer.status).toBe(413);
  });

  it('415 to other bodies', async () => {
    const answer = await api.call('POST', maps, map('a'), { 'content-type': 'application/cbor' });
    expect(answer.status).toBe(415);
  });

  it('reads YAML', async () => {
    const answer = await api.call('POST', maps, 'metadata:\n  name: a\ndata:\n  k: v\n', {
      'content-type': 'application/yaml',
    });
    expect(answer.body.data).toEqual({ k: 'v' });
  });

  it('refuses YAML whose aliases stand for too much', async () => {
    const levels = Array.from(
      { length: 12 },
      (_, i) => `a${i + 1}: &a${i + 1} [${Array(10).fill(`*a${i}`).join(',')}]`,
    );
    const body = ['a0: &a0 [x]', ...levels].join('\n');
    const answer = await api.call('POST', maps, body, { 'content-type': 'application/yaml' });
    expect(answer.status).toBe(400);
    expect(answer.body.message).toBe('error decoding the body: its aliases make it too large');
  });
});
