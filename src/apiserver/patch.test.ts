import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createManualClock } from '../lib/manual-clock.node.ts';
import { podManifest, startTestServer, type TestServer } from './test-server.ts';

let api: TestServer;
beforeEach(async () => {
  api = await startTestServer({ clock: createManualClock() });
  await api.call('POST', '/api/v1/namespaces/default/pods', podManifest('p', { metadata: { labels: { a: '1' } } }));
});
afterEach(() => api.close());

const pod = '/api/v1/namespaces/default/pods/p';

function send(type: string, body: unknown, url = pod) {
  return api.call('PATCH', url, body, { 'content-type': `application/${type}` });
}

describe('a long patch', () => {
  const map = { metadata: { name: 'm' }, data: { k: 'v' } };
  const account = { metadata: { name: 'sa' }, secrets: many((i) => ({ name: `s${i}` })) };
  const rows = [
    ['json-patch+json', 'configmaps', map, many((i) => ({ op: 'add', path: `/data/k${i}`, value: 'v' }))],
    ['json-patch+json', 'configmaps', map, many(() => ({ op: 'test', path: '/data/k', value: 'v' }))],
    ['strategic-merge-patch+json', 'serviceaccounts', account, { secrets: many((i) => ({ name: `t${i}` })) }],
    ['strategic-merge-patch+json', 'serviceaccounts', account, { secrets: many((i) => ({ name: `s${i}` })) }],
  ] as const;

  it.each(rows)('by %s of %s gives way to others many times on its way', async (type, resource, object, body) => {
    await api.close();
    let pauses = 0;
    const pause = (): undefined => {
      pauses += 1;
    };
    api = await startTestServer({ clock: createManualClock(), breather: { pause, sent: () => {} } });
    const url = `/api/v1/namespaces/default/${resource}`;
    expect((await api.call('POST', url, object)).status).toBe(201);
    pauses = 0;
    expect((await send(type, body, `${url}/${object.metadata.name}`)).status).toBe(200);
    expect(pauses).toBeGreaterThan(15);
  });
});

/** 5,000 of a kind. */
function many<T>(make: (index: number) => T): readonly T[] {
  return Array.from({ length: 5000 }, (_, index) => make(index));
}

describe('patch', () => {
  it.each([
    ['json-patch+json', [{ op: 'add', path: '/metadata/labels/b', value: '2' }]],
    ['merge-patch+json', { metadata: { labels: { b: '2' } } }],
    ['strategic-merge-patch+json; charset=utf-8', { metadata: { labels: { b: '2' } } }],
  ])('by %s', async (type, patch) => {
    const { status, body } = await send(type, patch);
    expect(status).toBe(200);
    expect(body.metadata.labels).toEqual({ a: '1', b: '2' });
  });

  it('merges containers by name', async () => {
    const patch = { spec: { containers: [{ name: 'main', image: 'busybox:2' }] } };
    const { body } = await send('strategic-merge-patch+json', patch);
    expect(body.spec.containers).toMatchObject([
      { name: 'main', image: 'busybox:2', terminationMessagePath: '/dev/termination-log' },
    ]);
    expect(body.metadata.generation).toBe(2);
  });

  it('keeps the spec when the status is patched', async () => {
    const patch = {
      metadata: { annotations: { x: 'y' } },
      spec: { activeDeadlineSeconds: 1 },
      status: { phase: 'Running', podIP: '10.0.0.1' },
    };
    const { body } = await send('merge-patch+json', patch, `${pod}/status`);
    expect(body.status).toEqual({ phase: 'Running', podIP: '10.0.0.1', qosClass: 'BestEffort' });
    expect(body.spec.activeDeadlineSeconds).toBeUndefined();
    expect(body.metadata.annotations).toEqual({ x: 'y' });
  });

  it('adds ephemeral containers, and nothing else', async () => {
    const patch = { spec: { activeDeadlineSeconds: 1, ephemeralContainers: [{ name: 'e', image: 'busybox' }] } };
    const { status, body } = await send('strategic-merge-patch+json', patch, `${pod}/ephemeralcontainers`);
    expect(status).toBe(200);
    expect(body.spec.ephemeralContainers).toMatchObject([{ name: 'e', imagePullPolicy: 'Always' }]);
    expect(body.spec.activeDeadlineSeconds).toBeUndefined();
    const gone = await send('merge-patch+json', { spec: { ephemeralContainers: [] } }, `${pod}/ephemeralcontainers`);
    expect(gone.status).toBe(422);
  });

  it('stores nothing on a dry run', async () => {
    const dry = await send('merge-patch+json', { metadata: { labels: { a: '9' } } }, `${pod}?dryRun=All`);
    expect(dry.body.metadata.labels).toEqual({ a: '9' });
    expect((await api.call('GET', pod)).body.metadata.labels).toEqual({ a: '1' });
  });

  it('decides again after a lost race, unless it names a version', async () => {
    const before = await api.call('GET', pod);
    const keys = Array.from({ length: 50 }, (_, i) => `k${i}`);
    const patches = keys.map((key) => send('merge-patch+json', { metadata: { labels: { [key]: '1' } } }));
    expect(new Set((await Promise.all(patches)).map((answer) => answer.status))).toEqual(new Set([200]));
    const { labels } = (await api.call('GET', pod)).body.metadata;
    expect(Object.keys(labels).toSorted()).toEqual(['a', ...keys].toSorted());
    const { resourceVersion } = before.body.metadata;
    const stale = await send('merge-patch+json', { metadata: { resourceVersion, labels: { a: '2' } } });
    expect(stale.status).toBe(409);
  });

  it.each([
    ['apply-patch+yaml', {}, 422, /fieldManager: Required value: is required for apply patch/],
    ['json', {}, 415, /accepted media types include: application\/json-patch\+json/],
    ['merge-patch+json', '{', 400, /error decoding the body/],
    ['merge-patch+json', [], 400, /must be a JSON object/],
    ['json-patch+json', {}, 400, /./],
    ['json-patch+json', [{ op: 'test', path: '/metadata/name', value: 'q' }], 422, /the server rejected our request/],
    [
      'merge-patch+json',
      { metadata: { name: 'q' } },
      400,
      'the name of the object (q) does not match the name on the URL (p)',
    ],
    ['merge-patch+json', { spec: { nodeName: 'n' } }, 422, /pod updates may not change fields other than/],
    ['merge-patch+json', { spec: { containers: 'x' } }, 400, /cannot be handled as a Pod/],
  ])('refuses %s %j', async (type, patch, status, message) => {
    const answer = await send(type, patch);
    expect(answer.body.message).toMatch(message);
    expect(answer.status).toBe(status);
  });

  it('404 for what is not there', async () => {
    expect((await send('merge-patch+json', {}, `${pod}q`)).status).toBe(404);
  });
});
