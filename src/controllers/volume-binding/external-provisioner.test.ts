/** Claims of CSI drivers, from the scheduler to the reclaimed volume; the driver's provisioner is played by the test. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startWorkloads, type WorkloadCluster } from '../../../test/support/workload-cluster.ts';
import {
  CSI_DRIVERS,
  CSI_NODES,
  CSI_STORAGE_CAPACITIES,
  CUSTOM_RESOURCE_DEFINITIONS,
  EVENTS,
  isDeleting,
  nameOf,
  namespaceOf,
  NODES,
  PERSISTENT_VOLUME_CLAIMS,
  PERSISTENT_VOLUMES,
  type PersistentVolumeClaim,
  type Pod,
  PODS,
  PROVISIONED_BY,
  SELECTED_NODE,
  STORAGE_CLASSES,
  type StorageClass,
  uidOf,
  VOLUME_ATTACHMENTS,
  type Volume,
} from '../../api/index.ts';
import { createMetrics, seededRandom, silentLogger } from '../../lib/index.ts';
import { runScheduler } from '../../scheduler/index.ts';
import { ephemeralVolumeController } from '../ephemeral-volumes/ephemeral-volume-controller.ts';
import { volumeBindingController } from './volume-binding-controller.ts';
import { volumeProtectionController } from './volume-protection-controller.ts';

const DRIVER = 'disk.example.com';
const FINALIZER = 'external-provisioner.volume.kubernetes.io/finalizer';
const ZONE = 'topology.disk.example.com/zone';

/** What an external provisioner does, a step at a time. */
class Provisioner {
  /** Nodes where the driver has no room. */
  readonly full = new Set<string>();
  /** Volume → the source of its data. */
  readonly made = new Map<string, unknown>();
  readonly #cluster: WorkloadCluster;

  constructor(cluster: WorkloadCluster) {
    this.#cluster = cluster;
  }

  async step(): Promise<void> {
    const { client } = this.#cluster;
    for (const claim of (await client.list(PERSISTENT_VOLUME_CLAIMS)).items) await this.#provision(claim);
    for (const volume of (await client.list(PERSISTENT_VOLUMES)).items) {
      const { persistentVolumeReclaimPolicy } = volume.spec ?? {};
      if (volume.status?.phase !== 'Released' || persistentVolumeReclaimPolicy !== 'Delete') continue;
      this.made.delete(nameOf(volume));
      if (!isDeleting(volume)) {
        await client.delete(PERSISTENT_VOLUMES, undefined, nameOf(volume));
        continue;
      }
      const finalizers = (volume.metadata?.finalizers ?? []).filter((name) => name !== FINALIZER);
      const patch = { metadata: { finalizers, resourceVersion: volume.metadata?.resourceVersion } };
      await client.patch(PERSISTENT_VOLUMES, undefined, nameOf(volume), 'merge', patch);
    }
  }

  async #provision(claim: PersistentVolumeClaim): Promise<void> {
    const { client } = this.#cluster;
    const { annotations = {} } = claim.metadata ?? {};
    const isAsked = annotations['volume.kubernetes.io/storage-provisioner'] === DRIVER;
    if (!isAsked || claim.spec?.volumeName !== undefined || isDeleting(claim)) return;
    const storageClass = await client.get(STORAGE_CLASSES, undefined, claim.spec?.storageClassName ?? '');
    const node = annotations[SELECTED_NODE];
    if (storageClass.volumeBindingMode === 'WaitForFirstConsumer' && node === undefined) return;
    if (node !== undefined && this.full.has(node)) {
      const metadata = { annotations: { [SELECTED_NODE]: null } };
      await client.patch(PERSISTENT_VOLUME_CLAIMS, namespaceOf(claim), nameOf(claim), 'merge', { metadata });
      return;
    }
    const name = `pvc-${uidOf(claim)}`;
    if (this.made.has(name)) return;
    this.made.set(name, claim.spec?.dataSource);
    const zone = node === undefined ? 'east' : (await client.get(NODES, undefined, node)).metadata?.labels?.[ZONE];
    const matchExpressions = [{ key: ZONE, operator: 'In', values: [zone ?? ''] }];
    await client.create(PERSISTENT_VOLUMES, {
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: { name, annotations: { [PROVISIONED_BY]: DRIVER }, finalizers: [FINALIZER] },
      spec: {
        accessModes: claim.spec?.accessModes ?? [],
        capacity: { storage: claim.spec?.resources?.requests?.['storage'] ?? '' },
        claimRef: {
          apiVersion: 'v1',
          kind: 'PersistentVolumeClaim',
          namespace: namespaceOf(claim),
          name: nameOf(claim),
          uid: uidOf(claim),
        },
        csi: { driver: DRIVER, volumeHandle: name },
        nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions }] } },
        persistentVolumeReclaimPolicy: storageClass.reclaimPolicy ?? 'Delete',
        storageClassName: nameOf(storageClass),
      },
    });
  }
}

