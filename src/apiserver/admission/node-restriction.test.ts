import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { encodeText } from '../../lib/index.ts';
import { createManualClock } from '../../lib/manual-clock.node.ts';
import { podManifest, startTestServer, type TestServer } from '../test-server.ts';

import type { ApiObject } from '../registry/object.ts';
import { problemOfNodeWrite } from './node-restriction.ts';

let api: TestServer;
beforeEach(async () => {
  api = await startTestServer({ clock: createManualClock() });
  await api.call('POST', '/api/v1/nodes', { metadata: { name: 'n2' } });
  await api.call('POST', pods, podManifest('mine', { spec: { nodeName: 'n1' } }));
  await api.call('POST', pods, podManifest('other', { spec: { nodeName: 'n2' } }));
});
afterEach(() => api.close());

const pods = '/api/v1/namespaces/default/pods';
const leases = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases';
const mirror = { annotations: { 'kubernetes.io/config.mirror': 'x' } };
const kubelet = { name: 'system:node:n1', groups: ['system:nodes', 'system:authenticated'] };

async function asKubelet(method: string, url: string, body?: object): Promise<number> {
  const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
  const text = body === undefined ? {} : { body: encodeText(JSON.stringify(body)) };
  return (await api.server.as(kubelet).request({ method, url, headers: { 'content-type': type }, ...text })).status;
}

it.each<[number, string, string, object?]>([
  [201, 'POST', '/api/v1/nodes', { metadata: { name: 'n1' } }],
  [403, 'POST', '/api/v1/nodes', { metadata: { name: 'n3' } }],
  [403, 'PATCH', '/api/v1/nodes/n2/status', { status: {} }],
  [200, 'PATCH', `${pods}/mine/status`, { status: { phase: 'Running' } }],
  [403, 'PATCH', `${pods}/other/status`, { status: { phase: 'Running' } }],
  [200, 'DELETE', `${pods}/mine`],
  [403, 'DELETE', `${pods}/other`],
  [403, 'POST', `${pods}/other/eviction`, { metadata: { name: 'other' } }],
  [403, 'POST', pods, podManifest('new', { spec: { nodeName: 'n1' } })],
  [403, 'POST', pods, podManifest('new', { metadata: mirror, spec: { nodeName: 'n2' } })],
  [403, 'POST', pods, podManifest('new', { metadata: mirror, spec: { nodeName: 'n1' } })],
  [201, 'POST', leases, { metadata: { name: 'n1' }, spec: {} }],
  [403, 'POST', leases, { metadata: { name: 'n2' }, spec: {} }],
])('%d for a kubelet: %s %s %j', async (status, method, url, body) => {
  expect(await asKubelet(method, url, body)).toBe(status);
});

describe('where healing stands', () => {
  const told = (metadata: object): object => ({ metadata, status: { phase: 'Running' } });

  it('a kubelet tells of its own pods, as an annotation', async () => {
    const patch = told({ annotations: { 'mendlet.dev/healing': '{"rung":"pod"}' } });
    expect(await asKubelet('PATCH', `${pods}/mine/status`, patch)).toBe(200);
    const { body } = await api.call('GET', `${pods}/mine`);
    expect(body).toMatchObject({ metadata: { annotations: { 'mendlet.dev/healing': '{"rung":"pod"}' } } });
    expect(body.status.phase).toBe('Running');
    expect(await asKubelet('PATCH', `${pods}/other/status`, patch)).toBe(403);
    expect(await asKubelet('PATCH', `${pods}/mine`, patch)).toBe(403);
  });

  it('leaves labels, owners and the spec as they are', async () => {
    expect(await asKubelet('PATCH', `${pods}/mine/status`, told({ labels: { app: 'db' } }))).toBe(403);
    const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'x', uid: 'u', controller: true };
    const patch = { ...told({ ownerReferences: [owner] }), spec: { activeDeadlineSeconds: 1 } };
    expect(await asKubelet('PATCH', `${pods}/mine/status`, patch)).toBe(200);
    const { body } = await api.call('GET', `${pods}/mine`);
    expect(body.metadata.ownerReferences).toBeUndefined();
    expect(body.spec.activeDeadlineSeconds).toBeUndefined();
  });

  it('a kubelet asks for no restarts, and writes no policies', async () => {
    const own = '/apis/mendlet.dev/v1alpha1/namespaces/default';
    expect(await asKubelet('POST', `${own}/podrestarts`, { metadata: { name: 'r' }, spec: { podName: 'mine' } })).toBe(
      403,
    );
    expect(await asKubelet('GET', `${own}/healingpolicies`)).toBe(403);
    expect(await asKubelet('POST', `${pods}/mine/restart`)).toBe(403);
    expect(await asKubelet('GET', `${pods}/mine/history`)).toBe(403);
  });
});

