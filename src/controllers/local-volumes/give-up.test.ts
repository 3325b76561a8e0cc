import { describe, expect, it } from 'vitest';
import { startWorkloads, type WorkloadCluster } from '../../../test/support/workload-cluster.ts';
import {
  EVENTS,
  GIVE_UP_ANNOTATION,
  GIVEN_UP_CLAIM_ANNOTATION,
  HEALING_POLICIES,
  isNotFound,
  LOCAL_PROVISIONER,
  LOCAL_VOLUME_FINALIZER,
  NODE_LOST_SINCE_ANNOTATION,
  NODES,
  type Node,
  PERSISTENT_VOLUME_CLAIMS,
  PERSISTENT_VOLUMES,
  type PersistentVolume,
  type PersistentVolumeClaim,
  type Pod,
  PODS,
  PROVISIONED_BY,
  RESOURCE_QUOTAS,
  STORAGE_CLASSES,
  VOLUME_SPACE_ANNOTATION,
} from '../../api/index.ts';
import { formatTime, silentLogger } from '../../lib/index.ts';
import { volumeBindingController } from '../volume-binding/volume-binding-controller.ts';
import { volumeProtectionController } from '../volume-binding/volume-protection-controller.ts';
import { formatClaimNote, readClaimNote } from './claim-note.ts';
import { claimProblemController } from './claim-problem-controller.ts';
import { deletionController } from './deletion-controller.ts';
import { giveUpController } from './give-up-controller.ts';
import { FakeNodes } from './local-volumes.testing.ts';
import { lookController } from './look-controller.ts';
import { nodeVolumes } from './node-volumes.ts';
import { isSilenceTheirs, lostSince, whereabouts, whyKept } from './plan-give-up.ts';

const HOSTNAME = 'kubernetes.io/hostname';

function node(name: string, ready: string | undefined, more: Partial<Node> = {}): Node {
  const conditions = ready === undefined ? [] : [{ type: 'Ready', status: ready }];
  return { metadata: { name, labels: { [HOSTNAME]: name }, ...more.metadata }, status: { conditions, ...more.status } };
}

const VOLUME: PersistentVolume = {
  metadata: { name: 'v', uid: 'v-uid', annotations: { [PROVISIONED_BY]: LOCAL_PROVISIONER } },
  spec: {
    local: { path: '/v' },
    nodeAffinity: {
      required: { nodeSelectorTerms: [{ matchExpressions: [{ key: HOSTNAME, operator: 'In', values: ['a'] }] }] },
    },
  },
};
const CLAIM: PersistentVolumeClaim = {
  metadata: { namespace: 'team', name: 'data', uid: 'c-uid' },
  spec: { volumeName: 'v' },
};
const pod = (nodeName: string): Pod => ({ metadata: { name: 'db-0' }, spec: { containers: [], nodeName } });

describe('where a volume is', () => {
  const lost = { annotations: { [VOLUME_SPACE_ANNOTATION]: '{"capacityBytes":1,"lost":["v"]}' } };
  const bad = {
    conditions: [
      { type: 'Ready', status: 'True' },
      { type: 'VolumeDiskProblem', status: 'True' },
    ],
  };
  it.each<[string, Node | undefined, string]>([
    ['on a node that is heard', node('a', 'True'), 'heard'],
    ['on one that is not ready, and says so', node('a', 'False'), 'heard'],
    ['on one that never said anything', node('a', undefined), 'heard'],
    ['on one that is silent', node('a', 'Unknown'), 'silent'],
    ['on none', undefined, 'gone'],
    ['lost', node('a', 'True', { metadata: lost }), 'damaged'],
    ['on a bad disk', node('a', 'True', { status: bad }), 'damaged'],
    ['lost on a node that is silent since', node('a', 'Unknown', { metadata: lost }), 'silent'],
    ['not readable', node('a', 'True', { metadata: { annotations: { [VOLUME_SPACE_ANNOTATION]: '{' } } }), 'heard'],
  ])('%s', (_, where, expected) => expect(whereabouts(VOLUME, where)).toBe(expected));
});

