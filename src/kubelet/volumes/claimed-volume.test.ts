import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getegid } from 'node:process';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createInMemoryApi, type InMemoryApi } from '../../../test/support/in-memory-api.ts';
import {
  PERSISTENT_VOLUME_CLAIMS,
  PERSISTENT_VOLUMES,
  type PersistentVolumeClaim,
  type PersistentVolumeSpec,
  type Pod,
} from '../../api/index.ts';
import type { KubeClient } from '../../client/index.ts';
import { ConnectionError } from '../../lib/index.ts';
import { systemFileSystem } from '../../lib/file-system.node.ts';
import { setUpClaim } from './claimed-volume.ts';

let root = '';
let api: InMemoryApi;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'mendlet-claims-'));
  api = await createInMemoryApi();
});
afterEach(() => rm(root, { recursive: true, force: true }));

const POD: Pod = { metadata: { name: 'p', namespace: 'default', uid: 'u' }, spec: { containers: [] } };
const NODE_AFFINITY = {
  required: { nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['n'] }] }] },
};

function setUp(client: KubeClient = api.client, pod: Pod = POD): Promise<{ path: string; problem?: string }> {
  return setUpClaim({ client, fs: systemFileSystem }, pod, { claimName: 'c' }, join(root, 'note'));
}

/** Both sides of a binding, as the binder leaves them. */
async function bound(source: Partial<PersistentVolumeSpec>, claimUid?: string): Promise<void> {
  const asked = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, volumeName: 'v' };
  const claim: PersistentVolumeClaim = {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { namespace: 'default', name: 'c' },
    spec: asked,
  };
  const { metadata } = await api.client.create(PERSISTENT_VOLUME_CLAIMS, claim);
  const claimRef = { namespace: 'default', name: 'c', uid: claimUid ?? metadata?.uid ?? '' };
  await api.client.create(PERSISTENT_VOLUMES, {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name: 'v' },
    spec: { accessModes: ['ReadWriteOnce'], capacity: { storage: '1Gi' }, claimRef, ...source },
  });
  await phase('Bound');
}

async function phase(wanted: string): Promise<void> {
  await api.client.patch(PERSISTENT_VOLUME_CLAIMS, 'default', 'c', 'merge', { status: { phase: wanted } }, 'status');
}

describe('a claim', () => {
  it('stands for the folder of its volume', async () => {
    await bound({ hostPath: { path: root } });
    expect(await setUp()).toEqual({ path: root });
  });

  it('of a local volume, too, which must be there', async () => {
    await bound({ local: { path: join(root, 'disk') }, nodeAffinity: NODE_AFFINITY });
    await expect(setUp()).rejects.toThrow(`path "${root}/disk" does not exist`);
    await writeFile(join(root, 'disk'), '');
    await expect(setUp()).rejects.toThrow('of the local volume "v" is not a directory');
    await rm(join(root, 'disk'));
    await systemFileSystem.mkdir(join(root, 'disk'), { mode: 0o700 });
    const fsGroup = getegid?.() ?? 0;
    const grouped = { ...POD, spec: { containers: [], securityContext: { fsGroup } } };
    expect(await setUp(api.client, grouped)).toEqual({ path: join(root, 'disk') });
    expect((await stat(join(root, 'disk'))).mode & 0o7777).toBe(0o2770);
  });

  it.each<[string, () => Promise<void>, string]>([
    ['that is not there', async () => {}, 'failed to fetch PVC from API server: persistentvolumeclaims "c" not found'],
    [
      'that waits',
      async () => {
        await bound({ hostPath: { path: root } });
        await phase('Pending');
      },
      'error processing PVC default/c: PVC is not bound',
    ],
    [
      'whose volume is another’s',
      () => bound({ hostPath: { path: root } }, 'another'),
      'error processing PVC default/c: PV v is not bound to this claim',
    ],
    ['of a kind that nobody here mounts', () => bound({ nfs: { server: 's', path: '/' } }), 'no volume plugin matched'],
  ])('%s is not mounted', async (_, prepare, message) => {
    await prepare();
    await expect(setUp()).rejects.toThrow(message);
  });

  it('is remembered while the API server is away', async () => {
    await bound({ hostPath: { path: root } });
    const away = {
      ...api.client,
      get: () => Promise.reject(new ConnectionError('connection refused')),
    } as KubeClient;
    await expect(setUp(away)).rejects.toThrow('connection refused');
    await setUp();
    expect(await setUp(away)).toEqual({ path: root, problem: 'connection refused' });
  });
});