let cluster: WorkloadCluster;
let provisioner: Provisioner;
let stopScheduler: () => Promise<void>;

beforeEach(async () => {
  cluster = await startWorkloads((setup) => [
    volumeBindingController({ ...setup, events: setup.events('persistentvolume-controller') }),
    volumeProtectionController(setup.informers, setup.client),
    ephemeralVolumeController(setup.informers, setup.events('ephemeral_volume')),
  ]);
  const { client, clock } = cluster;
  const stop = new AbortController();
  const options = { client, clock, random: seededRandom(1), logger: silentLogger, metrics: createMetrics() };
  const running = runScheduler(options, stop.signal);
  stopScheduler = async () => {
    stop.abort(new Error('enough'));
    await running;
  };
  provisioner = new Provisioner(cluster);
  await client.create(NODES, { apiVersion: 'v1', kind: 'Node', metadata: { name: 'node2' } });
  for (const [name, zone] of [
    ['node1', 'west'],
    ['node2', 'east'],
  ] as const) {
    await client.patch(NODES, undefined, name, 'merge', { metadata: { labels: { [ZONE]: zone } } });
    const status = { allocatable: { cpu: '4', memory: '4Gi', pods: '110' } };
    await client.patch(NODES, undefined, name, 'merge', { status }, 'status');
  }
  await createClass('disk', { volumeBindingMode: 'WaitForFirstConsumer' });
});
afterEach(async () => {
  await stopScheduler();
  await cluster.stop();
});

async function createClass(name: string, more: Partial<StorageClass> = {}): Promise<void> {
  const kind = { apiVersion: 'storage.k8s.io/v1', kind: 'StorageClass' };
  await cluster.client.create(STORAGE_CLASSES, { ...kind, metadata: { name }, provisioner: DRIVER, ...more });
}

async function createClaim(name: string, more: PersistentVolumeClaim['spec'] = {}): Promise<void> {
  await cluster.client.create(PERSISTENT_VOLUME_CLAIMS, {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { namespace: 'team', name },
    spec: {
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage: '1Gi' } },
      storageClassName: 'disk',
      ...more,
    },
  });
}

async function createPod(name: string, ...volumes: readonly Volume[]): Promise<Pod> {
  return cluster.client.create(PODS, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { namespace: 'team', name },
    spec: { containers: [{ name: 'c', image: 'x' }], volumes: [...volumes] },
  });
}

const ofClaim = (claimName: string): Volume => ({ name: claimName, persistentVolumeClaim: { claimName } });

async function turns(count = 4): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) {
    await cluster.rest();
    await provisioner.step();
  }
  await cluster.rest();
}

async function nodeOf(pod: string): Promise<string | undefined> {
  return (await cluster.client.get(PODS, 'team', pod)).spec?.nodeName;
}

async function messagesOf(name: string): Promise<string> {
  const { items } = await cluster.client.list(EVENTS, { namespace: 'team' });
  return items
    .filter(({ involvedObject }) => involvedObject.name === name)
    .map(({ reason, message }) => `${reason} ${message}`)
    .join('\n');
}