describe('a volume is kept', () => {
  const silent = { volume: VOLUME, claim: CLAIM, node: node('a', 'Unknown'), here: [pod('a')], elsewhere: [] };
  const other: PersistentVolume = { ...VOLUME, metadata: { name: 'v' } };
  it.each<[string, Parameters<typeof whyKept>[0], string, string | undefined]>([
    ['not of a silent node', silent, 'v', undefined],
    ['not of no node', { ...silent, node: undefined }, 'v', undefined],
    ['for a wish about another', silent, 'w', 'the request names volume "w", and the claim has "v"'],
    ['when it is not ours', { ...silent, volume: other }, 'v', 'is not a folder that mendlet made'],
    [
      'while its node is heard and a pod has it',
      { ...silent, node: node('a', 'True') },
      'v',
      'node "a" is heard, and pod "db-0" uses the volume there',
    ],
    ['while its node is heard', { ...silent, node: node('a', 'False'), here: [] }, 'v', 'delete the claim'],
    [
      'while a pod has the claim elsewhere',
      { ...silent, elsewhere: [pod('b')] },
      'v',
      'pod "db-0" has the claim on node "b"',
    ],
  ])('%s', (_, facts, wanted, expected) => {
    const why = whyKept(facts, wanted);
    if (expected === undefined) expect(why).toBeUndefined();
    else expect(why).toContain(expected);
  });
});

it.each<[string, string | undefined, string | undefined, number]>([
  ['as noted', '2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z', Date.parse('2026-01-01T00:00:00Z')],
  ['as the condition says', undefined, '2026-01-02T00:00:00Z', Date.parse('2026-01-02T00:00:00Z')],
  ['as nonsense says', 'tomorrow', '2026-01-02T00:00:00Z', Date.parse('2026-01-02T00:00:00Z')],
  ['now', undefined, undefined, Date.parse('2026-01-03T00:00:00Z')],
  ['not in times to come', '2027-01-01T00:00:00Z', undefined, Date.parse('2026-01-03T00:00:00Z')],
])('a node is lost %s', (_, noted, told, expected) => {
  const annotations: Record<string, string> = noted === undefined ? {} : { [NODE_LOST_SINCE_ANNOTATION]: noted };
  const conditions = [{ type: 'Ready', status: 'Unknown', ...(told && { lastTransitionTime: told }) }];
  const now = Date.parse('2026-01-03T00:00:00Z');
  expect(lostSince({ metadata: { annotations } }, { status: { conditions } }, now)).toBe(expected);
});

it.each<[number, number, boolean]>([
  [0, 0, false],
  [0, 1, false],
  [1, 1, true],
  [2, 1, true],
  [1, 2, false],
])('with %i nodes heard and %i silent', (heard, silent, expected) => {
  expect(isSilenceTheirs({ heard, silent })).toBe(expected);
});

