/**
 * Tests the controller together with what an agent does for volumes that must be attached, in random orders: a volume is never
 * mounted where it is not attached, never at two nodes, and never detached while it is mounted.
 */
import { afterAll, afterEach, expect, it } from 'vitest';
import { CsiNode } from '../../../test/support/csi-node.ts';
import { startWorkloads, type WorkloadCluster } from '../../../test/support/workload-cluster.ts';
import {
  CONTROLLER_MANAGED_ATTACH,
  isConflict,
  isNotFound,
  NODES,
  PERSISTENT_VOLUME_CLAIMS,
  PERSISTENT_VOLUMES,
  type PersistentVolume,
  type Pod,
  PODS,
  uidOf,
  VOLUME_ATTACHMENTS,
} from '../../api/index.ts';
import { type CsiSupport, setUpCsi } from '../../kubelet/volumes/csi-volume.ts';
import { VolumeError } from '../../kubelet/volumes/payload.ts';
import { type Random, seededRandom } from '../../lib/index.ts';
import { settle } from '../../lib/manual-clock.node.ts';
import { sha256Hex } from '../../lib/sha256.node.ts';
import { attachDetachController } from './attach-detach-controller.ts';

const SOURCE = { driver: 'd', volumeHandle: 'h' };

/** One node with its agent. Its steps overlap with those of all others; like steps follow one another. */
class Agent {
  readonly node: CsiNode;
  readonly #cluster: WorkloadCluster;
  readonly #volume: PersistentVolume;
  #csi: CsiSupport;
  /** Those that the agent has seen, and has not cleared away. */
  readonly #known = new Map<string, Pod>();
  readonly #busy = new Set<string>();

  constructor(node: CsiNode, cluster: WorkloadCluster, volume: PersistentVolume) {
    this.node = node;
    this.#cluster = cluster;
    this.#volume = volume;
    this.#csi = node.agent(['stage']);
  }

  get isIdle(): boolean {
    return this.#known.size === 0 && this.#busy.size === 0;
  }

  /** The notes stay. */
  restart(): void {
    if (this.#busy.size === 0) this.#csi = this.node.agent(['stage']);
  }

  async #alone(what: string, work: () => Promise<void>): Promise<void> {
    if (this.#busy.has(what)) return;
    this.#busy.add(what);
    await work().finally(() => this.#busy.delete(what));
  }

  report(): Promise<void> {
    return this.#alone('report', async () => {
      const { client } = this.#cluster;
      const node = await client.get(NODES, undefined, this.node.name);
      const volumesInUse = [...(await this.#csi.inUse.toReport(node.status?.volumesInUse ?? []))];
      await settle();
      try {
        await client.update(NODES, { ...node, status: { ...node.status, volumesInUse } }, 'status');
        this.#csi.inUse.reported(volumesInUse);
      } catch (error) {
        if (!isConflict(error)) throw error;
      }
    });
  }

  /** Looks at its pods: mounts for those that are there, and clears away what is left of others. */
  look(): Promise<void> {
    return this.#alone('look', async () => {
      const { items } = await this.#cluster.client.list(PODS, { fieldSelector: `spec.nodeName=${this.node.name}` });
      for (const pod of items) this.#known.set(uidOf(pod), pod);
      for (const [uid, pod] of this.#known) {
        if (items.some((each) => uidOf(each) === uid)) await this.#mount(pod);
        else {
          await this.#csi.volumes.tearDown(uid);
          await settle();
          await this.#csi.inUse.release(uid);
          this.#known.delete(uid);
        }
      }
    });
  }

  async #mount(pod: Pod): Promise<void> {
    try {
      await setUpCsi(this.#csi, { pod, volumeName: 'data', volume: this.#volume, readOnly: false }, SOURCE);
    } catch (error) {
      if (!(error instanceof VolumeError) || error.operation !== 'MountVolume.WaitForAttach') throw error;
    }
  }
}

/** The driver's attacher, and the storage behind it. */
class Storage {
  readonly attachedTo = new Set<string>();
  readonly torn: string[] = [];
  readonly #cluster: WorkloadCluster;
  #isBusy = false;

  constructor(cluster: WorkloadCluster) {
    this.#cluster = cluster;
  }

