/** The scheduler with claims that wait for their first consumer; provisioners are played by the tests. */
import { describe, expect, it } from 'vitest';
import { createInMemoryApi, type InMemoryApi, until } from '../../../test/support/in-memory-api.ts';
import {
  EVENTS,
  LOCAL_PROVISIONER,
  NODES,
  PERSISTENT_VOLUME_CLAIMS,
  PERSISTENT_VOLUMES,
  type PersistentVolumeClaim,
  PODS,
  PROVISIONED_BY,
  SELECTED_NODE,
  STORAGE_CLASSES,
  VOLUME_SPACE_ANNOTATION,
} from '../../api/index.ts';
import { createMetrics, seededRandom, silentLogger } from '../../lib/index.ts';
import { REFUSED_NODE_MS, VOLUME_BIND_TIMEOUT_MS, WRITE_CONCURRENCY } from '../limits.ts';
import { runScheduler } from '../scheduler.ts';

type Cluster = InMemoryApi & { stop(): Promise<void> };

async function start(nodes: readonly string[]): Promise<Cluster> {
  const api = await createInMemoryApi();
  const { client, clock } = api;
  const stop = new AbortController();
  const options = { client, clock, random: seededRandom(1), logger: silentLogger, metrics: createMetrics() };
  const running = runScheduler(options, stop.signal);
  await client.create(STORAGE_CLASSES, {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: { name: 'folders' },
    provisioner: LOCAL_PROVISIONER,
    volumeBindingMode: 'WaitForFirstConsumer',
  });
  for (const name of nodes) {
    const annotations = { [VOLUME_SPACE_ANNOTATION]: JSON.stringify({ capacityBytes: 10 * 2 ** 30 }) };
    const metadata = { name, annotations, labels: { 'kubernetes.io/hostname': name } };
    await client.create(NODES, { apiVersion: 'v1', kind: 'Node', metadata });
    const status = { allocatable: { cpu: '4', memory: '4Gi', pods: '110' } };
    await client.patch(NODES, undefined, name, 'merge', { status }, 'status');
  }
  return {
    ...api,
    stop: async () => {
      stop.abort(new Error('enough'));
      await running;
    },
  };
}

async function createClaim({ client }: InMemoryApi, name: string, storage = '1Gi'): Promise<PersistentVolumeClaim> {
  return client.create(PERSISTENT_VOLUME_CLAIMS, {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { namespace: 'default', name },
    spec: { storageClassName: 'folders', accessModes: ['ReadWriteOnce'], resources: { requests: { storage } } },
  });
}

async function createPod({ client }: InMemoryApi, name: string, claims: readonly string[]): Promise<void> {
  await client.create(PODS, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { namespace: 'default', name },
    spec: {
      containers: [{ name: 'c', image: 'x' }],
      volumes: claims.map((claimName) => ({ name: `v-${claimName}`, persistentVolumeClaim: { claimName } })),
    },
  });
}

async function selectedNode({ client }: InMemoryApi, name: string): Promise<string | undefined> {
  const { metadata } = await client.get(PERSISTENT_VOLUME_CLAIMS, 'default', name);
  return metadata?.annotations?.[SELECTED_NODE];
}

async function untilSelected(cluster: InMemoryApi, name: string): Promise<string> {
  let node: string | undefined;
  await until(async () => (node = await selectedNode(cluster, name)) !== undefined, `a node for ${name}`);
  return node ?? '';
}

async function nodeOf({ client }: InMemoryApi, name: string): Promise<string | undefined> {
  return (await client.get(PODS, 'default', name)).spec?.nodeName;
}

async function messagesOf({ client }: InMemoryApi, name: string): Promise<string[]> {
  const { items } = await client.list(EVENTS, { namespace: 'default' });
  return items.filter((each) => each.involvedObject.name === name).map(({ message }) => message ?? '');
}

