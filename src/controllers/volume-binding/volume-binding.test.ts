import { describe, expect, it } from 'vitest';
import { startWorkloads, type WorkloadCluster } from '../../../test/support/workload-cluster.ts';
import {
  EVENTS,
  isNotFound,
  NODES,
  PERSISTENT_VOLUME_CLAIMS,
  PERSISTENT_VOLUMES,
  type PersistentVolume,
  type PersistentVolumeClaim,
  type PersistentVolumeClaimSpec,
  type PersistentVolumeSpec,
  PODS,
  STORAGE_CLASSES,
} from '../../api/index.ts';
import { bestVolume, misfitOf } from './match-volume.ts';
import { planClaim } from './plan-claim.ts';
import { planVolume } from './plan-volume.ts';
import { volumeBindingController } from './volume-binding-controller.ts';
import { volumeProtectionController } from './volume-protection-controller.ts';

function volume(name: string, spec: Partial<PersistentVolumeSpec> = {}): PersistentVolume {
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name },
    spec: {
      accessModes: ['ReadWriteOnce'],
      capacity: { storage: '1Gi' },
      hostPath: { path: `/data/${name}` },
      ...spec,
    },
  };
}

function claim(name: string, spec: Partial<PersistentVolumeClaimSpec> = {}): PersistentVolumeClaim {
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { namespace: 'team', name },
    spec: {
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage: '1Gi' } },
      storageClassName: '',
      ...spec,
    },
  };
}

describe('a volume', () => {
  it.each<[string, Partial<PersistentVolumeSpec>, Partial<PersistentVolumeClaimSpec>, string | undefined]>([
    ['suits', {}, {}, undefined],
    ['is too small', { capacity: { storage: '1Mi' } }, {}, 'requested PV is too small'],
    ['is of another class', { storageClassName: 'fast' }, {}, 'storageClassName does not match'],
    ['is a device', { volumeMode: 'Block' }, {}, 'incompatible volumeMode'],
    ['has other attributes', {}, { volumeAttributesClassName: 'gold' }, 'volumeAttributesClassName does not match'],
    ['is for one at a time', {}, { accessModes: ['ReadWriteMany'] }, 'incompatible accessMode'],
  ])('%s', (_, given, asked, expected) => {
    expect(misfitOf(claim('c', asked), volume('v', given))).toBe(expected);
  });

  it('is the smallest that suits, and nobody else’s', () => {
    const all = () => true;
    const given = { namespace: 'team', name: 'c' };
    const big = volume('big', { capacity: { storage: '9Gi' } });
    const small = volume('small', { capacity: { storage: '2Gi' } });
    const taken = volume('taken', { claimRef: { namespace: 'team', name: 'other', uid: 'x' } });
    expect(bestVolume(claim('c'), [big, small, taken], all)).toBe(small);
    const kept = volume('kept', { capacity: { storage: '20Gi' }, claimRef: given });
    expect(bestVolume(claim('c'), [big, small, kept], all)).toBe(kept);
    expect(bestVolume(claim('c'), [big, small], () => false)).toBeUndefined();
    const labelled = { ...big, metadata: { name: 'big', labels: { disk: 'ssd' } } };
    const asked = claim('c', { selector: { matchLabels: { disk: 'ssd' } } });
    expect(bestVolume(asked, [labelled, small], all)).toBe(labelled);
    // Nobody says that what the snapshot holds is on it.
    const copy = claim('c', { dataSource: { apiGroup: 'snapshot.storage.k8s.io', kind: 'VolumeSnapshot', name: 's' } });
    expect(bestVolume(copy, [big, small], all)).toBeUndefined();
    expect(bestVolume(copy, [big, kept], all)).toBe(kept);
  });
});

async function start(): Promise<WorkloadCluster> {
  return startWorkloads((setup) => [
    volumeBindingController({ ...setup, events: setup.events('persistentvolume-controller') }),
    volumeProtectionController(setup.informers, setup.client),
  ]);
}