describe('the note of a claim', () => {
  const noted = (claim: PersistentVolumeClaim, by = 'x') => {
    const text = formatClaimNote(claim, { by, keepsFolder: true });
    return readClaimNote({ metadata: { annotations: { [GIVEN_UP_CLAIM_ANNOTATION]: text } } });
  };
  it('has all of it but its binding', () => {
    const claim: PersistentVolumeClaim = {
      metadata: {
        name: 'data',
        namespace: 'team',
        uid: 'u',
        resourceVersion: '7',
        labels: { app: 'db' },
        annotations: {
          mine: 'x',
          'pv.kubernetes.io/bind-completed': 'yes',
          'volume.kubernetes.io/selected-node': 'a',
          [GIVE_UP_ANNOTATION]: 'v',
        },
        finalizers: ['kubernetes.io/pvc-protection', 'mine/held'],
        ownerReferences: [
          { apiVersion: 'v1', kind: 'Pod', name: 'db-0', uid: 'p' },
          { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'db', uid: 's' },
        ],
      },
      spec: { volumeName: 'v', storageClassName: 'x', accessModes: ['ReadWriteOnce'] },
      status: { phase: 'Bound' },
    };
    expect(noted(claim)).toEqual({
      uid: 'u',
      namespace: 'team',
      name: 'data',
      by: 'x',
      keepsFolder: true,
      claim: {
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        metadata: {
          name: 'data',
          namespace: 'team',
          labels: { app: 'db' },
          annotations: { mine: 'x' },
          finalizers: ['mine/held'],
          ownerReferences: [{ apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'db', uid: 's' }],
        },
        spec: { storageClassName: 'x', accessModes: ['ReadWriteOnce'] },
      },
    });
  });
  it('has no new claim where a pod owned it', () => {
    const ownerReferences = [{ apiVersion: 'v1', kind: 'Pod', name: 'db-0', uid: 'p', controller: true }];
    const claim = { metadata: { ...CLAIM.metadata, ownerReferences } };
    expect(noted(claim)?.claim).toBeUndefined();
  });
  it('has a bound', () => {
    const claim = { metadata: { ...CLAIM.metadata, annotations: { long: 'x'.repeat(200_000) } }, spec: {} };
    expect(noted(claim)?.claim?.metadata?.annotations).toBeUndefined();
    expect(noted(claim)?.claim?.metadata?.name).toBe('data');
  });
  it.each([
    ['nonsense', '{'],
    ['nothing', 'null'],
    ['a number', '7'],
    ['no name', '{"uid":"u","namespace":"team"}'],
    ['another claim', '{"uid":"u","namespace":"team","name":"data","claim":{"metadata":{"name":"x","namespace":"y"}}}'],
  ])('is none with %s', (_, text) => {
    expect(readClaimNote({ metadata: { annotations: { [GIVEN_UP_CLAIM_ANNOTATION]: text } } })).toBeUndefined();
  });
});

interface Lost extends WorkloadCluster {
  readonly nodes: FakeNodes;
  hear(node: string, status: string): Promise<void>;
  volume(): Promise<PersistentVolume | undefined>;
  claim(): Promise<PersistentVolumeClaim | undefined>;
  /** Reason and object of the events, with their messages. */
  said(reason: string): Promise<readonly string[]>;
  pass(seconds: number): Promise<void>;
  /** Asks to give the volume up. */
  ask(volume?: string): Promise<void>;
}

async function orNone<T>(answer: Promise<T>): Promise<T | undefined> {
  return answer.catch((error: unknown) => {
    if (isNotFound(error)) return undefined;
    throw error;
  });
}

