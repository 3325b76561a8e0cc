import { describe, expect, it } from 'vitest';
import { startWorkloads, type WorkloadCluster } from '../../../test/support/workload-cluster.ts';
import {
  CONTROLLER_REVISIONS,
  DAEMON_SETS,
  type DaemonSet,
  type DaemonSetSpec,
  EVENTS,
  nameOf,
  NODES,
  PODS,
  uidOf,
} from '../../api/index.ts';
import { daemonSetController } from './daemon-set-controller.ts';
import { targetNodeOf } from './daemon-pod.ts';

async function start(): Promise<WorkloadCluster> {
  const cluster = await startWorkloads((setup) => [
    daemonSetController({ ...setup, events: setup.events('daemonset-controller') }),
  ]);
  for (const name of ['node2', 'node3']) await addNode(cluster, name);
  return cluster;
}

async function addNode({ client }: WorkloadCluster, name: string): Promise<void> {
  await client.create(NODES, { apiVersion: 'v1', kind: 'Node', metadata: { name } });
}

function templateOf(image: string) {
  return { metadata: { labels: { app: 'dae' } }, spec: { containers: [{ name: 'c', image }] } };
}

function setOf(more: Partial<DaemonSetSpec> = {}): DaemonSet {
  return {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: { namespace: 'team', name: 'dae' },
    spec: { selector: { matchLabels: { app: 'dae' } }, template: templateOf('one'), ...more },
  };
}

const read = ({ client }: WorkloadCluster): Promise<DaemonSet> => client.get(DAEMON_SETS, 'team', 'dae');
const change = ({ client }: WorkloadCluster, spec: object): Promise<DaemonSet> =>
  client.patch(DAEMON_SETS, 'team', 'dae', 'merge', { spec });

async function settled(cluster: WorkloadCluster): Promise<boolean> {
  const { metadata, status } = await read(cluster);
  const wanted = status?.desiredNumberScheduled;
  return (
    status?.observedGeneration === metadata?.generation &&
    (status?.numberAvailable ?? 0) === wanted &&
    (status?.updatedNumberScheduled ?? 0) === wanted
  );
}

async function create(cluster: WorkloadCluster, set: DaemonSet): Promise<void> {
  await cluster.client.create(DAEMON_SETS, set);
  await cluster.runUntil(() => settled(cluster), 'the set');
}

/** "node1 one" for each pod, by node. */
async function placed(cluster: WorkloadCluster): Promise<string[]> {
  const pods = await cluster.pods();
  return pods.map((pod) => `${targetNodeOf(pod)} ${pod.spec?.containers[0]?.image}`).toSorted();
}

async function said(cluster: WorkloadCluster): Promise<string[]> {
  await cluster.rest();
  const events = await cluster.client.list(EVENTS, { namespace: 'team' });
  return events.items.map(({ reason, message }) => `${reason} ${message}`);
}