async function phases(cluster: WorkloadCluster): Promise<string[]> {
  const { client } = cluster;
  await cluster.rest();
  const volumes = (await client.list(PERSISTENT_VOLUMES)).items;
  const claims = (await client.list(PERSISTENT_VOLUME_CLAIMS, { namespace: 'team' })).items;
  return [...volumes, ...claims].map(({ metadata, status }) => `${metadata?.name} ${status?.phase}`);
}

async function said(cluster: WorkloadCluster): Promise<string[]> {
  await cluster.rest();
  return (await cluster.client.list(EVENTS)).items.map(({ reason, message }) => `${reason} ${message}`);
}

function user(name: string, claimName: string) {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { namespace: 'team', name },
    spec: {
      containers: [{ name: 'c', image: 'x' }],
      volumes: [{ name: 'v', persistentVolumeClaim: { claimName } }],
    },
  };
}

describe('binding', () => {
  it('waits for a volume, takes it, and leaves it released with what is on it', async () => {
    const cluster = await start();
    const { client } = cluster;
    await client.create(PERSISTENT_VOLUME_CLAIMS, claim('c'));
    expect(await phases(cluster)).toEqual(['c Pending']);
    expect(await said(cluster)).toContain(
      'FailedBinding no persistent volumes available for this claim and no storage class is set',
    );
    await client.create(PERSISTENT_VOLUMES, volume('v', { capacity: { storage: '5Gi' } }));
    expect(await phases(cluster)).toEqual(['v Bound', 'c Bound']);
    const bound = await client.get(PERSISTENT_VOLUME_CLAIMS, 'team', 'c');
    expect(bound).toMatchObject({
      metadata: { annotations: { 'pv.kubernetes.io/bind-completed': 'yes' } },
      spec: { volumeName: 'v' },
      status: { phase: 'Bound', capacity: { storage: '5Gi' }, accessModes: ['ReadWriteOnce'] },
    });
    await client.delete(PERSISTENT_VOLUME_CLAIMS, 'team', 'c');
    expect(await phases(cluster)).toEqual(['v Released']);
    // What is on it is the old claim's: a new one of that name does not get it.
    await client.create(PERSISTENT_VOLUME_CLAIMS, claim('c'));
    expect(await phases(cluster)).toEqual(['v Released', 'c Pending']);
    await client.patch(PERSISTENT_VOLUMES, undefined, 'v', 'merge', { spec: { claimRef: null } });
    expect(await phases(cluster)).toEqual(['v Bound', 'c Bound']);
    await cluster.stop();
  });

  it('gives each claim a volume of its own', async () => {
    const cluster = await start();
    for (const name of ['v1', 'v2', 'v3']) await cluster.client.create(PERSISTENT_VOLUMES, volume(name));
    await Promise.all(['a', 'b', 'c', 'd'].map((name) => cluster.client.create(PERSISTENT_VOLUME_CLAIMS, claim(name))));
    for (let turn = 0; turn < 20; turn += 1) {
      await cluster.rest();
      await cluster.clock.advance(1000);
    }
    const { items } = await cluster.client.list(PERSISTENT_VOLUME_CLAIMS, { namespace: 'team' });
    const bound = items.flatMap(({ spec }) => spec?.volumeName ?? []);
    expect(bound.toSorted()).toEqual(['v1', 'v2', 'v3']);
    await cluster.stop();
  });

  it('heeds what was decided beforehand, on both sides', async () => {
    const cluster = await start();
    const { client } = cluster;
    await client.create(PERSISTENT_VOLUMES, volume('for-b', { claimRef: { namespace: 'team', name: 'b' } }));
    await client.create(PERSISTENT_VOLUME_CLAIMS, claim('a', { volumeName: 'for-b' }));
    await client.create(PERSISTENT_VOLUME_CLAIMS, claim('b'));
    await client.create(PERSISTENT_VOLUMES, volume('small', { capacity: { storage: '1Mi' } }));
    await client.create(PERSISTENT_VOLUME_CLAIMS, claim('c', { volumeName: 'small' }));
    expect(await phases(cluster)).toEqual(['for-b Bound', 'small Available', 'a Pending', 'b Bound', 'c Pending']);
    const told = await said(cluster);
    expect(told).toContain('FailedBinding volume "for-b" already bound to a different claim.');
    expect(told).toContain('VolumeMismatch Cannot bind to requested volume "small": requested PV is too small');
    await cluster.stop();
  });

  it('with WaitForFirstConsumer takes a volume that its pod can reach', async () => {
    const cluster = await start();
    const { client } = cluster;
    await client.create(NODES, {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name: 'node2', labels: { disk: 'ssd' } },
    });
    const waiting = { apiVersion: 'storage.k8s.io/v1', kind: 'StorageClass', metadata: { name: 'local' } };
    const provisioner = 'kubernetes.io/no-provisioner';
    await client.create(STORAGE_CLASSES, { ...waiting, provisioner, volumeBindingMode: 'WaitForFirstConsumer' });
    const on = (name: string) => ({
      storageClassName: 'local',
      nodeAffinity: {
        required: {
          nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: [name] }] }],
        },
      },
    });
    await client.create(PERSISTENT_VOLUMES, volume('on-node1', on('node1')));
    await client.create(PERSISTENT_VOLUMES, volume('on-node2', on('node2')));
    await client.create(PERSISTENT_VOLUME_CLAIMS, claim('c', { storageClassName: 'local' }));
    expect(await said(cluster)).toContain(
      'WaitForFirstConsumer waiting for first consumer to be created before binding',
    );
    const pod = user('p', 'c');
    await client.create(PODS, { ...pod, spec: { ...pod.spec, nodeSelector: { disk: 'ssd' } } });
    expect(await phases(cluster)).toEqual(['on-node1 Available', 'on-node2 Bound', 'c Bound']);
    await cluster.stop();
  });

  it('gives claims without a class the default one', async () => {
    const cluster = await start();
    const { client } = cluster;
    const { storageClassName: _, ...spec } = claim('c').spec ?? {};
    await client.create(PERSISTENT_VOLUME_CLAIMS, { ...claim('c'), spec });
    await cluster.rest();
    const annotations = { 'storageclass.kubernetes.io/is-default-class': 'true' };
    const metadata = { name: 'fast', annotations };
    const provisioner = 'example.com/none';
    await client.create(STORAGE_CLASSES, {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'StorageClass',
      metadata,
      provisioner,
    });
    await cluster.rest();
    expect((await client.get(PERSISTENT_VOLUME_CLAIMS, 'team', 'c')).spec?.storageClassName).toBe('fast');
    expect((await said(cluster)).join()).toContain("external provisioner 'example.com/none'");
    await cluster.stop();
  });

  it('says when a bound claim has lost its volume', async () => {
    const cluster = await start();
    const { client } = cluster;
    await client.create(PERSISTENT_VOLUMES, volume('v'));
    await client.create(PERSISTENT_VOLUME_CLAIMS, claim('c'));
    await cluster.rest();
    await client.delete(PERSISTENT_VOLUMES, undefined, 'v');
    // Bound volumes are protected; somebody insists.
    expect(await phases(cluster)).toEqual(['v Bound', 'c Bound']);
    await client.patch(PERSISTENT_VOLUMES, undefined, 'v', 'merge', { metadata: { finalizers: null } });
    expect(await phases(cluster)).toEqual(['c Lost']);
    expect(await said(cluster)).toContain(
      'ClaimLost Bound claim has lost its PersistentVolume. Data on the volume is lost!',
    );
    await cluster.stop();
  });

  it('deletes nothing that it cannot delete', async () => {
    const cluster = await start();
    const { client } = cluster;
    await client.create(PERSISTENT_VOLUMES, volume('v', { persistentVolumeReclaimPolicy: 'Delete' }));
    await client.create(PERSISTENT_VOLUME_CLAIMS, claim('c'));
    await cluster.rest();
    await client.delete(PERSISTENT_VOLUME_CLAIMS, 'team', 'c');
    expect(await phases(cluster)).toEqual(['v Failed']);
    await client.delete(PERSISTENT_VOLUMES, undefined, 'v');
    expect(await phases(cluster)).toEqual([]);
    await cluster.stop();
  });
});