  /** One attachment at a time. */
  async work(nodes: readonly CsiNode[]): Promise<void> {
    if (this.#isBusy) return;
    this.#isBusy = true;
    const { client } = this.#cluster;
    for (const { metadata = {}, spec, status } of (await client.list(VOLUME_ATTACHMENTS)).items) {
      const patch = (body: object, part?: string): Promise<unknown> =>
        client.patch(VOLUME_ATTACHMENTS, undefined, metadata.name ?? '', 'merge', body, part);
      const { nodeName } = spec;
      if (metadata.deletionTimestamp !== undefined) {
        const mounted = nodes.find(({ name }) => name === nodeName)?.mounts.size ?? 0;
        if (mounted > 0) this.torn.push(nodeName);
        this.attachedTo.delete(nodeName);
        await patch({ metadata: { finalizers: null } });
      } else if (status?.attached !== true) {
        await patch({ metadata: { finalizers: ['external-attacher/d'] } }).catch(() => {});
        this.attachedTo.add(nodeName);
        if (this.attachedTo.size > 1) this.torn.push('two nodes');
        await patch({ status: { attached: true } }, 'status').catch(() => {});
      }
    }
    this.#isBusy = false;
  }
}

let cluster: WorkloadCluster;
let nodes: CsiNode[] = [];
afterEach(async () => {
  await cluster.stop();
  for (const node of nodes.splice(0)) await node.remove();
});

async function makeVolume(): Promise<PersistentVolume> {
  const { client } = cluster;
  const accessModes = ['ReadWriteOnce'];
  const claim = await client.create(PERSISTENT_VOLUME_CLAIMS, {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { namespace: 'team', name: 'v' },
    spec: { accessModes, storageClassName: '', volumeName: 'v', resources: { requests: { storage: '1Gi' } } },
  });
  await client.patch(PERSISTENT_VOLUME_CLAIMS, 'team', 'v', 'merge', { status: { phase: 'Bound' } }, 'status');
  const claimRef = { namespace: 'team', name: 'v', uid: uidOf(claim) };
  const spec = { capacity: { storage: '1Gi' }, accessModes, storageClassName: '', claimRef, csi: SOURCE };
  return client.create(PERSISTENT_VOLUMES, {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name: 'v' },
    spec,
  });
}

async function start(): Promise<{ agents: readonly Agent[]; storage: Storage }> {
  cluster = await startWorkloads((setup) => [
    attachDetachController({ ...setup, events: setup.events('attachdetach-controller') }, { hash: sha256Hex }),
  ]);
  const { client } = cluster;
  const storage = new Storage(cluster);
  const volume = await makeVolume();
  for (const name of ['a', 'b']) {
    const annotations = { [CONTROLLER_MANAGED_ATTACH]: 'true' };
    await client.create(NODES, { apiVersion: 'v1', kind: 'Node', metadata: { name, annotations } });
    const conditions = [{ type: 'Ready', status: 'True' }];
    await client.patch(NODES, undefined, name, 'merge', { status: { conditions } }, 'status');
    const node = await CsiNode.create(name, cluster);
    node.onCall = ({ method }) => {
      const isMounting = method === 'stage' || method === 'publish';
      if (isMounting && !storage.attachedTo.has(name)) storage.torn.push(`${method} at ${name}, which has it not`);
    };
    nodes.push(node);
  }
  return { agents: nodes.map((node) => new Agent(node, cluster, volume)), storage };
}

async function createPod(name: string, nodeName: string): Promise<void> {
  const volumes = [{ name: 'data', persistentVolumeClaim: { claimName: 'v' } }];
  const spec = { nodeName, containers: [{ name: 'c', image: 'busybox' }], volumes };
  await cluster.client.create(PODS, { apiVersion: 'v1', kind: 'Pod', metadata: { namespace: 'team', name }, spec });
}

async function endPods(): Promise<void> {
  for (const { metadata } of await cluster.pods())
    await cluster.client
      .delete(PODS, 'team', metadata?.name ?? '', { gracePeriodSeconds: 0 })
      .catch((error: unknown) => {
        if (!isNotFound(error)) throw error;
      });
}

const STEPS = 120;

async function oneStep(step: number, random: Random, agents: readonly Agent[], storage: Storage): Promise<void> {
  const agent = agents[Math.floor(random.next() * 2)] ?? agents[0];
  const dice = random.next();
  if (agent === undefined) return;
  if (dice < 0.08) return createPod(`p${step}`, agent.node.name);
  if (dice < 0.13) return endPods();
  if (dice < 0.16) return agent.restart();
  if (dice < 0.45) return agent.report();
  if (dice < 0.78) return agent.look();
  return storage.work(nodes);
}

let mounts = 0;
afterAll(() => {
  // Orders in which nothing is ever mounted would prove nothing.
  if (mounts < 5) throw new Error(`only ${mounts} mounts in all orders`);
});

it.each([1, 2, 3, 4, 5, 6])('keeps a volume at one node, whatever comes first (seed %i)', async (seed) => {
  const random = seededRandom(seed);
  const { agents, storage } = await start();
  const open: Promise<void>[] = [];
  for (let step = 0; step < STEPS; step++) {
    open.push(oneStep(step, random, agents, storage));
    for (let turns = Math.floor(random.next() * 8); turns > 0; turns--) await settle();
    if (random.next() < 0.1) await cluster.clock.advance(1000);
    expect(storage.torn).toEqual([]);
  }
  await Promise.all(open);
  mounts += nodes.flatMap(({ calls }) => calls).filter(({ method }) => method === 'publish').length;
  // In the end nobody needs it, and all is cleared away.
  await endPods();
  const left = async (): Promise<number> => (await cluster.client.list(VOLUME_ATTACHMENTS)).items.length;
  for (let turn = 0; turn < 20 && (turn < 2 || (await left()) > 0); turn++) {
    for (const agent of agents) await agent.look().then(() => agent.report());
    await storage.work(nodes);
    await cluster.clock.advance(1000);
    await cluster.rest();
  }
  expect(agents.every(({ isIdle }) => isIdle)).toBe(true);
  expect([...storage.attachedTo]).toEqual([]);
  expect(storage.torn).toEqual([]);
  expect(await left()).toBe(0);
});
