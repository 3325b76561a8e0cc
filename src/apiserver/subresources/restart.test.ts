import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createManualClock } from '../../lib/manual-clock.node.ts';
import { type Answer, podManifest, startTestServer, type TestServer } from '../test-server.ts';

let api: TestServer;
beforeEach(async () => {
  api = await startTestServer({ clock: createManualClock() });
});
afterEach(() => api.close());

const pods = '/api/v1/namespaces/default/pods';
const restarts = '/apis/mendlet.dev/v1alpha1/namespaces/default/podrestarts';
const MERGE = { 'content-type': 'application/merge-patch+json' };

async function pod(name: string, phase = 'Running', more: object = {}): Promise<string> {
  const spec = {
    nodeName: 'n1',
    volumes: [
      { name: 'cache', emptyDir: {} },
      { name: 'etc', hostPath: { path: '/etc' } },
    ],
  };
  const made = await api.call('POST', pods, podManifest(name, { spec: { ...spec, ...more } }));
  expect(made.status).toBe(201);
  await api.call('PATCH', `${pods}/${name}/status`, { status: { phase } }, MERGE);
  return made.body.metadata.uid;
}

const ask = (name: string, body?: unknown, query = ''): Promise<Answer> =>
  api.call('POST', `${pods}/${name}/restart${query}`, body);

describe('POST pods/NAME/restart', () => {
  it('makes a PodRestart of no body at all', async () => {
    await pod('web');
    const { status, body } = await ask('web');
    expect(status).toBe(201);
    expect(body).toMatchObject({
      kind: 'PodRestart',
      apiVersion: 'mendlet.dev/v1alpha1',
      metadata: { name: expect.stringMatching(/^web-[a-z0-9]{5}$/), namespace: 'default' },
      spec: { podName: 'web', scope: 'pod', requestedBy: 'admin' },
    });
    expect(body.metadata.ownerReferences).toBeUndefined();
    expect((await api.call('GET', `${restarts}/${body.metadata.name}`)).body).toEqual(body);
  });

  it('takes what the body says', async () => {
    const podUID = await pod('web');
    const spec = { podUID, reason: 'new certificate', emptyDirs: ['cache'], gracePeriodSeconds: 0 };
    const { status, body } = await ask('web', { metadata: { name: 'mine' }, spec });
    expect(status).toBe(201);
    expect(body).toMatchObject({ metadata: { name: 'mine' }, spec: { ...spec, podName: 'web', scope: 'pod' } });
    expect((await ask('web', { metadata: { name: 'mine' } })).body.reason).toBe('AlreadyExists');
  });

  it('stores nothing in a dry run', async () => {
    await pod('web');
    expect((await ask('web', undefined, '?dryRun=All')).status).toBe(201);
    expect((await api.call('GET', restarts)).body.items).toEqual([]);
  });

  it('says who it was that asked', async () => {
    await pod('web');
    const { status, body } = await api.call('POST', `${pods}/web/restart`, undefined, {
      'impersonate-user': 'jo',
      'impersonate-group': 'system:masters',
    });
    expect(status).toBe(201);
    expect(body.spec.requestedBy).toBe('jo');
  });

  it('knows no pod: 404', async () => {
    const { status, body } = await ask('nobody');
    expect(status).toBe(404);
    expect(body).toMatchObject({ message: 'pods "nobody" not found', details: { name: 'nobody', kind: 'pods' } });
  });

  it.each<[string, object, number, string]>([
    [
      'another pod',
      { spec: { podName: 'db' } },
      400,
      'the pod of the PodRestart (db) does not match the name on the URL (web)',
    ],
    ['another kind', { kind: 'Pod' }, 400, 'cannot be handled as a PodRestart'],
    ['another namespace', { metadata: { namespace: 'x' } }, 400, 'the namespace of the provided object does not match'],
    [
      'another UID',
      { spec: { podUID: 'old' } },
      409,
      'the UID in the precondition (old) does not match the UID in record',
    ],
    [
      'an unknown container',
      { spec: { scope: 'container', container: 'b' } },
      422,
      'spec.container: Unsupported value: "b": supported values: "main"',
    ],
    ['no container', { spec: { scope: 'container' } }, 422, 'spec.container: Required value'],
    [
      'an unknown volume',
      { spec: { emptyDirs: ['etc'] } },
      422,
      'spec.emptyDirs[0]: Unsupported value: "etc": supported values: "cache"',
    ],
    ['a wrong type', { spec: { force: 'yes' } }, 422, 'spec.force in body must be of type boolean: "string"'],
    ['a text for a list', { spec: { emptyDirs: 'cache' } }, 422, 'spec.emptyDirs in body must be of type array'],
    ['no object at all', { spec: 'all' }, 422, 'spec in body must be of type object'],
  ])('refuses %s', async (_, body, code, problem) => {
    await pod('web');
    const answer = await ask('web', body);
    expect(answer.status).toBe(code);
    expect(answer.body.message).toContain(problem);
  });

  it.each(['Failed', 'Succeeded'])('refuses a pod that is over: %s', async (phase) => {
    await pod('web', phase);
    const { status, body } = await ask('web', { spec: { force: true } });
    expect(status).toBe(409);
    expect(body.reason).toBe('Conflict');
    expect(body.message).toContain(`pod "web" has finished (${phase}) and is not run again; no controller owns it`);
  });

  it('refuses a pod that goes, and one without a node', async () => {
    await pod('web');
    await api.call('DELETE', `${pods}/web`);
    expect((await ask('web')).body.message).toContain('pod "web" is being deleted (phase Running)');
    await pod('new', 'Pending', { nodeName: '' });
    expect((await ask('new')).body.message).toContain('pod "new" has no node yet');
  });

  it('is no verb but POST', async () => {
    await pod('web');
    expect((await api.call('GET', `${pods}/web/restart`)).status).toBe(405);
  });
});