it('a claim stays while a pod uses it', async () => {
  const cluster = await start();
  const { client } = cluster;
  await client.create(PERSISTENT_VOLUME_CLAIMS, claim('c'));
  await client.create(PODS, user('p', 'c'));
  await cluster.runPods();
  await client.delete(PERSISTENT_VOLUME_CLAIMS, 'team', 'c');
  await cluster.rest();
  const held = await client.get(PERSISTENT_VOLUME_CLAIMS, 'team', 'c');
  expect(held.metadata).toMatchObject({ finalizers: ['kubernetes.io/pvc-protection'] });
  await client.delete(PODS, 'team', 'p', { gracePeriodSeconds: 0 });
  await cluster.rest();
  await expect(client.get(PERSISTENT_VOLUME_CLAIMS, 'team', 'c')).rejects.toSatisfy(isNotFound);
  await cluster.stop();
});

it('a claim does not stay for a pod that has no node: each would wait for the other', async () => {
  const cluster = await start();
  const { client } = cluster;
  await client.create(PERSISTENT_VOLUME_CLAIMS, claim('c'));
  await client.create(PODS, user('p', 'c'));
  await client.delete(PERSISTENT_VOLUME_CLAIMS, 'team', 'c');
  await cluster.rest();
  await expect(client.get(PERSISTENT_VOLUME_CLAIMS, 'team', 'c')).rejects.toSatisfy(isNotFound);
  await cluster.stop();
});

