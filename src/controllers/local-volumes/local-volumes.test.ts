import { describe, expect, it } from 'vitest';
import { startWorkloads, type WorkloadCluster } from '../../../test/support/workload-cluster.ts';
import {
  EVENTS,
  GIVE_UP_ANNOTATION,
  isNotFound,
  LOCAL_PROVISIONER,
  LOCAL_VOLUME_FINALIZER,
  NODES,
  PERSISTENT_VOLUME_CLAIMS,
  PERSISTENT_VOLUMES,
  type PersistentVolume,
  type PersistentVolumeClaim,
  type PersistentVolumeClaimSpec,
  PROVISIONED_BY,
  SELECTED_NODE,
  STORAGE_CLASSES,
  type StorageClass,
  VOLUME_SPACE_ANNOTATION,
} from '../../api/index.ts';
import { silentLogger } from '../../lib/index.ts';
import { LEFT_OVER_VOLUME_GRACE_MS, NODE_VOLUMES_LOOK_MS } from '../limits.ts';
import { volumeBindingController } from '../volume-binding/volume-binding-controller.ts';
import { volumeProtectionController } from '../volume-binding/volume-protection-controller.ts';
import { classController, localClass } from './class-controller.ts';
import { deletionController } from './deletion-controller.ts';
import { whyNoFolder } from './local-volume.ts';
import { FakeNodes } from './local-volumes.testing.ts';
import { lookController } from './look-controller.ts';
import { nodeVolumes } from './node-volumes.ts';
import { planDeletion } from './plan-deletion.ts';
import { provisioningController } from './provisioning-controller.ts';

const CLASS: StorageClass = {
  apiVersion: 'storage.k8s.io/v1',
  kind: 'StorageClass',
  metadata: { name: 'folders' },
  provisioner: LOCAL_PROVISIONER,
  volumeBindingMode: 'WaitForFirstConsumer',
};

function claim(name: string, spec: Partial<PersistentVolumeClaimSpec> = {}): PersistentVolumeClaim {
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { namespace: 'team', name },
    spec: {
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage: '1Gi' } },
      storageClassName: 'folders',
      ...spec,
    },
  };
}

describe('a claim that no folder can be', () => {
  it.each<[string, Partial<PersistentVolumeClaimSpec>, Partial<StorageClass>, string | undefined]>([
    ['can', {}, {}, undefined],
    ['of one pod can', { accessModes: ['ReadWriteOncePod'] }, {}, undefined],
    ['of many nodes', { accessModes: ['ReadWriteMany'] }, {}, 'access mode ReadWriteMany is not supported'],
    ['of many readers', { accessModes: ['ReadWriteOnce', 'ReadOnlyMany'] }, {}, 'access mode ReadOnlyMany'],
    ['of blocks', { volumeMode: 'Block' }, {}, 'block volumes are not supported'],
    ['that selects', { selector: { matchLabels: { a: 'b' } } }, {}, 'claim.spec.selector is not supported'],
    ['with contents', { dataSource: { kind: 'PersistentVolumeClaim', name: 'x' } }, {}, 'dataSource is not supported'],
    ['at once', {}, { volumeBindingMode: 'Immediate' }, 'volumeBindingMode must be WaitForFirstConsumer'],
    ['with options', {}, { mountOptions: ['ro'] }, 'mountOptions are not supported'],
    ['with parameters', {}, { parameters: { path: '/etc' } }, 'unknown parameter "path"'],
  ])('%s', (_, asked, given, expected) => {
    const why = whyNoFolder(claim('c', asked), { ...CLASS, ...given });
    if (expected === undefined) expect(why).toBeUndefined();
    else expect(why).toContain(expected);
  });
});