/** A claim "data" that is bound to a volume of node a, and a pod "db-0" that runs there. */
async function start({ retain = false, lostForMs = 0 } = {}): Promise<Lost> {
  const nodes = new FakeNodes();
  const cluster = await startWorkloads((setup) => {
    const events = setup.events('mendlet.dev/local');
    const options = { ...setup, events, nodeVolumes: nodeVolumes(nodes.connectionOf, setup.clock) };
    const givenUp = setup.metrics.counter({ name: 'given_up_total', help: 'x', labels: ['cause'] });
    return [
      deletionController(options),
      giveUpController({ ...options, givenUp }),
      claimProblemController(options),
      lookController({ ...options, logger: silentLogger }),
      volumeBindingController({ ...setup, events: setup.events('persistentvolume-controller') }),
      volumeProtectionController(setup.informers, setup.client),
    ];
  });
  const { client, clock } = cluster;
  const hear: Lost['hear'] = async (name, status) => {
    const condition = { type: 'Ready', status, lastTransitionTime: formatTime(clock.now().wall) };
    await client.patch(NODES, undefined, name, 'strategic', { status: { conditions: [condition] } }, 'status');
    await cluster.rest();
  };
  await client.delete(NODES, undefined, 'node1');
  for (const name of ['a', 'b', 'c']) {
    const annotations = { [VOLUME_SPACE_ANNOTATION]: '{"capacityBytes":1}' };
    await client.create(NODES, {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name, annotations, labels: { [HOSTNAME]: `host-${name}` } },
    });
    await hear(name, name === 'a' && lostForMs > 0 ? 'Unknown' : 'True');
  }
  const lostSinceText = formatTime(clock.now().wall - lostForMs);
  await client.create(STORAGE_CLASSES, {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: { name: 'folders' },
    provisioner: LOCAL_PROVISIONER,
    volumeBindingMode: 'WaitForFirstConsumer',
  });
  const made = await client.create(PERSISTENT_VOLUME_CLAIMS, {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { namespace: 'team', name: 'data', labels: { app: 'db' } },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, storageClassName: 'folders' },
  });
  const path = '/volumes/v/data';
  nodes.node('a').folders.set('v', {
    name: 'v',
    handle: 'v',
    path,
    capacityBytes: 1,
    state: 'ready',
    wasUsed: true,
  });
  await client.create(PERSISTENT_VOLUMES, {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: {
      name: 'v',
      annotations: {
        [PROVISIONED_BY]: LOCAL_PROVISIONER,
        ...(lostForMs > 0 && { [NODE_LOST_SINCE_ANNOTATION]: lostSinceText }),
      },
      finalizers: [LOCAL_VOLUME_FINALIZER],
    },
    spec: {
      capacity: { storage: '1Gi' },
      accessModes: ['ReadWriteOnce'],
      persistentVolumeReclaimPolicy: retain ? 'Retain' : 'Delete',
      storageClassName: 'folders',
      volumeMode: 'Filesystem',
      claimRef: { kind: 'PersistentVolumeClaim', namespace: 'team', name: 'data', uid: made.metadata?.uid ?? '' },
      local: { path },
      nodeAffinity: {
        required: {
          nodeSelectorTerms: [{ matchExpressions: [{ key: HOSTNAME, operator: 'In', values: ['host-a'] }] }],
        },
      },
    },
  });
  await client.create(PODS, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { namespace: 'team', name: 'db-0', labels: { app: 'db' } },
    spec: {
      nodeName: 'a',
      containers: [{ name: 'main', image: 'x' }],
      volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }],
    },
  });
  await cluster.rest();
  return {
    ...cluster,
    nodes,
    hear,
    volume: async () => orNone(client.get(PERSISTENT_VOLUMES, undefined, 'v')),
    claim: async () => orNone(client.get(PERSISTENT_VOLUME_CLAIMS, 'team', 'data')),
    said: async (reason) => {
      await cluster.rest();
      return (await client.list(EVENTS)).items
        .filter((event) => event.reason === reason)
        .map(({ involvedObject, message }) => `${involvedObject.kind}/${involvedObject.name}: ${message}`);
    },
    pass: async (seconds) => {
      for (let second = 0; second < seconds; second += 1) {
        await clock.advance(1000);
        await cluster.rest();
      }
    },
    ask: async (volume = 'v') => {
      const metadata = { annotations: { [GIVE_UP_ANNOTATION]: volume } };
      await client.patch(PERSISTENT_VOLUME_CLAIMS, 'team', 'data', 'merge', { metadata });
      await cluster.rest();
    },
  };
}

const policy = (volumes: object) => ({
  apiVersion: 'mendlet.dev/v1alpha1',
  kind: 'HealingPolicy',
  metadata: { namespace: 'team', name: 'db' },
  spec: { selector: { matchLabels: { app: 'db' } }, volumes },
});

