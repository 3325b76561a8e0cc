import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createManualClock } from '../lib/manual-clock.node.ts';
import { SYSTEM_NAMESPACES_PERIOD_MS } from './limits.ts';
import { podManifest, startTestServer, type TestServer } from './test-server.ts';

let api: TestServer;
beforeEach(async () => {
  api = await startTestServer({ clock: createManualClock() });
});
afterEach(() => api.close());

const pods = '/api/v1/namespaces/default/pods';
const maps = '/api/v1/namespaces/default/configmaps';

async function runningPod(name: string, more: object = {}): Promise<void> {
  await api.call('POST', pods, podManifest(name, { spec: { nodeName: 'n1' }, ...more }));
  await api.call(
    'PATCH',
    `${pods}/${name}/status`,
    { status: { phase: 'Running' } },
    { 'content-type': 'application/merge-patch+json' },
  );
}

describe('a pod on a node', () => {
  it('waits for its grace', async () => {
    await runningPod('p');
    const { status, body } = await api.call('DELETE', `${pods}/p`);
    expect(status).toBe(200);
    expect(body.metadata).toMatchObject({
      deletionTimestamp: '2026-01-01T00:00:30Z',
      deletionGracePeriodSeconds: 30,
      generation: 2,
    });
    expect((await api.call('GET', `${pods}/p`)).status).toBe(200);
  });

  it('goes sooner when asked, never later', async () => {
    await runningPod('p');
    await api.call('DELETE', `${pods}/p`, { gracePeriodSeconds: 10 });
    const later = await api.call('DELETE', `${pods}/p?gracePeriodSeconds=60`);
    expect(later.body.metadata.deletionTimestamp).toBe('2026-01-01T00:00:10Z');
    await api.clock.advance(2000);
    const sooner = await api.call('DELETE', `${pods}/p`, { gracePeriodSeconds: 5 });
    expect(sooner.body.metadata).toMatchObject({
      deletionTimestamp: '2026-01-01T00:00:05Z',
      deletionGracePeriodSeconds: 5,
    });
    expect((await api.call('DELETE', `${pods}/p`, { gracePeriodSeconds: 0 })).status).toBe(200);
    expect((await api.call('GET', `${pods}/p`)).status).toBe(404);
  });

  it('goes at once with grace 0', async () => {
    await runningPod('p');
    await api.call('DELETE', `${pods}/p?gracePeriodSeconds=0`);
    expect((await api.call('GET', `${pods}/p`)).status).toBe(404);
  });

  it('stays for its finalizers until the last is gone', async () => {
    await runningPod('p', { metadata: { finalizers: ['example.com/hold'] } });
    await api.call('DELETE', `${pods}/p?gracePeriodSeconds=0`);
    const held = await api.call('GET', `${pods}/p`);
    expect(held.body.metadata).toMatchObject({ deletionGracePeriodSeconds: 0, finalizers: ['example.com/hold'] });
    const patch = { metadata: { finalizers: null } };
    const released = await api.call('PATCH', `${pods}/p`, patch, { 'content-type': 'application/merge-patch+json' });
    expect(released.status).toBe(200);
    expect((await api.call('GET', `${pods}/p`)).status).toBe(404);
  });
});

describe('what nobody runs', () => {
  it.each([
    ['a pod without a node', {}],
    ['a pod that is over', { spec: { nodeName: 'n1' } }],
  ])('%s goes at once', async (_, more) => {
    await api.call('POST', pods, podManifest('p', more));
    const patch = { status: { phase: 'Succeeded' } };
    if ('spec' in more)
      await api.call('PATCH', `${pods}/p/status`, patch, { 'content-type': 'application/merge-patch+json' });
    await api.call('DELETE', `${pods}/p`);
    expect((await api.call('GET', `${pods}/p`)).status).toBe(404);
  });

  it('other kinds answer with a Status', async () => {
    const { body: map } = await api.call('POST', maps, { metadata: { name: 'a' } });
    const { body } = await api.call('DELETE', `${maps}/a`);
    expect(body).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Success',
      details: { name: 'a', kind: 'configmaps', uid: map.metadata.uid },
    });
  });
});