describe('a DaemonSet', () => {
  it('has a pod on every node, those that come included', async () => {
    const cluster = await start();
    await create(cluster, setOf());
    expect(await placed(cluster)).toEqual(['node1 one', 'node2 one', 'node3 one']);
    await addNode(cluster, 'node4');
    await cluster.rest();
    expect(await placed(cluster)).toContain('node4 one');
    await cluster.runUntil(() => settled(cluster), 'the fourth');
    expect((await read(cluster)).status).toMatchObject({ desiredNumberScheduled: 4, numberReady: 4 });
    await cluster.stop();
  });

  it('follows labels and taints', async () => {
    const cluster = await start();
    const template = templateOf('one');
    await create(
      cluster,
      setOf({ template: { ...template, spec: { ...template.spec, nodeSelector: { disk: 'ssd' } } } }),
    );
    expect(await placed(cluster)).toEqual([]);
    const label = (disk: string | null) =>
      cluster.client.patch(NODES, undefined, 'node2', 'merge', { metadata: { labels: { disk } } });
    const taint = (taints: object[]) => cluster.client.patch(NODES, undefined, 'node2', 'merge', { spec: { taints } });
    await label('ssd');
    await cluster.runUntil(async () => (await read(cluster)).status?.numberAvailable === 1, 'one');
    expect(await placed(cluster)).toEqual(['node2 one']);
    await taint([{ key: 'x', effect: 'NoSchedule' }]);
    await cluster.rest();
    expect((await read(cluster)).status).toMatchObject({ desiredNumberScheduled: 0, numberMisscheduled: 1 });
    await taint([{ key: 'x', effect: 'NoExecute' }]);
    await cluster.runUntil(async () => (await cluster.pods()).length === 0, 'none');
    await taint([]);
    await cluster.runUntil(async () => (await read(cluster)).status?.numberAvailable === 1, 'one again');
    await label(null);
    await cluster.runUntil(async () => (await cluster.pods()).length === 0, 'none again');
    expect((await read(cluster)).status).toMatchObject({ desiredNumberScheduled: 0, numberMisscheduled: 0 });
    await cluster.stop();
  });

  it('is updated node by node, and goes back without touching what fits', async () => {
    const cluster = await start();
    await create(cluster, setOf());
    await change(cluster, { template: templateOf('two') });
    const old = async (): Promise<number> => (await placed(cluster)).filter((text) => text.endsWith('one')).length;
    await cluster.runUntil(async () => (await old()) === 2, 'the first');
    const kept = (await cluster.pods()).filter(({ spec }) => spec?.containers[0]?.image === 'one').map(uidOf);
    // A roll back meanwhile leaves those alone that were not replaced yet.
    await change(cluster, { template: templateOf('one') });
    await cluster.runUntil(() => settled(cluster), 'the way back');
    expect((await cluster.pods()).map(uidOf)).toEqual(expect.arrayContaining(kept));
    expect(await placed(cluster)).toEqual(['node1 one', 'node2 one', 'node3 one']);
    const { items } = await cluster.client.list(CONTROLLER_REVISIONS, { namespace: 'team' });
    expect(items.map(({ revision }) => revision).toSorted((a, b) => a - b)).toEqual([2, 3]);
    expect((await read(cluster)).metadata?.annotations?.['deprecated.daemonset.template.generation']).toBe('3');
    await cluster.stop();
  });

  it('never has a node without a pod when it surges', async () => {
    const cluster = await start();
    await create(cluster, setOf({ updateStrategy: { rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } } }));
    await change(cluster, { template: templateOf('two') });
    let fewest = 3;
    await cluster.runUntil(async () => {
      const ready = (await cluster.pods()).filter(
        ({ status, metadata }) =>
          metadata?.deletionTimestamp === undefined &&
          status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True'),
      );
      fewest = Math.min(fewest, new Set(ready.map(targetNodeOf)).size);
      return settled(cluster);
    }, 'the update');
    await cluster.runUntil(async () => (await cluster.pods()).length === 3, 'the end of the old ones');
    expect(await placed(cluster)).toEqual(['node1 two', 'node2 two', 'node3 two']);
    expect(fewest).toBe(3);
    await cluster.stop();
  });

  it('waits for people with OnDelete', async () => {
    const cluster = await start();
    await create(cluster, setOf({ updateStrategy: { type: 'OnDelete' } }));
    await change(cluster, { template: templateOf('two') });
    await cluster.runPods();
    await cluster.rest();
    expect(await placed(cluster)).toEqual(['node1 one', 'node2 one', 'node3 one']);
    const [first] = await cluster.pods();
    await cluster.client.delete(PODS, 'team', nameOf(first ?? {}), { gracePeriodSeconds: 0 });
    await cluster.rest();
    expect(await placed(cluster)).toContain(`${targetNodeOf(first ?? {})} two`);
    await cluster.stop();
  });

  it('replaces pods that failed, ever more slowly', async () => {
    const cluster = await start();
    await create(cluster, setOf());
    const fail = async (): Promise<string> => {
      const pod = (await cluster.pods()).find((each) => targetNodeOf(each) === 'node1');
      await cluster.client.patch(PODS, 'team', nameOf(pod ?? {}), 'merge', { status: { phase: 'Failed' } }, 'status');
      await cluster.rest();
      return nameOf(pod ?? {});
    };
    const isThere = async (name: string): Promise<boolean> =>
      (await cluster.pods()).some((pod) => nameOf(pod) === name);
    const first = await fail();
    expect(await isThere(first)).toBe(false);
    const second = await fail();
    expect(await isThere(second)).toBe(true);
    await cluster.clock.advance(1000);
    await cluster.rest();
    expect(await isThere(second)).toBe(false);
    const third = await fail();
    await cluster.clock.advance(1900);
    await cluster.rest();
    expect(await isThere(third)).toBe(true);
    await cluster.clock.advance(200);
    await cluster.rest();
    expect(await isThere(third)).toBe(false);
    expect(await said(cluster)).toContain(
      `FailedDaemonPod Found failed daemon pod team/${first} on node node1, will try to kill it`,
    );
    await cluster.stop();
  });

  it('adopts what an earlier set of the same template left', async () => {
    const cluster = await start();
    await create(cluster, setOf());
    const before = (await cluster.pods()).map(uidOf);
    await cluster.client.delete(DAEMON_SETS, 'team', 'dae');
    // What `--cascade=orphan` leaves.
    const orphan = { metadata: { ownerReferences: null } };
    for (const pod of await cluster.pods()) await cluster.client.patch(PODS, 'team', nameOf(pod), 'merge', orphan);
    const { items } = await cluster.client.list(CONTROLLER_REVISIONS, { namespace: 'team' });
    for (const each of items) await cluster.client.patch(CONTROLLER_REVISIONS, 'team', nameOf(each), 'merge', orphan);
    await create(cluster, setOf());
    expect((await cluster.pods()).map(uidOf)).toEqual(before);
    expect((await cluster.pods())[0]?.metadata?.ownerReferences).toMatchObject([{ kind: 'DaemonSet' }]);
    await cluster.stop();
  });
});