describe('a lost node', () => {
  it('is said once to volume, claim and pods, and taken back when it is heard', async () => {
    const cluster = await start();
    await cluster.hear('a', 'Unknown');
    await cluster.pass(60);
    const said = await cluster.said('VolumeNodeLost');
    expect(said).toHaveLength(3);
    for (const object of ['PersistentVolume/v', 'PersistentVolumeClaim/data', 'Pod/db-0'])
      expect(said.filter((each) => each.startsWith(`${object}: `))).toHaveLength(1);
    expect(said[0]).toContain('is a folder on the disk of node "a", which has not been heard of since 20');
    expect(said[0]).toContain('mendlet volumes give-up data -n team');
    expect((await cluster.volume())?.metadata?.annotations?.[NODE_LOST_SINCE_ANNOTATION]).toBeDefined();
    expect((await cluster.claim())?.status?.phase).toBe('Bound');
    await cluster.hear('a', 'True');
    expect((await cluster.volume())?.metadata?.annotations?.[NODE_LOST_SINCE_ANNOTATION]).toBeUndefined();
    expect(await cluster.said('VolumeNodeBack')).toHaveLength(2);
    await cluster.stop();
  });

  it('is said to a pod that comes later', async () => {
    const cluster = await start();
    await cluster.hear('a', 'Unknown');
    await cluster.client.delete(PODS, 'team', 'db-0', { gracePeriodSeconds: 0 });
    const { client } = cluster;
    await client.create(PODS, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { namespace: 'team', name: 'db-1' },
      spec: {
        containers: [{ name: 'main', image: 'x' }],
        volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }],
      },
    });
    expect((await cluster.said('VolumeNodeLost')).some((each) => each.startsWith('Pod/db-1: '))).toBe(true);
    await cluster.stop();
  });
});

describe('the condition of a claim', () => {
  const conditionsOf = async (cluster: Lost) =>
    ((await cluster.claim())?.status?.conditions ?? []).map(
      ({ type, status, reason }) => `${type} ${status} ${reason}`,
    );

  it('follows node, folder and disk', async () => {
    const cluster = await start();
    const { client } = cluster;
    expect(await conditionsOf(cluster)).toEqual([]);
    await cluster.hear('a', 'Unknown');
    expect(await conditionsOf(cluster)).toEqual(['mendlet.dev/VolumeProblem True NodeLost']);
    await cluster.hear('a', 'True');
    expect(await conditionsOf(cluster)).toEqual(['mendlet.dev/VolumeProblem False VolumeWorks']);
    const disk = async (status: string, reason: string): Promise<void> => {
      const conditions = [{ type: 'VolumeDiskProblem', status, reason, message: 'EIO: i/o error, fsync' }];
      await client.patch(NODES, undefined, 'a', 'strategic', { status: { conditions } }, 'status');
      await cluster.rest();
    };
    await disk('True', 'VolumeDiskFailing');
    expect(await conditionsOf(cluster)).toEqual(['mendlet.dev/VolumeProblem True VolumeDiskFailing']);
    expect([...(await cluster.said('VolumeDiskFailing'))].toSorted()).toEqual([
      'PersistentVolume/v: node "a": EIO: i/o error, fsync',
      'PersistentVolumeClaim/data: node "a": EIO: i/o error, fsync',
    ]);
    await disk('False', 'VolumeDiskWorks');
    expect(await conditionsOf(cluster)).toEqual(['mendlet.dev/VolumeProblem False VolumeWorks']);
    const metadata = { annotations: { [VOLUME_SPACE_ANNOTATION]: '{"capacityBytes":1,"lost":["v"]}' } };
    await client.patch(NODES, undefined, 'a', 'merge', { metadata });
    await cluster.rest();
    expect(await conditionsOf(cluster)).toEqual(['mendlet.dev/VolumeProblem True VolumeLost']);
    await client.delete(NODES, undefined, 'a');
    await cluster.rest();
    expect(await conditionsOf(cluster)).toEqual(['mendlet.dev/VolumeProblem True NodeGone']);
    await cluster.stop();
  });
});