describe('preconditions and options', () => {
  it.each([
    ['uid', { preconditions: { uid: 'x' } }, 409, /the UID in the precondition \(x\) does not match the UID in record/],
    [
      'resourceVersion',
      { preconditions: { resourceVersion: '1' } },
      409,
      /the ResourceVersion in the precondition \(1\)/,
    ],
    ['policy', { propagationPolicy: 'Maybe' }, 422, /Unsupported value: "Maybe"/],
    ['dryRun', { dryRun: ['Some'] }, 422, /dryRun: Unsupported value/],
    ['grace', { gracePeriodSeconds: 'x' }, 400, /invalid gracePeriodSeconds/],
  ])('refuses by %s', async (_, options, status, message) => {
    await api.call('POST', maps, { metadata: { name: 'a' } });
    const answer = await api.call('DELETE', `${maps}/a`, options);
    expect(answer.body.message).toMatch(message);
    expect(answer.status).toBe(status);
    expect((await api.call('GET', `${maps}/a`)).status).toBe(200);
  });

  it('does nothing on a dry run', async () => {
    await api.call('POST', maps, { metadata: { name: 'a' } });
    expect((await api.call('DELETE', `${maps}/a?dryRun=All`)).status).toBe(200);
    expect((await api.call('GET', `${maps}/a`)).status).toBe(200);
  });
});

describe('namespaces', () => {
  it('go when they are emptied', async () => {
    await api.call('POST', '/api/v1/namespaces', { metadata: { name: 'x' } });
    const { body } = await api.call('DELETE', '/api/v1/namespaces/x');
    expect(body).toMatchObject({ spec: { finalizers: ['kubernetes'] }, status: { phase: 'Terminating' } });
    const refused = await api.call('POST', '/api/v1/namespaces/x/configmaps', { metadata: { name: 'a' } });
    expect(refused.status).toBe(403);
    expect(refused.body.message).toBe(
      'configmaps "a" is forbidden: unable to create new content in namespace x because it is being terminated',
    );
    await api.call('PUT', '/api/v1/namespaces/x/finalize', { ...body, spec: { finalizers: [] } });
    expect((await api.call('GET', '/api/v1/namespaces/x')).status).toBe(404);
  });

  it.each(['default', 'kube-system', 'kube-public'])('%s stays', async (name) => {
    const { status, body } = await api.call('DELETE', `/api/v1/namespaces/${name}`);
    expect(status).toBe(403);
    expect(body.message).toBe(`namespaces "${name}" is forbidden: this namespace may not be deleted`);
  });

  it('of the system come back', async () => {
    const lease = '/api/v1/namespaces/kube-node-lease';
    await api.call('DELETE', lease);
    await api.call('PUT', `${lease}/finalize`, { metadata: { name: 'kube-node-lease' }, spec: { finalizers: [] } });
    expect((await api.call('GET', lease)).status).toBe(404);
    await api.clock.advance(SYSTEM_NAMESPACES_PERIOD_MS);
    expect((await api.call('GET', lease)).body.status).toEqual({ phase: 'Active' });
  });
});

it('deletes a collection by selector', async () => {
  for (const [name, color] of [
    ['a', 'red'],
    ['b', 'blue'],
    ['c', 'red'],
  ]) {
    await api.call('POST', maps, { metadata: { name, labels: { color } } });
  }
  const { status } = await api.call('DELETE', `${maps}?labelSelector=color%3Dred`);
  expect(status).toBe(200);
  const { body } = await api.call('GET', maps);
  expect(body.items.map((item: { metadata: { name: string } }) => item.metadata.name)).toEqual(['b']);
});
