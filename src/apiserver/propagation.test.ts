import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createManualClock } from '../lib/manual-clock.node.ts';
import { podManifest, startTestServer, type TestServer } from './test-server.ts';

let api: TestServer;
beforeEach(async () => {
  api = await startTestServer({ clock: createManualClock() });
});
afterEach(() => api.close());

const maps = '/api/v1/namespaces/default/configmaps';
const merge = { 'content-type': 'application/merge-patch+json' };

async function finalizersAfter(path: string, ...deletes: readonly (object | string)[]): Promise<unknown> {
  for (const each of deletes) {
    if (typeof each === 'string') await api.call('DELETE', `${path}?${each}`);
    else await api.call('DELETE', path, each);
  }
  const { status, body } = await api.call('GET', path);
  if (status === 404) return 'gone';
  expect(body.metadata.deletionTimestamp).toBeDefined();
  return body.metadata.finalizers ?? [];
}

describe('a delete says what becomes of dependents', () => {
  it.each([
    { what: 'nothing', options: [{}], left: 'gone' },
    { what: 'Background', options: [{ propagationPolicy: 'Background' }], left: 'gone' },
    { what: 'Foreground', options: [{ propagationPolicy: 'Foreground' }], left: ['foregroundDeletion'] },
    { what: 'Orphan', options: [{ propagationPolicy: 'Orphan' }], left: ['orphan'] },
    { what: 'orphanDependents: true', options: [{ orphanDependents: true }], left: ['orphan'] },
    { what: 'orphanDependents: false', options: [{ orphanDependents: false }], left: 'gone' },
    { what: 'a query', options: ['propagationPolicy=Foreground'], left: ['foregroundDeletion'] },
    { what: 'the old query', options: ['orphanDependents=true'], left: ['orphan'] },
    {
      what: 'Foreground, then nothing',
      options: [{ propagationPolicy: 'Foreground' }, {}],
      left: ['foregroundDeletion'],
    },
    {
      what: 'Foreground, then Background',
      options: [{ propagationPolicy: 'Foreground' }, { propagationPolicy: 'Background' }],
      left: 'gone',
    },
    {
      what: 'Foreground, then Orphan',
      options: [{ propagationPolicy: 'Foreground' }, { propagationPolicy: 'Orphan' }],
      left: ['orphan'],
    },
  ])('$what', async ({ options, left }) => {
    await api.call('POST', maps, { metadata: { name: 'a' } });
    expect(await finalizersAfter(`${maps}/a`, ...options)).toEqual(left);
  });

  it('keeps the finalizers of others, whatever the policy', async () => {
    await api.call('POST', maps, { metadata: { name: 'a', finalizers: ['example.com/hold', 'orphan'] } });
    expect(await finalizersAfter(`${maps}/a`, { propagationPolicy: 'Foreground' })).toEqual([
      'example.com/hold',
      'foregroundDeletion',
    ]);
    await api.call('PATCH', `${maps}/a`, { metadata: { finalizers: ['foregroundDeletion'] } }, merge);
    expect((await api.call('GET', `${maps}/a`)).status).toBe(200);
    await api.call('PATCH', `${maps}/a`, { metadata: { finalizers: null } }, merge);
    expect((await api.call('GET', `${maps}/a`)).status).toBe(404);
  });

  it('both ways of saying it are one too many', async () => {
    await api.call('POST', maps, { metadata: { name: 'a' } });
    const { status, body } = await api.call('DELETE', `${maps}/a`, {
      propagationPolicy: 'Orphan',
      orphanDependents: true,
    });
    expect(status).toBe(422);
    expect(body.message).toContain('orphanDependents and deletionPropagation cannot be both set');
  });
});

describe('a pod', () => {
  const pods = '/api/v1/namespaces/default/pods';

  it('waits for its grace and for its dependents', async () => {
    await api.call('POST', pods, podManifest('p', { spec: { nodeName: 'n1' } }));
    expect(await finalizersAfter(`${pods}/p`, { propagationPolicy: 'Foreground' })).toEqual(['foregroundDeletion']);
    const { body } = await api.call('GET', `${pods}/p`);
    expect(body.metadata.deletionGracePeriodSeconds).toBe(30);
    await api.call('DELETE', `${pods}/p`, { gracePeriodSeconds: 0 });
    await api.call('PATCH', `${pods}/p`, { metadata: { finalizers: null } }, merge);
    expect((await api.call('GET', `${pods}/p`)).status).toBe(404);
  });

  it('on its way already takes no other policy', async () => {
    await api.call('POST', pods, podManifest('p', { spec: { nodeName: 'n1' } }));
    expect(await finalizersAfter(`${pods}/p`, {}, { propagationPolicy: 'Foreground' })).toEqual([]);
  });
});

describe('by default', () => {
  const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'busybox' }] } };
  it.each([
    {
      kind: 'replication controllers',
      path: '/api/v1/namespaces/default/replicationcontrollers',
      spec: { replicas: 0, selector: { a: 'b' }, template },
      left: ['orphan'],
    },
    {
      kind: 'jobs',
      path: '/apis/batch/v1/namespaces/default/jobs',
      spec: { template: { ...template, spec: { ...template.spec, restartPolicy: 'Never' } } },
      left: ['orphan'],
    },
    {
      kind: 'replica sets',
      path: '/apis/apps/v1/namespaces/default/replicasets',
      spec: { replicas: 0, selector: { matchLabels: { a: 'b' } }, template },
      left: 'gone',
    },
  ])('$kind: $left', async ({ path, spec, left }) => {
    expect((await api.call('POST', path, { metadata: { name: 'x' }, spec })).status).toBe(201);
    expect(await finalizersAfter(`${path}/x`, {})).toEqual(left);
  });

  it('events have no dependents', async () => {
    const events = '/api/v1/namespaces/default/events';
    await api.call('POST', events, { metadata: { name: 'e' }, involvedObject: { namespace: 'default' } });
    expect(await finalizersAfter(`${events}/e`, { propagationPolicy: 'Foreground' })).toBe('gone');
  });
});