/** Takes the selection back, as the provisioner does when the node cannot make the volume. */
async function refuse({ client }: InMemoryApi, name: string): Promise<void> {
  const metadata = { annotations: { [SELECTED_NODE]: null } };
  await client.patch(PERSISTENT_VOLUME_CLAIMS, 'default', name, 'merge', { metadata });
}

/** A volume on the node; `of` binds it to the claim, as provisioner and binder do. */
async function createVolume({ client }: InMemoryApi, name: string, node: string, of?: string): Promise<void> {
  const values = [node];
  const required = {
    nodeSelectorTerms: [{ matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'In', values }] }],
  };
  await client.create(PERSISTENT_VOLUMES, {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name, annotations: { [PROVISIONED_BY]: LOCAL_PROVISIONER } },
    spec: {
      storageClassName: 'folders',
      accessModes: ['ReadWriteOnce'],
      capacity: { storage: '1Gi' },
      local: { path: `/volumes/${name}` },
      nodeAffinity: { required },
      ...(of === undefined ? {} : { claimRef: { namespace: 'default', name: of } }),
    },
  });
  if (of !== undefined) await bindClaim({ client }, of, name);
}

async function bindClaim({ client }: Pick<InMemoryApi, 'client'>, name: string, volumeName: string): Promise<void> {
  const metadata = { annotations: { 'pv.kubernetes.io/bind-completed': 'yes' } };
  await client.patch(PERSISTENT_VOLUME_CLAIMS, 'default', name, 'merge', { metadata, spec: { volumeName } });
}