describe('a volume of an external provisioner', () => {
  it('is made where the pod goes, elsewhere when there is no room, and reclaimed after claim and pod', async () => {
    const { client, clock } = cluster;
    provisioner.full.add('node1');
    provisioner.full.add('node2');
    await createClaim('data');
    await createPod('user', ofClaim('data'));
    await turns();
    expect(await nodeOf('user')).toBeUndefined();
    expect(await messagesOf('data')).toContain(`ExternalProvisioning Waiting for a volume to be created either by`);
    provisioner.full.delete('node2');
    await clock.advance(80_000);
    await turns();
    await clock.advance(10_000);
    await turns();
    expect(await nodeOf('user')).toBe('node2');
    const claim = await client.get(PERSISTENT_VOLUME_CLAIMS, 'team', 'data');
    expect(claim.status?.phase).toBe('Bound');
    expect(claim.metadata?.annotations).toMatchObject({
      [SELECTED_NODE]: 'node2',
      'pv.kubernetes.io/bind-completed': 'yes',
      'pv.kubernetes.io/bound-by-controller': 'yes',
      'volume.beta.kubernetes.io/storage-provisioner': DRIVER,
      'volume.kubernetes.io/storage-provisioner': DRIVER,
    });
    // The claim stays while the pod has it, and the volume while the claim has it.
    await client.delete(PERSISTENT_VOLUME_CLAIMS, 'team', 'data');
    await turns();
    expect(provisioner.made.size).toBe(1);
    await client.delete(PODS, 'team', 'user', { gracePeriodSeconds: 0 });
    await turns();
    expect(provisioner.made.size).toBe(0);
    expect((await client.list(PERSISTENT_VOLUMES)).items).toEqual([]);
    expect((await client.list(PERSISTENT_VOLUME_CLAIMS)).items).toEqual([]);
  });

  it('of an immediate class comes before the pod, which goes to its zone; with Retain it stays', async () => {
    const { client } = cluster;
    await createClass('now', { reclaimPolicy: 'Retain' });
    await createClaim('data', { storageClassName: 'now' });
    await turns();
    expect((await client.get(PERSISTENT_VOLUME_CLAIMS, 'team', 'data')).status?.phase).toBe('Bound');
    await createPod('user', ofClaim('data'));
    await turns();
    expect(await nodeOf('user')).toBe('node2');
    await client.delete(PODS, 'team', 'user', { gracePeriodSeconds: 0 });
    await client.delete(PERSISTENT_VOLUME_CLAIMS, 'team', 'data');
    await turns();
    const [volume] = (await client.list(PERSISTENT_VOLUMES)).items;
    expect([volume?.status?.phase, volume?.metadata?.finalizers]).toEqual([
      'Released',
      expect.arrayContaining([FINALIZER]),
    ]);
  });

  it('that is deleted before its claim waits for the claim, and then for its provisioner', async () => {
    const { client } = cluster;
    await createClass('now');
    await createClaim('data', { storageClassName: 'now' });
    await turns();
    const name = (await client.get(PERSISTENT_VOLUME_CLAIMS, 'team', 'data')).spec?.volumeName ?? '';
    await client.delete(PERSISTENT_VOLUMES, undefined, name);
    await turns();
    expect((await client.get(PERSISTENT_VOLUMES, undefined, name)).status?.phase).toBe('Bound');
    await client.delete(PERSISTENT_VOLUME_CLAIMS, 'team', 'data');
    await cluster.rest();
    expect((await client.get(PERSISTENT_VOLUMES, undefined, name)).metadata?.finalizers).toEqual([FINALIZER]);
    await turns();
    expect((await client.list(PERSISTENT_VOLUMES)).items).toEqual([]);
  });
});