describe('a volume that a person gives up', () => {
  it('leaves its folder, and the claim is another one', async () => {
    const cluster = await start();
    const before = await cluster.claim();
    await cluster.hear('a', 'Unknown');
    await cluster.ask();
    await cluster.pass(5);
    expect(await cluster.volume()).toBeUndefined();
    const claim = await cluster.claim();
    expect(claim?.metadata?.uid).not.toBe(before?.metadata?.uid);
    expect(claim?.metadata).toMatchObject({ labels: { app: 'db' } });
    expect(claim?.spec).toMatchObject({ storageClassName: 'folders', accessModes: ['ReadWriteOnce'] });
    expect(claim?.spec?.volumeName).toBeUndefined();
    expect(await cluster.pods()).toEqual([]);
    const folders = cluster.nodes.node('a');
    expect(folders.folders.has('v')).toBe(true);
    expect(folders.asked.filter((each) => each.startsWith('DELETE'))).toEqual([]);
    const [said] = await cluster.said('VolumeGivenUp');
    expect(said).toContain('a person gave volume "v" of claim team/data up');
    expect(await cluster.said('ClaimReplaced')).toHaveLength(1);
    expect(cluster.metrics.text()).toContain('given_up_total{cause="request"} 1');
    // The node comes back with its folder, which nobody is given again.
    await cluster.hear('a', 'True');
    await cluster.pass(2);
    const [kept] = await cluster.said('VolumeKept');
    expect(kept).toContain('Node/a: the folder /volumes/v/data belongs to no volume any more');
    expect(folders.folders.has('v')).toBe(true);
    expect((await cluster.claim())?.spec?.volumeName).toBeUndefined();
    await cluster.stop();
  });

  it('stays as it is with Retain', async () => {
    const cluster = await start({ retain: true });
    await cluster.client.delete(NODES, undefined, 'a');
    await cluster.ask();
    await cluster.pass(5);
    const volume = await cluster.volume();
    expect(volume?.status?.phase).toBe('Released');
    expect(volume?.metadata?.annotations).not.toHaveProperty(GIVE_UP_ANNOTATION);
    expect(volume?.metadata?.annotations).not.toHaveProperty(GIVEN_UP_CLAIM_ANNOTATION);
    expect((await cluster.claim())?.spec?.volumeName).toBeUndefined();
    await cluster.stop();
  });

  it.each<[string, string, string]>([
    ['while its node is heard', 'v', 'node "a" is heard, and pod "db-0" uses the volume there'],
    ['by another name', 'pvc-other', 'the request names volume "pvc-other"'],
  ])('is kept %s, and the wish is gone', async (_, wanted, why) => {
    const cluster = await start();
    const before = await cluster.claim();
    if (wanted !== 'v') await cluster.hear('a', 'Unknown');
    await cluster.ask(wanted);
    expect((await cluster.said('GiveUpRefused')).join()).toContain(why);
    expect((await cluster.claim())?.metadata?.annotations).not.toHaveProperty(GIVE_UP_ANNOTATION);
    await cluster.hear('a', 'Unknown');
    await cluster.pass(30);
    expect((await cluster.claim())?.metadata?.uid).toBe(before?.metadata?.uid);
    await cluster.stop();
  });

  it('whose folder is lost on a node that is heard is made anew there as well', async () => {
    const cluster = await start();
    const folder = cluster.nodes.node('a').folders.get('v');
    if (folder !== undefined) cluster.nodes.node('a').folders.set('v', { ...folder, state: 'lost' });
    const metadata = { annotations: { [VOLUME_SPACE_ANNOTATION]: '{"capacityBytes":1,"lost":["v"]}' } };
    await cluster.client.patch(NODES, undefined, 'a', 'merge', { metadata });
    await cluster.ask();
    await cluster.pass(2);
    // The pod has its time to end on a node that is heard.
    const [waiting] = await cluster.pods();
    expect(waiting?.metadata?.deletionGracePeriodSeconds).toBe(30);
    await cluster.client.delete(PODS, 'team', 'db-0', { gracePeriodSeconds: 0 });
    await cluster.pass(5);
    expect(await cluster.volume()).toBeUndefined();
    expect(cluster.nodes.node('a').folders.size).toBe(0);
    expect((await cluster.claim())?.spec?.volumeName).toBeUndefined();
    await cluster.stop();
  });

  it('is not given up when the node is heard before anything was deleted', async () => {
    const cluster = await start();
    const before = await cluster.claim();
    // As a server leaves it that was killed just then.
    const text = formatClaimNote(before ?? {}, { by: 'a person', keepsFolder: true });
    const annotations = { [GIVEN_UP_CLAIM_ANNOTATION]: text, [GIVE_UP_ANNOTATION]: 'true' };
    await cluster.client.patch(PERSISTENT_VOLUMES, undefined, 'v', 'merge', { metadata: { annotations } });
    await cluster.pass(3);
    expect(await cluster.said('GiveUpWithdrawn')).toHaveLength(2);
    expect((await cluster.claim())?.metadata?.uid).toBe(before?.metadata?.uid);
    expect((await cluster.volume())?.metadata?.annotations).not.toHaveProperty(GIVE_UP_ANNOTATION);
    await cluster.stop();
  });

  it('waits for its claim where a quota refuses that', async () => {
    const cluster = await start();
    const { client } = cluster;
    await cluster.hear('a', 'Unknown');
    const hard = { persistentvolumeclaims: '0' };
    const quota = {
      apiVersion: 'v1',
      kind: 'ResourceQuota',
      metadata: { namespace: 'team', name: 'q' },
      spec: { hard },
    };
    await client.create(RESOURCE_QUOTAS, quota);
    await client.patch(
      RESOURCE_QUOTAS,
      'team',
      'q',
      'merge',
      { status: { hard, used: { persistentvolumeclaims: '0' } } },
      'status',
    );
    await cluster.ask();
    await cluster.pass(5);
    expect(await cluster.claim()).toBeUndefined();
    expect((await cluster.volume())?.metadata?.annotations).toHaveProperty(GIVEN_UP_CLAIM_ANNOTATION);
    expect((await cluster.said('ClaimNotReplaced')).join()).toContain('exceeded quota');
    await client.delete(RESOURCE_QUOTAS, 'team', 'q');
    await cluster.pass(30);
    expect(await cluster.claim()).toBeDefined();
    expect(await cluster.volume()).toBeUndefined();
    await cluster.stop();
  });
});

