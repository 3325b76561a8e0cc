import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createManualClock } from '../../lib/manual-clock.node.ts';
import { type Answer, podManifest, startTestServer, type TestServer } from '../test-server.ts';

let api: TestServer;
beforeEach(async () => {
  api = await startTestServer({ clock: createManualClock() });
});
afterEach(() => api.close());

const base = '/api/v1/namespaces/default';
const quota = (hard: object, more: object = {}): Promise<Answer> =>
  api.call('POST', `${base}/resourcequotas`, { metadata: { name: 'q' }, spec: { hard, ...more } });
const pod = (name: string, spec: object = {}): Promise<Answer> =>
  api.call('POST', `${base}/pods`, podManifest(name, { spec }));
const limited = (cpu: string) => ({
  containers: [{ name: 'c', image: 'x', resources: { limits: { cpu, memory: '1Gi' } } }],
});

/** The status once it says what it should. */
async function status(): Promise<Answer['body']> {
  // Kept in the background: a few turns of the loop.
  for (let turn = 0; turn < 20; turn++) await api.clock.advance(1);
  return (await api.call('GET', `${base}/resourcequotas/q`)).body.status;
}

describe('a quota', () => {
  it('counts, and refuses what is more', async () => {
    await quota({ pods: '1' });
    expect((await pod('a')).status).toBe(201);
    const { status: code, body } = await pod('b');
    expect(code).toBe(403);
    expect(body.message).toBe(
      'pods "b" is forbidden: exceeded quota: q, requested: pods=1, used: pods=1, limited: pods=1',
    );
    expect(await status()).toEqual({ hard: { pods: '1' }, used: { pods: '1' } });
    await api.call('DELETE', `${base}/pods/a`);
    expect(await status()).toMatchObject({ used: { pods: '0' } });
    expect((await pod('b')).status).toBe(201);
  });

  it('counts controllers, and claims and what they ask for, also by their class', async () => {
    await quota({
      replicationcontrollers: '5',
      persistentvolumeclaims: '5',
      'requests.storage': '10Gi',
      'gold.storageclass.storage.k8s.io/requests.storage': '2Gi',
      'gold.storageclass.storage.k8s.io/persistentvolumeclaims': '5',
    });
    const labels = { a: 'b' };
    const template = { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i' }] } };
    await api.call('POST', `${base}/replicationcontrollers`, {
      metadata: { name: 'r' },
      spec: { selector: labels, template },
    });
    const claim = (name: string, storage: string) =>
      api.call('POST', `${base}/persistentvolumeclaims`, {
        metadata: { name },
        spec: { storageClassName: 'gold', accessModes: ['ReadWriteOnce'], resources: { requests: { storage } } },
      });
    expect((await claim('a', '2Gi')).status).toBe(201);
    expect((await claim('b', '1Gi')).body.message).toContain(
      'exceeded quota: q, requested: gold.storageclass.storage.k8s.io/requests.storage=1Gi',
    );
    expect((await status()).used).toEqual({
      replicationcontrollers: '1',
      persistentvolumeclaims: '1',
      'requests.storage': '2Gi',
      'gold.storageclass.storage.k8s.io/requests.storage': '2Gi',
      'gold.storageclass.storage.k8s.io/persistentvolumeclaims': '1',
    });
  });

  it('counts storage alone', async () => {
    await quota({ 'requests.storage': '1Gi' });
    const { status: code } = await api.call('POST', `${base}/persistentvolumeclaims`, {
      metadata: { name: 'a' },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '2Gi' } } },
    });
    expect(code).toBe(403);
  });

  it('is not overrun by many at once', async () => {
    await quota({ pods: '3' });
    const answers = await Promise.all(Array.from({ length: 10 }, (_, each) => pod(`p${each}`)));
    expect(answers.filter((answer) => answer.status === 201)).toHaveLength(3);
  });

  it('adds up what pods ask for, and wants it said', async () => {
    await quota({ 'requests.cpu': '1', 'limits.memory': '3Gi' });
    const { body } = await pod('none');
    expect(body.message).toContain('failed quota: q: must specify limits.memory for: main; requests.cpu for: main');
    expect((await pod('a', limited('600m'))).status).toBe(201);
    expect((await pod('b', limited('600m'))).body.message).toContain(
      'exceeded quota: q, requested: requests.cpu=600m, used: requests.cpu=600m, limited: requests.cpu=1',
    );
    expect((await status()).used).toEqual({ 'requests.cpu': '600m', 'limits.memory': '1Gi' });
  });

  it('leaves pods alone that were there before it, though they say nothing of what it counts', async () => {
    await pod('a', { terminationGracePeriodSeconds: 0 });
    const merge = (path: string, patch: object) =>
      api.call('PATCH', `${base}/pods/a${path}`, patch, { 'content-type': 'application/merge-patch+json' });
    await merge('', { metadata: { finalizers: ['example.com/hold'] } });
    await quota({ 'requests.cpu': '1', pods: '0' });
    expect((await merge('', { metadata: { labels: { a: 'b' } } })).status).toBe(200);
    expect((await merge('/status', { status: { phase: 'Running' } })).status).toBe(200);
    await api.call('DELETE', `${base}/pods/a`);
    expect((await merge('', { metadata: { finalizers: null } })).status).toBe(200);
    expect((await api.call('GET', `${base}/pods/a`)).status).toBe(404);
  });

  it('lets ended pods go', async () => {
    await quota({ pods: '1' });
    await pod('a');
    const ended = { status: { phase: 'Succeeded' } };
    await api.call('PATCH', `${base}/pods/a/status`, ended, { 'content-type': 'application/merge-patch+json' });
    expect((await pod('b')).status).toBe(201);
  });

  it('counts any kind', async () => {
    await quota({
      configmaps: '1',
      'count/secrets': '0',
      'count/leases.coordination.k8s.io': '0',
      'services.nodeports': '0',
    });
    expect((await api.call('POST', `${base}/configmaps`, { metadata: { name: 'a' } })).status).toBe(201);
    expect((await api.call('POST', `${base}/configmaps`, { metadata: { name: 'b' } })).status).toBe(403);
    expect((await api.call('POST', `${base}/secrets`, { metadata: { name: 'b' } })).status).toBe(403);
    const service = (type: string) => ({ metadata: { name: 's' }, spec: { type, ports: [{ port: 1 }] } });
    expect((await api.call('POST', `${base}/services`, service('NodePort'))).status).toBe(403);
    expect((await api.call('POST', `${base}/services`, service('ClusterIP'))).status).toBe(201);
    const opened = await api.call(
      'PATCH',
      `${base}/services/s`,
      { spec: { type: 'NodePort' } },
      { 'content-type': 'application/merge-patch+json' },
    );
    expect(opened.status).toBe(403);
  });

  it('with scopes looks at those pods alone', async () => {
    await quota({ pods: '0' }, { scopes: ['Terminating'] });
    expect((await pod('a')).status).toBe(201);
    expect((await pod('b', { activeDeadlineSeconds: 5 })).status).toBe(403);
  });

  it('of a priority class looks at its pods', async () => {
    const matchExpressions = [{ scopeName: 'PriorityClass', operator: 'In', values: ['system-node-critical'] }];
    await quota({ pods: '0' }, { scopeSelector: { matchExpressions } });
    expect((await pod('a')).status).toBe(201);
    expect((await pod('b', { priorityClassName: 'system-node-critical' })).status).toBe(403);
  });

  it('of a class of volume attributes looks at the claims that ask for it, have it or are getting it', async () => {
    const merge = { 'content-type': 'application/merge-patch+json' };
    const claim = (name: string, volumeAttributesClassName?: string) =>
      api.call('POST', `${base}/persistentvolumeclaims`, {
        metadata: { name },
        spec: {
          accessModes: ['ReadWriteOnce'],
          resources: { requests: { storage: '1Gi' } },
          volumeAttributesClassName,
        },
      });
    const matchExpressions = [{ scopeName: 'VolumeAttributesClass', operator: 'In', values: ['gold'] }];
    await quota({ persistentvolumeclaims: '1' }, { scopeSelector: { matchExpressions } });
    expect((await claim('a')).status).toBe(201);
    expect((await claim('b', 'silver')).status).toBe(201);
    expect((await claim('c', 'gold')).status).toBe(201);
    expect((await claim('d', 'gold')).status).toBe(403);
    const path = `${base}/persistentvolumeclaims/b`;
    const status = { phase: 'Bound', currentVolumeAttributesClassName: 'silver' };
    await api.call('PATCH', `${path}/status`, { status }, merge);
    const turn = () => api.call('PATCH', path, { spec: { volumeAttributesClassName: 'gold' } }, merge);
    expect((await turn()).status).toBe(403);
    await api.call('DELETE', `${base}/persistentvolumeclaims/c`);
    await api.call('PATCH', `${base}/persistentvolumeclaims/c`, { metadata: { finalizers: null } }, merge);
    expect((await turn()).status).toBe(200);
  });

  it.each<[object, object, string]>([
    [{ pods: '1.5' }, {}, 'spec.hard[pods]: Invalid value: "1500m": must be an integer'],
    [{ pods: '-1' }, {}, 'must be greater than or equal to 0'],
    [{ nonsense: '1' }, {}, 'must be a standard resource for quota'],
    [{ pods: '1' }, { scopes: ['BestEffort', 'NotBestEffort'] }, 'conflicting scopes'],
  ])('%j %j is none', async (hard, more, text) => {
    const { status: code, body } = await quota(hard, more);
    expect(code).toBe(422);
    expect(body.message).toContain(text);
  });
});