describe('what becomes of a volume', () => {
  const made = { [PROVISIONED_BY]: LOCAL_PROVISIONER };
  const deletionTimestamp = '2026-01-01T00:00:00Z';
  const held = { finalizers: [LOCAL_VOLUME_FINALIZER], annotations: made };
  const deleting = { ...held, deletionTimestamp };
  it.each<[string, PersistentVolume['metadata'], string, string, string]>([
    ['bound', held, 'Delete', 'Bound', 'keep'],
    ['not bound yet', held, 'Delete', 'Available', 'keep'],
    ['released', held, 'Delete', 'Released', 'delete'],
    ['released and kept', held, 'Retain', 'Released', 'keep'],
    ['deleted while bound', deleting, 'Delete', 'Bound', 'keep'],
    ['deleted', deleting, 'Delete', 'Released', 'remove-folder'],
    ['deleted without a claim', deleting, 'Delete', 'Available', 'remove-folder'],
    ['deleted and kept', deleting, 'Retain', 'Released', 'let-go'],
    ['deleted and recycled', deleting, 'Recycle', 'Released', 'let-go'],
    [
      'given up',
      { ...deleting, annotations: { ...made, [GIVE_UP_ANNOTATION]: 'true' } },
      'Delete',
      'Released',
      'let-go',
    ],
    [
      'not given up',
      { ...deleting, annotations: { ...made, [GIVE_UP_ANNOTATION]: 'false' } },
      'Delete',
      'Released',
      'remove-folder',
    ],
    ['gone already', { ...deleting, finalizers: [] }, 'Delete', 'Released', 'keep'],
    ["somebody else's", { deletionTimestamp, finalizers: [LOCAL_VOLUME_FINALIZER] }, 'Delete', 'Released', 'keep'],
  ])('%s', (_, metadata = {}, persistentVolumeReclaimPolicy, phase, expected) => {
    const spec = { persistentVolumeReclaimPolicy, local: { path: '/v' } };
    expect(planDeletion({ metadata: { name: 'v', ...metadata }, spec, status: { phase } })).toBe(expected);
  });
});

interface Folders extends WorkloadCluster {
  readonly nodes: FakeNodes;
  hear(node: string, isReady: boolean): Promise<void>;
  select(name: string, node: string): Promise<void>;
  claimOf(name: string): Promise<PersistentVolumeClaim>;
  volumes(): Promise<readonly PersistentVolume[]>;
  said(): Promise<readonly string[]>;
  /** Time passes, second by second. */
  pass(seconds: number): Promise<void>;
}

async function start(): Promise<Folders> {
  const nodes = new FakeNodes();
  const cluster = await startWorkloads((setup) => {
    const events = setup.events('mendlet.dev/local');
    const options = { ...setup, events, nodeVolumes: nodeVolumes(nodes.connectionOf, setup.clock) };
    return [
      classController(setup.informers, 'mendlet-local'),
      provisioningController(options),
      deletionController(options),
      lookController({ ...options, logger: silentLogger }),
      volumeBindingController({ ...setup, events: setup.events('persistentvolume-controller') }),
      volumeProtectionController(setup.informers, setup.client),
    ];
  });
  const { client, clock } = cluster;
  const hear: Folders['hear'] = async (node, isReady) => {
    const condition = { type: 'Ready', status: isReady ? 'True' : 'Unknown' };
    await client.patch(NODES, undefined, node, 'strategic', { status: { conditions: [condition] } }, 'status');
    await cluster.rest();
  };
  for (const name of ['a', 'b']) {
    const annotations = { [VOLUME_SPACE_ANNOTATION]: '{"capacityBytes":1}' };
    const metadata = { name, annotations, labels: { 'kubernetes.io/hostname': `host-${name}` } };
    await client.create(NODES, { apiVersion: 'v1', kind: 'Node', metadata });
    await hear(name, true);
  }
  await client.create(STORAGE_CLASSES, CLASS);
  return {
    ...cluster,
    nodes,
    hear,
    select: async (name, node) => {
      const metadata = { annotations: { [SELECTED_NODE]: node } };
      await client.patch(PERSISTENT_VOLUME_CLAIMS, 'team', name, 'merge', { metadata });
      await cluster.rest();
    },
    claimOf: async (name) => client.get(PERSISTENT_VOLUME_CLAIMS, 'team', name),
    volumes: async () => {
      await cluster.rest();
      return (await client.list(PERSISTENT_VOLUMES)).items;
    },
    said: async () => {
      await cluster.rest();
      return (await client.list(EVENTS)).items.map(({ reason, message }) => `${reason} ${message}`);
    },
    pass: async (seconds) => {
      for (let second = 0; second < seconds; second += 1) {
        await clock.advance(1000);
        await cluster.rest();
      }
    },
  };
}

/** A bound claim "c" on node a. @returns its volume's name */
async function bound(cluster: Folders, spec: Partial<PersistentVolumeClaimSpec> = {}): Promise<string> {
  await cluster.client.create(PERSISTENT_VOLUME_CLAIMS, claim('c', spec));
  await cluster.select('c', 'a');
  await cluster.pass(1);
  const { status, spec: now } = await cluster.claimOf('c');
  expect(status?.phase).toBe('Bound');
  return now?.volumeName ?? '';
}