describe('a pod that waits for a driver', () => {
  it('goes on when the driver has room', async () => {
    const { client, clock } = cluster;
    const kind = { apiVersion: 'storage.k8s.io/v1', kind: 'CSIDriver' };
    await client.create(CSI_DRIVERS, { ...kind, metadata: { name: DRIVER }, spec: { storageCapacity: true } });
    await createClaim('data');
    await createPod('user', ofClaim('data'));
    await turns(2);
    expect(await messagesOf('user')).toContain('2 node(s) did not have enough free storage');
    await client.create(CSI_STORAGE_CAPACITIES, {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'CSIStorageCapacity',
      metadata: { namespace: 'team', name: 'east' },
      storageClassName: 'disk',
      nodeTopology: { matchLabels: { [ZONE]: 'east' } },
      capacity: '5Gi',
    });
    await clock.advance(1000);
    await turns();
    expect(await nodeOf('user')).toBe('node2');
  });

  it('goes on when a volume of the node is detached', async () => {
    const { client, clock } = cluster;
    const kinds = { apiVersion: 'storage.k8s.io/v1' };
    for (const [name, count] of [
      ['node1', 0],
      ['node2', 1],
    ] as const) {
      const drivers = [{ name: DRIVER, nodeID: name, allocatable: { count } }];
      await client.create(CSI_NODES, { ...kinds, kind: 'CSINode', metadata: { name }, spec: { drivers } });
    }
    await createClaim('one');
    await createPod('first', ofClaim('one'));
    await turns();
    expect(await nodeOf('first')).toBe('node2');
    const persistentVolumeName = (await client.get(PERSISTENT_VOLUME_CLAIMS, 'team', 'one')).spec?.volumeName ?? '';
    await client.create(VOLUME_ATTACHMENTS, {
      ...kinds,
      kind: 'VolumeAttachment',
      metadata: { name: 'a' },
      spec: { attacher: DRIVER, nodeName: 'node2', source: { persistentVolumeName } },
    });
    await createClaim('two');
    await createPod('second', ofClaim('two'));
    await turns(2);
    expect(await messagesOf('second')).toContain('2 node(s) exceed max volume count');
    await client.delete(PODS, 'team', 'first', { gracePeriodSeconds: 0 });
    await clock.advance(11_000);
    await turns(2);
    // Its pod is gone, and the volume is still attached.
    expect(await nodeOf('second')).toBeUndefined();
    await client.delete(VOLUME_ATTACHMENTS, undefined, 'a');
    await clock.advance(11_000);
    await turns();
    expect(await nodeOf('second')).toBe('node2');
  });
});

it('an ephemeral volume of a driver is a claim of its pod', async () => {
  const { client } = cluster;
  const spec = {
    accessModes: ['ReadWriteOnce'],
    resources: { requests: { storage: '1Gi' } },
    storageClassName: 'disk',
  };
  const pod = await createPod('user', { name: 'tmp', ephemeral: { volumeClaimTemplate: { spec } } });
  await turns();
  expect(['node1', 'node2']).toContain(await nodeOf('user'));
  const claim = await client.get(PERSISTENT_VOLUME_CLAIMS, 'team', 'user-tmp');
  expect(claim.metadata?.ownerReferences).toEqual([expect.objectContaining({ uid: uidOf(pod), controller: true })]);
  expect([claim.status?.phase, provisioner.made.size]).toEqual(['Bound', 1]);
});

it('a snapshot is a custom resource, and a claim of it comes to the provisioner as it is', async () => {
  const { client } = cluster;
  const group = 'snapshot.storage.k8s.io';
  const row = { group, version: 'v1', resource: 'volumesnapshots', kind: 'VolumeSnapshot', namespaced: true };
  const open = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  const openAPIV3Schema = { type: 'object', properties: { spec: open, status: open } };
  await client.create(CUSTOM_RESOURCE_DEFINITIONS, {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: {
      name: `volumesnapshots.${group}`,
      annotations: { 'api-approved.kubernetes.io': 'https://github.com/kubernetes-csi/external-snapshotter/pull/814' },
    },
    spec: {
      group,
      scope: 'Namespaced',
      names: { kind: row.kind, plural: row.resource, singular: 'volumesnapshot', shortNames: ['vs'] },
      versions: [
        { name: 'v1', served: true, storage: true, subresources: { status: {} }, schema: { openAPIV3Schema } },
      ],
    },
  });
  await cluster.rest();
  await createClaim('data');
  const source = { persistentVolumeClaimName: 'data' };
  const path = `/apis/${group}/v1/namespaces/team/volumesnapshots`;
  const snapshot = { apiVersion: `${group}/v1`, kind: row.kind, metadata: { name: 's' }, spec: { source } };
  const made = await cluster.connection.request({
    method: 'POST',
    url: path,
    headers: { 'content-type': 'application/json' },
    body: new TextEncoder().encode(JSON.stringify(snapshot)),
  });
  expect(made.status).toBe(201);
  const dataSource = { apiGroup: group, kind: row.kind, name: 's' };
  await createClaim('copy', { dataSource });
  await createPod('user', ofClaim('copy'));
  await turns();
  expect(['node1', 'node2']).toContain(await nodeOf('user'));
  const copy = await client.get(PERSISTENT_VOLUME_CLAIMS, 'team', 'copy');
  expect(copy.spec).toMatchObject({ dataSource, dataSourceRef: dataSource });
  expect([...provisioner.made.values()]).toEqual([dataSource]);
});