it('a claim that its owner made anew first is left alone, and told', async () => {
  const cluster = await start();
  const { client } = cluster;
  const before = await cluster.claim();
  await cluster.hear('a', 'Unknown');
  // Its name is taken while the note is written.
  const text = formatClaimNote(
    { ...before, metadata: { ...before?.metadata, uid: 'of-one-before' } },
    { by: 'x', keepsFolder: true },
  );
  const annotations = { [GIVEN_UP_CLAIM_ANNOTATION]: text };
  await client.patch(PERSISTENT_VOLUMES, undefined, 'v', 'merge', { metadata: { annotations } });
  await cluster.pass(2);
  expect(await cluster.said('ClaimReplaced')).toHaveLength(1);
  expect((await cluster.claim())?.metadata?.uid).toBe(before?.metadata?.uid);
  expect((await cluster.volume())?.metadata?.annotations).not.toHaveProperty(GIVEN_UP_CLAIM_ANNOTATION);
  await cluster.stop();
});

it('a note about another claim than that of the volume does nothing', async () => {
  const cluster = await start();
  const other = { metadata: { namespace: 'kube-system', name: 'theirs', uid: 'u' }, spec: CLAIM.spec ?? {} };
  const text = formatClaimNote(other, { by: 'x', keepsFolder: true });
  const annotations = { [GIVEN_UP_CLAIM_ANNOTATION]: text };
  await cluster.client.patch(PERSISTENT_VOLUMES, undefined, 'v', 'merge', { metadata: { annotations } });
  await cluster.pass(2);
  const { items } = await cluster.client.list(PERSISTENT_VOLUME_CLAIMS);
  expect(items.map(({ metadata }) => metadata?.name)).toEqual(['data']);
  expect((await cluster.volume())?.metadata?.annotations).not.toHaveProperty(GIVEN_UP_CLAIM_ANNOTATION);
  await cluster.stop();
});