describe('a claim with a node', () => {
  it('gets a folder there and a volume that names it', async () => {
    const cluster = await start();
    const name = await bound(cluster);
    const [volume] = await cluster.volumes();
    const { metadata } = await cluster.claimOf('c');
    expect(name).toBe(`pvc-${metadata?.uid}`);
    expect(metadata?.annotations).toMatchObject({
      'volume.kubernetes.io/storage-provisioner': LOCAL_PROVISIONER,
      'volume.beta.kubernetes.io/storage-provisioner': LOCAL_PROVISIONER,
    });
    expect(volume).toMatchObject({
      metadata: {
        name,
        annotations: { [PROVISIONED_BY]: LOCAL_PROVISIONER },
        finalizers: expect.arrayContaining([LOCAL_VOLUME_FINALIZER, 'kubernetes.io/pv-protection']) as unknown,
      },
      spec: {
        capacity: { storage: '1Gi' },
        accessModes: ['ReadWriteOnce'],
        persistentVolumeReclaimPolicy: 'Delete',
        storageClassName: 'folders',
        volumeMode: 'Filesystem',
        local: { path: `/volumes/${name}/data` },
        claimRef: { namespace: 'team', name: 'c', uid: metadata?.uid },
        nodeAffinity: {
          required: {
            nodeSelectorTerms: [
              { matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'In', values: ['host-a'] }] },
            ],
          },
        },
      },
      status: { phase: 'Bound' },
    });
    expect([...cluster.nodes.node('a').folders.values()]).toMatchObject([
      { name, handle: metadata?.uid, capacityBytes: 2 ** 30 },
    ]);
    expect(await cluster.said()).toEqual(
      expect.arrayContaining([
        'WaitForFirstConsumer waiting for first consumer to be created before binding',
        'Provisioning External provisioner is provisioning volume for claim "team/c"',
        `ProvisioningSucceeded Successfully provisioned volume ${name}`,
      ]),
    );
    await cluster.stop();
  });

  it('loses the node when that has no room, is away, is gone or can never do it', async () => {
    const cluster = await start();
    const { client } = cluster;
    cluster.nodes.node('a').capacityBytes = 1;
    await client.create(PERSISTENT_VOLUME_CLAIMS, claim('c'));
    await client.create(PERSISTENT_VOLUME_CLAIMS, claim('shared', { accessModes: ['ReadWriteMany'] }));
    const selected = async (name: string): Promise<string | undefined> =>
      (await cluster.claimOf(name)).metadata?.annotations?.[SELECTED_NODE];
    await cluster.select('c', 'a');
    expect(await selected('c')).toBeUndefined();
    await cluster.hear('b', false);
    await cluster.select('c', 'b');
    expect(await selected('c')).toBeUndefined();
    await cluster.select('c', 'z');
    expect(await selected('c')).toBeUndefined();
    await cluster.select('shared', 'a');
    expect(await selected('shared')).toBeUndefined();
    const told = (await cluster.said()).join('\n');
    for (const why of [
      'fake NotEnoughSpace',
      'node "b" is not ready',
      'node "z" does not exist',
      'access mode ReadWriteMany',
    ])
      expect(told).toContain(why);
    expect(told).toContain('ProvisioningFailed failed to provision volume with StorageClass "folders": ');
    expect(await cluster.volumes()).toEqual([]);
    await cluster.stop();
  });

  it.each(['../../etc', '/', 'a/b', 'A', '%2e%2e', 'x'.repeat(300)])(
    'loses a node that cannot be: %s',
    async (name) => {
      const cluster = await start();
      await cluster.client.create(PERSISTENT_VOLUME_CLAIMS, claim('c'));
      await cluster.select('c', name);
      await cluster.pass(1);
      expect((await cluster.claimOf('c')).metadata?.annotations?.[SELECTED_NODE]).toBeUndefined();
      expect((await cluster.said()).join('\n')).toContain(`node "${name}" does not exist`);
      await cluster.stop();
    },
  );

  it.each(['1e400', '9Ei', '0.0001'])('is asked for in a size that a node can answer: %s', async (storage) => {
    const cluster = await start();
    await cluster.client.create(PERSISTENT_VOLUME_CLAIMS, claim('c', { resources: { requests: { storage } } }));
    await cluster.select('c', 'a');
    await cluster.pass(1);
    const isSmall = storage === '0.0001';
    expect((await cluster.claimOf('c')).status?.phase).toBe(isSmall ? 'Bound' : 'Pending');
    for (const { capacityBytes } of cluster.nodes.node('a').folders.values()) expect(capacityBytes).toBe(1);
    if (!isSmall) expect((await cluster.said()).join('\n')).toContain('ProvisioningFailed');
    await cluster.stop();
  });

  it('gets one folder and one volume, however often answers are lost', async () => {
    const cluster = await start();
    cluster.nodes.node('a').losesAnswers = true;
    await cluster.client.create(PERSISTENT_VOLUME_CLAIMS, claim('c'));
    await cluster.select('c', 'a');
    await cluster.pass(3);
    expect(await cluster.volumes()).toEqual([]);
    cluster.nodes.node('a').losesAnswers = false;
    await cluster.pass(10);
    expect(await cluster.volumes()).toHaveLength(1);
    expect(cluster.nodes.node('a').folders.size).toBe(1);
    expect((await cluster.claimOf('c')).status?.phase).toBe('Bound');
    await cluster.stop();
  });
});

