import { expect, it } from 'vitest';
import { startWorkloads } from '../../../test/support/workload-cluster.ts';
import {
  EVENTS,
  type PersistentVolumeClaim,
  PERSISTENT_VOLUME_CLAIMS,
  type Pod,
  PODS,
  uidOf,
} from '../../api/index.ts';
import { ephemeralVolumeController } from './ephemeral-volume-controller.ts';

const SPEC = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, storageClassName: 'fast' };

function pod(name: string): Pod {
  const volumeClaimTemplate = { metadata: { labels: { tier: 'cache' }, annotations: { note: 'x' } }, spec: SPEC };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { namespace: 'team', name },
    spec: {
      containers: [{ name: 'c', image: 'x' }],
      volumes: [
        { name: 'scratch', ephemeral: { volumeClaimTemplate } },
        { name: 'plain', emptyDir: {} },
      ],
    },
  };
}

it('a generic ephemeral volume has a claim, which the pod owns', async () => {
  const cluster = await startWorkloads(({ informers, events }) => [
    ephemeralVolumeController(informers, events('ephemeral_volume')),
  ]);
  const { client } = cluster;
  const made = await client.create(PODS, pod('p'));
  await cluster.rest();
  const { items } = await client.list(PERSISTENT_VOLUME_CLAIMS, { namespace: 'team' });
  expect(items).toMatchObject([
    {
      metadata: {
        name: 'p-scratch',
        labels: { tier: 'cache' },
        annotations: { note: 'x' },
        ownerReferences: [
          { apiVersion: 'v1', kind: 'Pod', name: 'p', uid: uidOf(made), controller: true, blockOwnerDeletion: true },
        ],
      },
      spec: SPEC,
    },
  ]);
  // One that somebody deletes while the pod waits is made again.
  const name = 'p-scratch';
  await client.patch(PERSISTENT_VOLUME_CLAIMS, 'team', name, 'merge', { metadata: { finalizers: null } });
  await client.delete(PERSISTENT_VOLUME_CLAIMS, 'team', name);
  await cluster.rest();
  const again = await client.get(PERSISTENT_VOLUME_CLAIMS, 'team', name);
  expect(uidOf(again)).not.toBe(uidOf(items[0] as PersistentVolumeClaim));
  await cluster.stop();
});

it("another's claim of that name is left alone, and said", async () => {
  const cluster = await startWorkloads(({ informers, events }) => [
    ephemeralVolumeController(informers, events('ephemeral_volume')),
  ]);
  const { client } = cluster;
  await client.create(PERSISTENT_VOLUME_CLAIMS, {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { namespace: 'team', name: 'p-scratch' },
    spec: SPEC,
  });
  await client.create(PODS, pod('p'));
  for (let second = 0; second < 5; second += 1) {
    await cluster.rest();
    await cluster.clock.advance(1000);
  }
  const told = (await client.list(EVENTS)).items.map(({ reason, message }) => `${reason} ${message}`);
  expect(told).toContain(
    'FailedBinding ephemeral volume scratch: PVC team/p-scratch was not created for pod team/p (pod is not owner)',
  );
  await cluster.stop();
});
