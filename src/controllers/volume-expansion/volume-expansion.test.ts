import { describe, expect, it } from 'vitest';
import { startWorkloads, type WorkloadCluster } from '../../../test/support/workload-cluster.ts';
import {
  EVENTS,
  PERSISTENT_VOLUME_CLAIMS,
  PERSISTENT_VOLUMES,
  type PersistentVolume,
  type PersistentVolumeClaim,
  STORAGE_CLASSES,
} from '../../api/index.ts';
import { volumeBindingController } from '../volume-binding/volume-binding-controller.ts';
import { planExpansion } from './plan-expansion.ts';
import { volumeExpansionController } from './volume-expansion-controller.ts';

describe('a claim that asks for more', () => {
  const claim = (storage: string, capacity?: string, more: object = {}): PersistentVolumeClaim => ({
    metadata: { uid: 'u', ...more },
    spec: { volumeName: 'v', resources: { requests: { storage } } },
    status: { phase: 'Bound', ...(capacity === undefined ? {} : { capacity: { storage: capacity } }) },
  });
  const volume = (uid = 'u'): PersistentVolume => ({ metadata: { name: 'v' }, spec: { claimRef: { uid } } });
  it.each<readonly [string, PersistentVolumeClaim, PersistentVolume | undefined, boolean]>([
    ['than it has', claim('2Gi', '1Gi'), volume(), true],
    ['than it asked for, and has', claim('2Gi', '9Gi'), volume(), false],
    ['written otherwise', claim('1024Mi', '1Gi'), volume(), false],
    ['of a volume that is gone', claim('2Gi', '1Gi'), undefined, false],
    ["of another's volume", claim('2Gi', '1Gi'), volume('other'), false],
    ['and is being deleted', claim('2Gi', '1Gi', { deletionTimestamp: '2026-01-01T00:00:00Z' }), volume(), false],
  ])('%s', (_, asking, having, isTold) => {
    expect(planExpansion(asking, having)?.reason).toBe(isTold ? 'ExternalExpanding' : undefined);
  });
});

describe('an expansion', () => {
  const said = async ({ client }: WorkloadCluster): Promise<string[]> => {
    const { items } = await client.list(EVENTS, { namespace: 'team' });
    return items.filter(({ reason }) => reason === 'ExternalExpanding').map(({ count }) => String(count));
  };

  it('is told once, and the claim has the room when its resizer and its node say so', async () => {
    const cluster = await startWorkloads((setup) => [
      volumeBindingController({ ...setup, events: setup.events('persistentvolume-controller') }),
      volumeExpansionController(setup.informers, setup.events('volume_expand')),
    ]);
    const { client } = cluster;
    const attributes = { volumeAttributesClassName: 'gold' };
    const shared = { accessModes: ['ReadWriteOnce'], storageClassName: 'disk', ...attributes };
    await client.create(STORAGE_CLASSES, {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'StorageClass',
      metadata: { name: 'disk' },
      provisioner: 'disk.example.com',
      allowVolumeExpansion: true,
    });
    await client.create(PERSISTENT_VOLUMES, {
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: { name: 'v' },
      spec: {
        ...shared,
        capacity: { storage: '1Gi' },
        csi: { driver: 'disk.example.com', volumeHandle: 'h' },
      },
    });
    await client.create(PERSISTENT_VOLUME_CLAIMS, {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { namespace: 'team', name: 'c' },
      spec: { ...shared, resources: { requests: { storage: '1Gi' } } },
    });
    await cluster.rest();
    const claim = () => client.get(PERSISTENT_VOLUME_CLAIMS, 'team', 'c');
    expect((await claim()).status).toEqual({
      phase: 'Bound',
      accessModes: ['ReadWriteOnce'],
      capacity: { storage: '1Gi' },
      currentVolumeAttributesClassName: 'gold',
    });
    expect(await said(cluster)).toEqual([]);
    await client.patch(PERSISTENT_VOLUME_CLAIMS, 'team', 'c', 'merge', {
      spec: { resources: { requests: { storage: '2Gi' } } },
    });
    await cluster.rest();
    expect(await said(cluster)).toEqual(['1']);
    // The resizer has grown the volume; the file system on the node has still its old size.
    await client.patch(PERSISTENT_VOLUMES, undefined, 'v', 'merge', { spec: { capacity: { storage: '2Gi' } } });
    const conditions = [{ type: 'FileSystemResizePending', status: 'True' }];
    await client.patch(PERSISTENT_VOLUME_CLAIMS, 'team', 'c', 'strategic', { status: { conditions } }, 'status');
    await cluster.rest();
    expect((await claim()).status).toMatchObject({ capacity: { storage: '1Gi' }, conditions });
    expect(await said(cluster)).toEqual(['1']);
    await cluster.stop();
  });
});