it('a folder that vanished before there was a volume is made anew', async () => {
  const cluster = await start();
  const node = cluster.nodes.node('a');
  node.losesAnswers = true;
  await cluster.client.create(PERSISTENT_VOLUME_CLAIMS, claim('c'));
  await cluster.select('c', 'a');
  for (const [name, folder] of node.folders) node.folders.set(name, { ...folder, state: 'lost' });
  node.losesAnswers = false;
  await cluster.pass(10);
  expect((await cluster.claimOf('c')).status?.phase).toBe('Bound');
  expect([...node.folders.values()]).toMatchObject([{ state: 'ready' }]);
  await cluster.stop();
});

describe('a claim that is gone', () => {
  it('takes its folder and its volume along', async () => {
    const cluster = await start();
    await bound(cluster);
    await cluster.client.delete(PERSISTENT_VOLUME_CLAIMS, 'team', 'c');
    await cluster.pass(3);
    expect(await cluster.volumes()).toEqual([]);
    expect(cluster.nodes.node('a').folders.size).toBe(0);
    await cluster.stop();
  });

  it('leaves everything with Retain, also when its volume is deleted', async () => {
    const cluster = await start();
    const { client } = cluster;
    const name = await bound(cluster);
    const spec = { persistentVolumeReclaimPolicy: 'Retain' };
    await client.patch(PERSISTENT_VOLUMES, undefined, name, 'merge', { spec });
    const folder = cluster.nodes.node('a').folders.get(name);
    if (folder === undefined) throw new Error('no folder');
    cluster.nodes.node('a').folders.set(name, { ...folder, wasUsed: true });
    await client.delete(PERSISTENT_VOLUME_CLAIMS, 'team', 'c');
    await cluster.pass(3);
    expect((await cluster.volumes()).map(({ status }) => status?.phase)).toEqual(['Released']);
    await client.delete(PERSISTENT_VOLUMES, undefined, name);
    expect(await cluster.volumes()).toEqual([]);
    for (let looks = 0; looks < 4; looks += 1) await cluster.clock.advance(NODE_VOLUMES_LOOK_MS);
    expect((await cluster.said()).join('\n')).toContain('VolumeKept the folder');
    expect(cluster.nodes.node('a').folders.size).toBe(1);
    expect(cluster.nodes.node('a').asked.filter((each) => each.startsWith('DELETE'))).toEqual([]);
    await cluster.stop();
  });

  it('waits for a node that is away, and says how to give the volume up', async () => {
    const cluster = await start();
    const { client } = cluster;
    const name = await bound(cluster);
    await cluster.hear('a', false);
    await client.delete(PERSISTENT_VOLUME_CLAIMS, 'team', 'c');
    await cluster.pass(30);
    expect(await cluster.volumes()).toMatchObject([{ metadata: { name } }]);
    const command = `kubectl annotate pv ${name} ${GIVE_UP_ANNOTATION}=true`;
    expect((await cluster.said()).join('\n')).toContain('VolumeFailedDelete node "a" is not ready.');
    expect((await cluster.said()).join('\n')).toContain(command);
    await cluster.hear('a', true);
    await cluster.pass(1);
    expect(await cluster.volumes()).toEqual([]);
    expect(cluster.nodes.node('a').folders.size).toBe(0);
    await cluster.stop();
  });

  it('of a node that is gone for good is given up by an annotation', async () => {
    const cluster = await start();
    const { client } = cluster;
    const name = await bound(cluster);
    await client.delete(NODES, undefined, 'a');
    await client.delete(PERSISTENT_VOLUME_CLAIMS, 'team', 'c');
    await cluster.pass(30);
    expect((await cluster.said()).join('\n')).toContain('node "host-a" does not exist any more');
    expect(await cluster.volumes()).toHaveLength(1);
    const metadata = { annotations: { [GIVE_UP_ANNOTATION]: 'true' } };
    await client.patch(PERSISTENT_VOLUMES, undefined, name, 'merge', { metadata });
    await cluster.pass(1);
    expect(await cluster.volumes()).toEqual([]);
    expect(cluster.nodes.node('a').folders.size).toBe(1);
    await cluster.stop();
  });

  it('waits until no pod has the folder any more', async () => {
    const cluster = await start();
    const name = await bound(cluster);
    cluster.nodes.node('a').published.add(name);
    await cluster.client.delete(PERSISTENT_VOLUME_CLAIMS, 'team', 'c');
    await cluster.pass(3);
    expect(cluster.nodes.node('a').folders.has(name)).toBe(true);
    expect((await cluster.said()).join('\n')).toContain(
      `VolumeFailedDelete persistentvolume ${name} is still attached to node a`,
    );
    cluster.nodes.node('a').published.clear();
    await cluster.pass(20);
    expect(await cluster.volumes()).toEqual([]);
    await cluster.stop();
  });

  it('while the folder is made leaves nothing', async () => {
    const cluster = await start();
    cluster.nodes.node('a').losesAnswers = true;
    await cluster.client.create(PERSISTENT_VOLUME_CLAIMS, claim('c'));
    await cluster.select('c', 'a');
    await cluster.client.delete(PERSISTENT_VOLUME_CLAIMS, 'team', 'c');
    cluster.nodes.node('a').losesAnswers = false;
    await cluster.rest();
    expect(cluster.nodes.node('a').folders.size).toBe(1);
    await cluster.clock.advance(NODE_VOLUMES_LOOK_MS);
    await cluster.rest();
    expect(cluster.nodes.node('a').folders.size).toBe(1);
    await cluster.clock.advance(LEFT_OVER_VOLUME_GRACE_MS);
    await cluster.rest();
    await cluster.clock.advance(NODE_VOLUMES_LOOK_MS);
    await cluster.rest();
    expect(cluster.nodes.node('a').folders.size).toBe(0);
    await cluster.stop();
  });
});