describe('a mirror pod', () => {
  const owner = { apiVersion: 'v1', kind: 'Node', name: 'n1', controller: true };
  async function create(metadata: object = {}, spec: object = {}): Promise<number> {
    const { body } = await api.call('POST', '/api/v1/nodes', { metadata: { name: 'n1' } });
    const owned = { ...mirror, ownerReferences: [{ ...owner, uid: body.metadata.uid }], ...metadata };
    return asKubelet('POST', pods, podManifest('new', { metadata: owned, spec: { nodeName: 'n1', ...spec } }));
  }
  it('is owned by its node', async () => expect(await create()).toBe(201));
  it.each([
    ['by a node before it', { ownerReferences: [{ ...owner, uid: 'other' }] }, {}],
    ['by nobody', { ownerReferences: [] }, {}],
    ['by another node', { ownerReferences: [{ ...owner, name: 'n2', uid: 'x' }] }, {}],
    ['with a service account', {}, { serviceAccountName: 'default' }],
    ['with a secret', {}, { volumes: [{ name: 'v', secret: { secretName: 's' } }] }],
    ['with an image pull secret', {}, { imagePullSecrets: [{ name: 's' }] }],
    ['with a claim', {}, { volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 's' } }] }],
    [
      'with a token',
      {},
      { volumes: [{ name: 'v', projected: { sources: [{ serviceAccountToken: { path: 't' } }] } }] },
    ],
  ])('is refused %s', async (_, metadata, spec) => expect(await create(metadata, spec)).toBe(403));
});

describe('its own node', () => {
  const write = (
    labels: Record<string, string>,
    old?: Record<string, string>,
    taints: object[] = [],
  ): string | undefined =>
    problemOfNodeWrite('n1', 'nodes', {
      operation: old === undefined ? 'create' : 'update',
      part: '',
      object: { metadata: { name: 'n1', labels }, spec: { taints } },
      ...(old === undefined ? {} : { old: { metadata: { name: 'n1', labels: old } } }),
    });
  it.each([
    ['kubernetes.io/hostname', true],
    ['topology.kubernetes.io/zone', true],
    ['node.kubernetes.io/instance-type', true],
    ['team.kubelet.kubernetes.io/x', true],
    ['example.com/role', true],
    ['disk', true],
    ['node-role.kubernetes.io/control-plane', false],
    ['node-restriction.kubernetes.io/fips', false],
    ['a.node-restriction.kubernetes.io/fips', false],
    ['x.k8s.io/y', false],
  ])('may have the label %s: %s', (label, may) => {
    expect(write({ [label]: '1' }) === undefined).toBe(may);
    expect(write({ [label]: '1' }, {}) === undefined).toBe(may);
    expect(write({}, { [label]: '1' }) === undefined).toBe(may);
    expect(write({ [label]: '1' }, { [label]: '1' })).toBeUndefined();
  });
  it('keeps its taints', () => {
    expect(write({}, {}, [{ key: 'a', effect: 'NoSchedule' }])).toBe('node "n1" is not allowed to modify taints');
    expect(write({}, undefined, [{ key: 'a', effect: 'NoSchedule' }])).toBeUndefined();
  });
  it.each(['', 'status'])('gets no owner, whose end would be its own, through %j', (part) => {
    const owned = { name: 'n1', ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'x', uid: 'u' }] };
    const change = (metadata: object, old: object): string | undefined =>
      problemOfNodeWrite('n1', 'nodes', { operation: 'update', part, object: { metadata }, old: { metadata: old } });
    expect(change(owned, { name: 'n1' })).toBe('node "n1" is not allowed to modify ownerReferences');
    expect(change({ name: 'n1' }, owned)).toBe('node "n1" is not allowed to modify ownerReferences');
    expect(change({ name: 'n1', ownerReferences: [] }, { name: 'n1' })).toBeUndefined();
    expect(change(owned, owned)).toBeUndefined();
  });
});

