/** Claims at the server: their class, their sources, and when they may grow. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LOCAL_PROVISIONER, PROVISIONED_BY } from '../../api/index.ts';
import { createManualClock } from '../../lib/manual-clock.node.ts';
import { type Answer, startTestServer, type TestServer } from '../test-server.ts';

const CLAIMS = '/api/v1/namespaces/default/persistentvolumeclaims';
const VOLUMES = '/api/v1/persistentvolumes';
const CLASSES = '/apis/storage.k8s.io/v1/storageclasses';
const QUOTAS = '/api/v1/namespaces/default/resourcequotas';
const MERGE = { 'content-type': 'application/merge-patch+json' };
const SPEC = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
const NO_RESIZE =
  'only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize';

let api: TestServer;
let count = 0;

beforeAll(async () => {
  api = await startTestServer({ clock: createManualClock() });
  await api.call('POST', '/api/v1/namespaces', { metadata: { name: 'default' } });
  const provisioner = 'disk.example.com';
  await api.call('POST', CLASSES, { metadata: { name: 'grows' }, provisioner, allowVolumeExpansion: true });
  await api.call('POST', CLASSES, { metadata: { name: 'stays' }, provisioner });
  await api.call('POST', CLASSES, {
    metadata: { name: 'folders' },
    provisioner: LOCAL_PROVISIONER,
    allowVolumeExpansion: true,
  });
});
afterAll(() => api.close());

async function patch(path: string, body: object): Promise<Answer> {
  return api.call('PATCH', path, body, MERGE);
}

/** A claim that has a volume of its size. @returns its path */
async function bound(storageClassName: string, provisioner = 'disk.example.com'): Promise<string> {
  const name = `c-${(count += 1)}`;
  const terms = [{ matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'In', values: ['n'] }] }];
  const made = await api.call('POST', VOLUMES, {
    metadata: { name, annotations: { [PROVISIONED_BY]: provisioner } },
    spec: {
      ...(provisioner === LOCAL_PROVISIONER
        ? { local: { path: '/v' }, nodeAffinity: { required: { nodeSelectorTerms: terms } } }
        : { csi: { driver: provisioner, volumeHandle: name } }),
      accessModes: ['ReadWriteOnce'],
      capacity: { storage: '1Gi' },
      storageClassName,
    },
  });
  expect(made.status).toBe(201);
  const asked = await api.call('POST', CLAIMS, {
    metadata: { name },
    spec: { ...SPEC, storageClassName, volumeName: name },
  });
  expect(asked.status).toBe(201);
  const path = `${CLAIMS}/${name}`;
  await patch(`${path}/status`, { status: { phase: 'Bound', capacity: { storage: '1Gi' } } });
  return path;
}

async function ask(path: string, storage: string): Promise<Answer> {
  return patch(path, { spec: { resources: { requests: { storage } } } });
}

