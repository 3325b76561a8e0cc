/** The scheduler with a CSI driver that can have few volumes on a node; who attaches and detaches them is played by the test. */
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { createInMemoryApi } from '../../../test/support/in-memory-api.ts';
import {
  CSI_NODES,
  type KubeObject,
  NODES,
  PERSISTENT_VOLUME_CLAIMS,
  PERSISTENT_VOLUMES,
  type Pod,
  PODS,
  type Resource,
  VOLUME_ATTACHMENTS,
} from '../../api/index.ts';
import type { KubeClient } from '../../client/index.ts';
import { createMetrics, seededRandom, silentLogger } from '../../lib/index.ts';
import { settle } from '../../lib/manual-clock.node.ts';
import { runScheduler } from '../scheduler.ts';

const DRIVER = 'disk.example.com';
const VOLUMES = ['u', 'v', 'w', 'x', 'y'];
const NODE_NAMES = ['node1', 'node2'];
const STORAGE = { apiVersion: 'storage.k8s.io/v1' };

async function createObjects(client: KubeClient): Promise<void> {
  for (const name of NODE_NAMES) {
    await client.create(NODES, { apiVersion: 'v1', kind: 'Node', metadata: { name } });
    const status = { allocatable: { cpu: '4', memory: '4Gi', pods: '110' } };
    await client.patch(NODES, undefined, name, 'merge', { status }, 'status');
    const drivers = [{ name: DRIVER, nodeID: name, allocatable: { count: 1 } }];
    await client.create(CSI_NODES, { ...STORAGE, kind: 'CSINode', metadata: { name }, spec: { drivers } });
  }
  for (const name of VOLUMES) {
    const shared = { accessModes: ['ReadWriteOnce'], storageClassName: '' };
    const csi = { driver: DRIVER, volumeHandle: name };
    const claimRef = { namespace: 'default', name };
    await client.create(PERSISTENT_VOLUMES, {
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: { name },
      spec: { ...shared, capacity: { storage: '1Gi' }, csi, claimRef },
    });
    await client.create(PERSISTENT_VOLUME_CLAIMS, {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { namespace: 'default', name },
      spec: { ...shared, resources: { requests: { storage: '1Gi' } }, volumeName: name },
    });
    await client.patch(PERSISTENT_VOLUME_CLAIMS, 'default', name, 'merge', { status: { phase: 'Bound' } }, 'status');
  }
}

async function createPod(client: KubeClient, name: string, claims: readonly string[]): Promise<void> {
  const volumes = claims.map((claimName) => ({ name: claimName, persistentVolumeClaim: { claimName } }));
  const spec = { containers: [{ name: 'c', image: 'x' }], volumes };
  await client.create(PODS, { apiVersion: 'v1', kind: 'Pod', metadata: { namespace: 'default', name }, spec });
}

interface State {
  readonly waiting: readonly Pod[];
  /** Node → its volumes, and how many it can have. */
  readonly nodes: ReadonlyMap<string, { readonly volumes: ReadonlySet<string>; readonly limit: number }>;
}

const volumesOf = ({ spec }: Pod): readonly string[] => (spec?.volumes ?? []).map(({ name }) => name);

async function stateOf(client: KubeClient): Promise<State> {
  const pods = (await client.list(PODS, { namespace: 'default' })).items;
  const attachments = (await client.list(VOLUME_ATTACHMENTS)).items;
  const nodes = new Map<string, { volumes: Set<string>; limit: number }>();
  for (const name of NODE_NAMES) {
    const { spec } = await client.get(CSI_NODES, undefined, name);
    const volumes = new Set([
      ...pods.filter((pod) => pod.spec?.nodeName === name).flatMap(volumesOf),
      ...attachments.flatMap((each) =>
        each.spec.nodeName === name ? [each.spec.source.persistentVolumeName ?? ''] : [],
      ),
    ]);
    nodes.set(name, { volumes, limit: spec.drivers[0]?.allocatable?.count ?? 0 });
  }
  return { waiting: pods.filter((pod) => (pod.spec?.nodeName ?? '') === ''), nodes };
}