it('keeps the labels of its pods', () => {
  const pod = (labels: object, nodeName = 'n1'): ApiObject => ({
    metadata: { name: 'p', labels: { ...labels } },
    spec: { nodeName },
  });
  const change = (part: string, now: ApiObject, old: ApiObject): string | undefined =>
    problemOfNodeWrite('n1', 'pods', { operation: 'update', part, object: now, old });
  expect(change('status', pod({}), pod({}))).toBeUndefined();
  expect(change('status', pod({ app: 'x' }), pod({}))).toContain('cannot update labels');
  // Whom it is bound to counts as it was, not as the writer says.
  expect(change('status', pod({}, 'n1'), pod({}, 'n2'))).toContain('set to itself');
  expect(change('', pod({}), pod({}))).toContain('can only create and delete mirror pods');
});

it('takes nothing from the budget of a pod that it may not evict', async () => {
  const budgets = '/apis/policy/v1/namespaces/default/poddisruptionbudgets';
  const merge = { 'content-type': 'application/merge-patch+json' };
  await api.call('PATCH', `${pods}/other`, { metadata: { labels: { app: 'x' } } }, merge);
  const spec = { minAvailable: 0, selector: { matchLabels: { app: 'x' } } };
  await api.call('POST', budgets, { metadata: { name: 'b' }, spec });
  const status = {
    observedGeneration: 1,
    disruptionsAllowed: 1,
    currentHealthy: 1,
    desiredHealthy: 0,
    expectedPods: 1,
  };
  expect((await api.call('PATCH', `${budgets}/b/status`, { status }, merge)).status).toBe(200);
  const ready = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] };
  expect((await api.call('PATCH', `${pods}/other/status`, { status: ready }, merge)).status).toBe(200);

  const url = `${pods}/other/eviction`;
  const body = encodeText(JSON.stringify({ metadata: { name: 'other' } }));
  const headers = { 'content-type': 'application/json' };
  const refused = await api.server.as(kubelet).request({ method: 'POST', url, headers, body });
  expect(refused.status).toBe(403);
  const after = await api.call('GET', `${budgets}/b`);
  expect(after.body.status).toMatchObject({ disruptionsAllowed: 1 });
  expect(after.body.status.disruptedPods).toBeUndefined();
});

it('tells of claims no more than size and state', () => {
  const claim = (spec: object, status: object): ApiObject => ({ metadata: { name: 'c' }, spec, status });
  const change = (now: ApiObject, part = 'status'): string | undefined =>
    problemOfNodeWrite('n1', 'persistentvolumeclaims', {
      operation: 'update',
      part,
      object: now,
      old: claim({}, { phase: 'Bound' }),
    });
  expect(change(claim({}, { phase: 'Bound', capacity: { storage: '1Gi' }, conditions: [] }))).toBeUndefined();
  expect(change(claim({}, { phase: 'Lost' }))).toContain('not allowed to update fields');
  expect(change(claim({}, { phase: 'Bound' }), '')).toBe('may only update PVC status');
});