describe('a folder that nobody needed', () => {
  /** A claim "c" lost node a while its folder was made there: the folder is left over. */
  const leftOver = async (): Promise<Folders> => {
    const cluster = await start();
    const node = cluster.nodes.node('a');
    node.losesAnswers = true;
    await cluster.client.create(PERSISTENT_VOLUME_CLAIMS, claim('c'));
    await cluster.select('c', 'a');
    const metadata = { annotations: { [SELECTED_NODE]: null } };
    await cluster.client.patch(PERSISTENT_VOLUME_CLAIMS, 'team', 'c', 'merge', { metadata });
    await cluster.rest();
    node.losesAnswers = false;
    expect(node.folders.size).toBe(1);
    return cluster;
  };
  const look = async (cluster: Folders): Promise<void> => {
    await cluster.clock.advance(NODE_VOLUMES_LOOK_MS);
    await cluster.rest();
  };

  it('is removed', async () => {
    const cluster = await leftOver();
    for (let looks = 0; looks < 4; looks += 1) await look(cluster);
    expect(cluster.nodes.node('a').folders.size).toBe(0);
    await cluster.stop();
  });

  it('is not removed when its claim gets the node again while the removal is under way', async () => {
    const cluster = await leftOver();
    const node = cluster.nodes.node('a');
    let isBound = false;
    node.beforeRemoval = async () => {
      await cluster.select('c', 'a');
      await cluster.pass(1);
      isBound = (await cluster.claimOf('c')).status?.phase === 'Bound';
    };
    for (let looks = 0; looks < 4; looks += 1) await look(cluster);
    expect([isBound, node.folders.size]).toEqual([true, 1]);
    await cluster.stop();
  });
});