describe('a claim of a class with a provisioner', () => {
  const selected = { 'volume.kubernetes.io/selected-node': 'node1' };
  const provisioner = 'example.com/disks';
  const storageClass = (volumeBindingMode: string) => ({ metadata: { name: 'made' }, provisioner, volumeBindingMode });
  it.each<[string, string, Record<string, string>, readonly string[], string, boolean]>([
    ['without a pod', 'WaitForFirstConsumer', {}, [], 'waiting for first consumer to be created before binding', false],
    ['with a pod', 'WaitForFirstConsumer', {}, ['a'], 'waiting for pod a to be scheduled', false],
    [
      'with many pods',
      'WaitForFirstConsumer',
      {},
      ['a', 'b', 'c', 'd'],
      'waiting for pods a,b,c,... to be scheduled',
      false,
    ],
    ['with a node', 'WaitForFirstConsumer', selected, [], "external provisioner 'example.com/disks'", true],
    ['at once', 'Immediate', {}, [], "external provisioner 'example.com/disks'", true],
  ])('%s', (_, mode, annotations, awaitedBy, message, isAsked) => {
    const asking = claim('c', { storageClassName: 'made' });
    const view = { volumes: [volume('v', { storageClassName: 'made' })], classes: [storageClass(mode)], awaitedBy };
    const free = mode === 'Immediate' ? { ...view, volumes: [] } : view;
    const plan = planClaim({
      ...free,
      claim: { ...asking, metadata: { ...asking.metadata, annotations } },
      reaches: () => true,
    });
    expect(plan.note?.message).toContain(message);
    expect(JSON.stringify(plan.operations).includes('volume.kubernetes.io/storage-provisioner')).toBe(isAsked);
  });
});

it.each<[string, PersistentVolume['spec'], string]>([
  ['that was made for it is released', { persistentVolumeReclaimPolicy: 'Delete' }, 'Released'],
  ['that was made for it and is kept is released', { persistentVolumeReclaimPolicy: 'Retain' }, 'Released'],
])('a volume %s when its claim is gone', (_, spec, phase) => {
  const given = volume('v', { ...spec, claimRef: { namespace: 'team', name: 'c', uid: 'u' } });
  const made = { ...given, metadata: { name: 'v', annotations: { 'pv.kubernetes.io/provisioned-by': 'x' } } };
  const { operations, note } = planVolume(made, undefined);
  expect(operations).toMatchObject([{ patch: { status: { phase } } }]);
  expect(note).toBeUndefined();
});