describe('claims that wait for their first consumer', () => {
  it('get a node, and the pod gets the same once they are bound', async () => {
    const cluster = await start(['a', 'b']);
    await createClaim(cluster, 'one');
    await createClaim(cluster, 'two');
    await createPod(cluster, 'p', ['one', 'two']);
    const node = await untilSelected(cluster, 'one');
    expect(await untilSelected(cluster, 'two')).toBe(node);
    await createVolume(cluster, 'v1', node, 'one');
    await cluster.clock.advance(1000);
    expect(await nodeOf(cluster, 'p')).toBeUndefined();
    await createVolume(cluster, 'v2', node, 'two');
    await until(async () => (await nodeOf(cluster, 'p')) === node, 'the binding');
    await cluster.stop();
  });

  it('lead all pods that share them to one node', async () => {
    const cluster = await start(['a', 'b']);
    await createClaim(cluster, 'one');
    await createPod(cluster, 'p', ['one']);
    await createPod(cluster, 'q', ['one']);
    const node = await untilSelected(cluster, 'one');
    await createVolume(cluster, 'v1', node, 'one');
    for (const name of ['p', 'q']) await until(async () => (await nodeOf(cluster, name)) === node, `binding ${name}`);
    await cluster.stop();
  });

  it('do not get more than the node has, however many come at once', async () => {
    const cluster = await start(['a']);
    for (const name of ['one', 'two', 'three']) {
      await createClaim(cluster, name, '4Gi');
      await createPod(cluster, `p-${name}`, [name]);
    }
    const selected = async (): Promise<number> => {
      const all = await Promise.all(['one', 'two', 'three'].map((name) => selectedNode(cluster, name)));
      return all.filter((node) => node !== undefined).length;
    };
    await until(async () => (await selected()) === 2, 'two of them');
    await until(async () => (await messagesOf(cluster, 'p-three')).length > 0, 'why not the third');
    expect((await messagesOf(cluster, 'p-three'))[0]).toContain('1 node(s) did not have enough free storage');
    await createVolume(cluster, 'v1', 'a', 'one');
    // A claim that is deleted gives its room back.
    await cluster.client.delete(PODS, 'default', 'p-two', { gracePeriodSeconds: 0 });
    await cluster.client.patch(PERSISTENT_VOLUME_CLAIMS, 'default', 'two', 'merge', { metadata: { finalizers: null } });
    await cluster.client.delete(PERSISTENT_VOLUME_CLAIMS, 'default', 'two');
    await cluster.clock.advance(20_000);
    expect(await untilSelected(cluster, 'three')).toBe('a');
    await cluster.stop();
  });

  it('get another node when the first cannot make the volume, and the first again later', async () => {
    const cluster = await start(['a', 'b']);
    await createClaim(cluster, 'one');
    await createPod(cluster, 'p', ['one']);
    const first = await untilSelected(cluster, 'one');
    await refuse(cluster, 'one');
    await cluster.clock.advance(1000);
    const second = await untilSelected(cluster, 'one');
    expect([first, second].toSorted()).toEqual(['a', 'b']);
    expect((await messagesOf(cluster, 'p')).join()).toContain(
      'running PreBind plugin "VolumeBinding": binding volumes: provisioning failed for PVC "one"',
    );
    await refuse(cluster, 'one');
    await cluster.clock.advance(10_000);
    expect(await selectedNode(cluster, 'one')).toBeUndefined();
    await cluster.clock.advance(REFUSED_NODE_MS + 10_000);
    await untilSelected(cluster, 'one');
    await cluster.stop();
  });

  it('take a free volume that suits, and each its own', async () => {
    const cluster = await start(['a', 'b']);
    await createVolume(cluster, 'v1', 'b');
    await createVolume(cluster, 'v2', 'b');
    await createClaim(cluster, 'one');
    await createClaim(cluster, 'two');
    await cluster.client.patch(NODES, undefined, 'a', 'merge', { spec: { unschedulable: true } });
    await createPod(cluster, 'p', ['one', 'two']);
    const refs = async (): Promise<readonly (string | undefined)[]> =>
      (await cluster.client.list(PERSISTENT_VOLUMES)).items.map(({ spec }) => spec?.claimRef?.name);
    await until(async () => (await refs()).every((name) => name !== undefined), 'both volumes');
    expect(new Set(await refs())).toEqual(new Set(['one', 'two']));
    expect(await selectedNode(cluster, 'one')).toBeUndefined();
    for (const { spec, metadata } of (await cluster.client.list(PERSISTENT_VOLUMES)).items)
      await bindClaim(cluster, spec?.claimRef?.name ?? '', metadata?.name ?? '');
    await until(async () => (await nodeOf(cluster, 'p')) === 'b', 'the binding');
    await cluster.stop();
  });

  it('hold nobody else up, and are not waited for for ever', async () => {
    const cluster = await start(['a']);
    const count = WRITE_CONCURRENCY + 5;
    for (let i = 0; i < count; i += 1) {
      await createClaim(cluster, `c${i}`, '1Mi');
      await createPod(cluster, `p${i}`, [`c${i}`]);
    }
    await untilSelected(cluster, `c${count - 1}`);
    await createPod(cluster, 'plain', []);
    await until(async () => (await nodeOf(cluster, 'plain')) === 'a', 'a pod without claims');
    await cluster.clock.advance(VOLUME_BIND_TIMEOUT_MS);
    await until(async () => (await messagesOf(cluster, 'p0')).length > 0, 'the end of the wait');
    expect((await messagesOf(cluster, 'p0')).join()).toContain('binding volumes: context deadline exceeded');
    await cluster.stop();
  });

  it('do not keep a pod that is gone, nor a node', async () => {
    const cluster = await start(['a', 'b']);
    await createClaim(cluster, 'one');
    await createPod(cluster, 'p', ['one']);
    const node = await untilSelected(cluster, 'one');
    await cluster.client.delete(PODS, 'default', 'p', { gracePeriodSeconds: 0 });
    await cluster.client.delete(NODES, undefined, node);
    await refuse(cluster, 'one');
    await createPod(cluster, 'q', ['one']);
    const other = await untilSelected(cluster, 'one');
    expect([node, other].toSorted()).toEqual(['a', 'b']);
    await cluster.client.delete(NODES, undefined, other);
    await until(async () => (await messagesOf(cluster, 'q')).length > 0, 'what became of the node');
    expect((await messagesOf(cluster, 'q')).join()).toContain(`node "${other}" not found`);
    await cluster.stop();
  });
});