it('a folder that vanished is not forgotten for one who asks late: it may be there again, and used', async () => {
  const cluster = await start();
  const node = cluster.nodes.node('a');
  node.losesAnswers = true;
  await cluster.client.create(PERSISTENT_VOLUME_CLAIMS, claim('c'));
  await cluster.select('c', 'a');
  const [[name, folder] = ['', undefined]] = [...node.folders];
  if (folder === undefined) throw new Error('no folder');
  node.folders.set(name, { ...folder, state: 'lost' });
  node.losesAnswers = false;
  // Another one had it made anew, and its pod came and went.
  node.beforeRemoval = async () => {
    node.folders.set(name, { ...folder, state: 'ready', wasUsed: true, version: 'later' });
  };
  await cluster.pass(10);
  expect([...node.folders.values()]).toMatchObject([{ state: 'ready', wasUsed: true }]);
  await cluster.stop();
});

it('a volume that somebody made up is removed without a folder being touched', async () => {
  const cluster = await start();
  const { client } = cluster;
  await bound(cluster);
  const before = [...cluster.nodes.node('a').folders.keys()];
  await client.create(PERSISTENT_VOLUMES, {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: {
      name: 'crafted',
      annotations: { [PROVISIONED_BY]: LOCAL_PROVISIONER },
      finalizers: [LOCAL_VOLUME_FINALIZER],
    },
    spec: {
      capacity: { storage: '1Gi' },
      accessModes: ['ReadWriteOnce'],
      persistentVolumeReclaimPolicy: 'Delete',
      local: { path: '/etc' },
      nodeAffinity: {
        required: {
          nodeSelectorTerms: [
            { matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'In', values: ['host-a'] }] },
          ],
        },
      },
    },
  });
  await cluster.pass(1);
  await client.delete(PERSISTENT_VOLUMES, undefined, 'crafted');
  await cluster.pass(3);
  expect((await cluster.volumes()).map(({ metadata }) => metadata?.name)).not.toContain('crafted');
  // The node is asked by name alone, never by path.
  const deleted = cluster.nodes.node('a').asked.filter((each) => each.startsWith('DELETE'));
  expect(new Set(deleted)).toEqual(new Set(['DELETE crafted']));
  expect([...cluster.nodes.node('a').folders.keys()]).toEqual(before);
  await cluster.stop();
});

it('a folder that vanished is said once, and not made anew', async () => {
  const cluster = await start();
  const name = await bound(cluster);
  cluster.nodes.node('a').folders.clear();
  for (let looks = 0; looks < 3; looks += 1) {
    await cluster.clock.advance(NODE_VOLUMES_LOOK_MS);
    await cluster.rest();
  }
  const lost = (await cluster.said()).filter((each) => each.startsWith('VolumeLost'));
  expect(lost).toEqual([
    `VolumeLost the folder /volumes/${name}/data is not on node "a" any more: what was in it is lost`,
  ]);
  expect(cluster.nodes.node('a').folders.size).toBe(0);
  await cluster.stop();
});

describe('the class', () => {
  it('is there and the default', async () => {
    const cluster = await start();
    await cluster.rest();
    const found = await cluster.client.get(STORAGE_CLASSES, undefined, 'mendlet-local');
    expect(found).toMatchObject({
      metadata: { annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
      provisioner: LOCAL_PROVISIONER,
      reclaimPolicy: 'Delete',
      volumeBindingMode: 'WaitForFirstConsumer',
    });
    // From now on it belongs to the people of the cluster.
    await cluster.client.delete(STORAGE_CLASSES, undefined, 'mendlet-local');
    await cluster.pass(2);
    await expect(cluster.client.get(STORAGE_CLASSES, undefined, 'mendlet-local')).rejects.toSatisfy(isNotFound);
    await cluster.stop();
  });

  it.each<[string, Record<string, string>, boolean]>([
    ['is not the default where another is', { 'storageclass.kubernetes.io/is-default-class': 'true' }, false],
    ['nor where another is by its old name', { 'storageclass.beta.kubernetes.io/is-default-class': 'true' }, false],
    ['is the default beside one that is not', { 'storageclass.kubernetes.io/is-default-class': 'false' }, true],
  ])('%s', (_, annotations, isDefault) => {
    const { metadata } = localClass('mine', [{ ...CLASS, metadata: { name: 'theirs', annotations } }]);
    expect(metadata?.annotations?.['storageclass.kubernetes.io/is-default-class'] === 'true').toBe(isDefault);
  });
});