/** Attaches the volumes of the pods of a node, as a controller does some time after the pods came. */
async function attachAll(client: KubeClient, nodeName: string): Promise<void> {
  const known = new Set((await client.list(VOLUME_ATTACHMENTS)).items.map(({ metadata }) => metadata?.name));
  for (const pod of (await client.list(PODS, { namespace: 'default' })).items) {
    if (pod.spec?.nodeName !== nodeName) continue;
    for (const persistentVolumeName of volumesOf(pod)) {
      const name = `${nodeName}-${persistentVolumeName}`;
      if (known.has(name)) continue;
      known.add(name);
      const spec = { attacher: DRIVER, nodeName, source: { persistentVolumeName } };
      await client.create(VOLUME_ATTACHMENTS, { ...STORAGE, kind: 'VolumeAttachment', metadata: { name }, spec });
    }
  }
}

async function removeOne<T extends KubeObject>(client: KubeClient, kind: Resource<T>, which: number): Promise<void> {
  const { items } = await client.list(kind);
  const { namespace, name } = items[which % Math.max(1, items.length)]?.metadata ?? {};
  if (name !== undefined) await client.delete(kind, namespace, name, { gracePeriodSeconds: 0 });
}

async function refuseTooMany(client: KubeClient): Promise<void> {
  for (let turn = 0; turn < 8; turn += 1) await settle();
  for (const { volumes, limit } of (await stateOf(client)).nodes.values())
    expect(volumes.size).toBeLessThanOrEqual(limit);
}

it('never has more volumes on a node than its driver can have, and leaves nobody waiting who fits', async () => {
  const node = fc.constantFrom(...NODE_NAMES);
  const step = fc.oneof(
    { weight: 3, arbitrary: fc.record({ create: fc.subarray(VOLUMES, { minLength: 1, maxLength: 2 }) }) },
    fc.record({ remove: fc.nat() }),
    fc.record({ attach: node }),
    fc.record({ detach: fc.nat() }),
    fc.record({ grow: node }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 8, maxLength: 20 }), async (steps) => {
      const api = await createInMemoryApi();
      const { client, clock } = api;
      await createObjects(client);
      const stop = new AbortController();
      const options = { client, clock, random: seededRandom(1), logger: silentLogger, metrics: createMetrics() };
      const running = runScheduler(options, stop.signal);
      let made = 0;
      for (const each of steps) {
        if ('create' in each) await createPod(client, `p${(made += 1)}`, each.create);
        else if ('attach' in each) await attachAll(client, each.attach);
        else if ('grow' in each) {
          const limit = (await stateOf(client)).nodes.get(each.grow)?.limit ?? 0;
          const drivers = [{ name: DRIVER, nodeID: each.grow, allocatable: { count: limit + 1 } }];
          await client.patch(CSI_NODES, undefined, each.grow, 'merge', { spec: { drivers } });
        } else {
          if ('remove' in each) await removeOne(client, PODS, each.remove);
          else await removeOne(client, VOLUME_ATTACHMENTS, each.detach);
        }
        await refuseTooMany(client);
      }
      await clock.advance(15_000);
      // From here on nothing but the end of an attachment can help a pod that waits.
      for (const { metadata } of (await client.list(VOLUME_ATTACHMENTS)).items)
        await client.delete(VOLUME_ATTACHMENTS, undefined, metadata?.name ?? '');
      await clock.advance(15_000);
      await refuseTooMany(client);
      const { waiting, nodes } = await stateOf(client);
      for (const pod of waiting) {
        for (const [name, { volumes, limit }] of nodes) {
          const after = new Set([...volumes, ...volumesOf(pod)]);
          const fits = after.size <= limit || after.size === volumes.size;
          expect(`${pod.metadata?.name} on ${name}: ${fits}`).toBe(`${pod.metadata?.name} on ${name}: false`);
        }
      }
      stop.abort(new Error('enough'));
      await running;
    }),
    { numRuns: 6 },
  );
});