describe('a claim that grows', () => {
  it('may, where its class says so', async () => {
    const path = await bound('grows');
    expect((await ask(path, '2Gi')).status).toBe(200);
    // The expansion failed: less is asked for, but more than there is.
    expect((await ask(path, '1500Mi')).status).toBe(200);
    const shrunk = await ask(path, '1Gi');
    expect([shrunk.status, shrunk.body.message]).toEqual([
      422,
      expect.stringContaining('field can not be less than status.capacity'),
    ]);
  });

  it.each([
    ['its class does not say so', 'stays', 'disk.example.com', NO_RESIZE],
    ['its class is gone', 'gone', 'disk.example.com', NO_RESIZE],
    ['its volume is a folder of a node', 'folders', LOCAL_PROVISIONER, 'folder of a node'],
  ])('may not: %s', async (_, className, provisioner, text) => {
    const { status, body } = await ask(await bound(className, provisioner), '2Gi');
    expect([status, body.reason]).toEqual([403, 'Forbidden']);
    expect(body.message).toContain(text);
  });

  it('may not before it is bound', async () => {
    const path = `${CLAIMS}/waits`;
    await api.call('POST', CLAIMS, { metadata: { name: 'waits' }, spec: { ...SPEC, storageClassName: 'grows' } });
    const { status, body } = await ask(path, '2Gi');
    expect([status, body.message]).toEqual([422, expect.stringContaining('spec is immutable after creation except')]);
  });

  it('stays within the quota', async () => {
    const path = await bound('grows');
    const hard = { 'grows.storageclass.storage.k8s.io/requests.storage': '100Gi' };
    await api.call('POST', QUOTAS, { metadata: { name: 'q' }, spec: { hard } });
    expect((await ask(path, '50Gi')).status).toBe(200);
    const refused = await ask(path, '200Gi');
    expect([refused.status, refused.body.message]).toEqual([403, expect.stringContaining('exceeded quota: q')]);
    await api.call('DELETE', `${QUOTAS}/q`);
  });

  it('keeps what the resizer says of it', async () => {
    const path = await bound('grows');
    await ask(path, '2Gi');
    const condition = { type: 'FileSystemResizePending', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' };
    const status = {
      conditions: [condition],
      allocatedResources: { storage: '2Gi' },
      allocatedResourceStatuses: { storage: 'NodeResizePending' },
    };
    const { body } = await patch(`${path}/status`, { status });
    expect(body.status).toMatchObject({ ...status, phase: 'Bound', capacity: { storage: '1Gi' } });
    const wrong = { allocatedResources: { memory: '1' }, allocatedResourceStatuses: { storage: 'Soon' } };
    const refused = await patch(`${path}/status`, { status: wrong });
    expect(refused.status).toBe(422);
    expect(refused.body.details.causes.map(({ field }: { field: string }) => field)).toEqual([
      'status.allocatedResourceStatuses',
      'status.allocatedResources',
    ]);
  });
});

describe('the source of a claim', () => {
  const claim = async (source: object): Promise<Record<string, unknown>> => {
    const name = `s-${(count += 1)}`;
    const spec = { ...SPEC, storageClassName: 'grows', ...source };
    const { status, body } = await api.call('POST', CLAIMS, { metadata: { name }, spec });
    expect([status, body.message]).toEqual([201, undefined]);
    const { dataSource, dataSourceRef } = body.spec;
    return { dataSource, dataSourceRef };
  };
  const snapshot = { apiGroup: 'snapshot.storage.k8s.io', kind: 'VolumeSnapshot', name: 's' };
  const other = { apiGroup: 'example.com', kind: 'Backup', name: 'b' };
  const clone = { kind: 'PersistentVolumeClaim', name: 'c' };
  it.each([
    ['a snapshot, by the old field', { dataSource: snapshot }, { dataSource: snapshot, dataSourceRef: snapshot }],
    ['a snapshot, by the new one', { dataSourceRef: snapshot }, { dataSource: snapshot, dataSourceRef: snapshot }],
    [
      'a claim',
      { dataSource: clone },
      { dataSource: { apiGroup: null, ...clone }, dataSourceRef: { apiGroup: null, ...clone } },
    ],
    ['anything, by the new field', { dataSourceRef: other }, { dataSource: other, dataSourceRef: other }],
    ['nothing that the old field knows', { dataSource: other }, {}],
    ['another namespace', { dataSourceRef: { ...snapshot, namespace: 'other' } }, {}],
  ])('is %s', async (_, given, expected) => {
    expect(await claim(given)).toEqual({ dataSource: undefined, dataSourceRef: undefined, ...expected });
  });
});

describe('the class of a claim', () => {
  it('is the default one, unless the claim says otherwise', async () => {
    const create = async (more: object): Promise<unknown> => {
      const name = `d-${(count += 1)}`;
      return (await api.call('POST', CLAIMS, { metadata: { name }, spec: { ...SPEC, ...more } })).body.spec
        .storageClassName;
    };
    expect(await create({})).toBeUndefined();
    const annotations = { 'storageclass.kubernetes.io/is-default-class': 'true' };
    await patch(`${CLASSES}/grows`, { metadata: { annotations } });
    expect(await create({})).toBe('grows');
    expect(await create({ storageClassName: '' })).toBe('');
    expect(await create({ storageClassName: 'stays' })).toBe('stays');
    await patch(`${CLASSES}/grows`, { metadata: { annotations: null } });
  });

  it('of attributes may change while it is bound, and cannot go once it is in effect', async () => {
    const path = await bound('grows');
    const set = (volumeAttributesClassName: string | null): Promise<Answer> =>
      patch(path, { spec: { volumeAttributesClassName } });
    expect((await set('gold')).body.spec.volumeAttributesClassName).toBe('gold');
    expect((await set(null)).status).toBe(200);
    await set('gold');
    await patch(`${path}/status`, { status: { currentVolumeAttributesClassName: 'gold' } });
    expect((await set('silver')).status).toBe(200);
    const refused = await set(null);
    expect([refused.status, refused.body.message]).toEqual([
      422,
      expect.stringContaining('update to nil is forbidden'),
    ]);
    expect((await set('Not A Name')).status).toBe(422);
  });
});