describe('a policy', () => {
  it('gives nothing up by default', async () => {
    const cluster = await start();
    await cluster.client.create(HEALING_POLICIES, policy({}));
    await cluster.hear('a', 'Unknown');
    await cluster.pass(300);
    expect((await cluster.volume())?.status?.phase).toBe('Bound');
    await cluster.stop();
  });

  it('gives a volume up after its time, and not before', async () => {
    const cluster = await start();
    await cluster.client.create(HEALING_POLICIES, policy({ giveUpAfter: '2m' }));
    const before = await cluster.claim();
    await cluster.hear('a', 'Unknown');
    expect((await cluster.said('VolumeNodeLost'))[0]).toContain('HealingPolicy "db" gives the volume up at 20');
    await cluster.pass(115);
    expect((await cluster.claim())?.metadata?.uid).toBe(before?.metadata?.uid);
    await cluster.pass(10);
    expect(await cluster.volume()).toBeUndefined();
    expect((await cluster.claim())?.metadata?.uid).not.toBe(before?.metadata?.uid);
    expect((await cluster.said('VolumeGivenUp'))[0]).toContain('HealingPolicy "db" gave volume "v"');
    expect(cluster.metrics.text()).toContain('given_up_total{cause="policy"} 1');
    await cluster.stop();
  });

  it('begins anew when the node was heard in between', async () => {
    const cluster = await start();
    await cluster.client.create(HEALING_POLICIES, policy({ giveUpAfter: '2m' }));
    await cluster.hear('a', 'Unknown');
    await cluster.pass(100);
    await cluster.hear('a', 'True');
    await cluster.pass(1);
    await cluster.hear('a', 'Unknown');
    await cluster.pass(100);
    expect((await cluster.volume())?.status?.phase).toBe('Bound');
    await cluster.stop();
  });

  it('gives nothing up while more nodes are silent than heard', async () => {
    const cluster = await start();
    await cluster.client.create(HEALING_POLICIES, policy({ giveUpAfter: '1m' }));
    await cluster.hear('a', 'Unknown');
    await cluster.hear('b', 'Unknown');
    await cluster.pass(200);
    expect((await cluster.volume())?.status?.phase).toBe('Bound');
    await cluster.hear('b', 'True');
    await cluster.pass(20);
    expect(await cluster.volume()).toBeUndefined();
    await cluster.stop();
  });

  it('counts the time from before, but lets a node be heard that it finds lost', async () => {
    const cluster = await start({ lostForMs: 3_600_000 });
    await cluster.client.create(HEALING_POLICIES, policy({ giveUpAfter: '1h' }));
    await cluster.pass(115);
    expect((await cluster.volume())?.status?.phase).toBe('Bound');
    await cluster.pass(10);
    expect(await cluster.volume()).toBeUndefined();
  });

  it('of one of two pods that share the claim is not enough', async () => {
    const cluster = await start();
    await cluster.client.create(HEALING_POLICIES, policy({ giveUpAfter: '1m' }));
    await cluster.client.create(PODS, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { namespace: 'team', name: 'backup' },
      spec: {
        nodeName: 'a',
        containers: [{ name: 'main', image: 'x' }],
        volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }],
      },
    });
    await cluster.hear('a', 'Unknown');
    await cluster.pass(200);
    expect((await cluster.volume())?.status?.phase).toBe('Bound');
    await cluster.stop();
  });
});
