import { describe, expect, it } from 'vitest';
import { startWorkloads, type WorkloadCluster } from '../../../test/support/workload-cluster.ts';
import {
  CONTROLLER_REVISIONS,
  EVENTS,
  isNotFound,
  nameOf,
  PERSISTENT_VOLUME_CLAIMS,
  type Pod,
  PODS,
  STATEFUL_SETS,
  type StatefulSet,
  type StatefulSetSpec,
} from '../../api/index.ts';
import { volumeProtectionController } from '../volume-binding/volume-protection-controller.ts';
import { statefulSetController } from './stateful-set-controller.ts';

function start(): Promise<WorkloadCluster> {
  return startWorkloads((setup) => [
    statefulSetController({ ...setup, events: setup.events('statefulset-controller') }),
    volumeProtectionController(setup.informers, setup.client),
  ]);
}

function setOf(more: Partial<StatefulSetSpec> = {}, image = 'one'): StatefulSet {
  return {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: { namespace: 'team', name: 'web' },
    spec: {
      replicas: 3,
      serviceName: 'svc',
      selector: { matchLabels: { app: 'web' } },
      template: templateOf(image),
      ...more,
    },
  };
}

function templateOf(image: string) {
  return { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'c', image }] } };
}

const read = ({ client }: WorkloadCluster): Promise<StatefulSet> => client.get(STATEFUL_SETS, 'team', 'web');
const change = ({ client }: WorkloadCluster, spec: object): Promise<StatefulSet> =>
  client.patch(STATEFUL_SETS, 'team', 'web', 'merge', { spec });

async function names(cluster: WorkloadCluster): Promise<string[]> {
  return (await cluster.pods()).map(nameOf).toSorted();
}

async function images(cluster: WorkloadCluster): Promise<string[]> {
  const pods = (await cluster.pods()).toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
  return pods.map(({ spec }) => spec?.containers[0]?.image ?? '');
}

async function settled(cluster: WorkloadCluster): Promise<boolean> {
  const { metadata, spec, status } = await read(cluster);
  return (
    status?.observedGeneration === metadata?.generation &&
    (status?.readyReplicas ?? 0) === spec?.replicas &&
    status?.replicas === spec?.replicas &&
    status?.currentRevision === status?.updateRevision
  );
}

async function create(cluster: WorkloadCluster, set: StatefulSet): Promise<void> {
  await cluster.client.create(STATEFUL_SETS, set);
  await cluster.runUntil(() => settled(cluster), 'the set');
}

/** What the controller said of the set: "SuccessfulCreate create Pod web-0 …". */
async function said(cluster: WorkloadCluster): Promise<string[]> {
  await cluster.rest();
  const events = await cluster.client.list(EVENTS, { namespace: 'team' });
  return events.items.map(({ reason, message }) => `${reason} ${message}`);
}

describe('a StatefulSet', () => {
  it('is made in order, with stable names, and told', async () => {
    const cluster = await start();
    await cluster.client.create(STATEFUL_SETS, setOf());
    const seen: string[][] = [];
    await cluster.runUntil(async () => {
      seen.push(await names(cluster));
      return settled(cluster);
    }, 'the set');
    const lengths = seen.map((list) => list.length);
    expect(lengths).toEqual(lengths.toSorted((a, b) => a - b));
    expect(seen).toContainEqual(['web-0']);
    expect(seen).toContainEqual(['web-0', 'web-1']);
    const pod = await cluster.client.get(PODS, 'team', 'web-1');
    expect(pod).toMatchObject({
      metadata: {
        labels: { app: 'web', 'statefulset.kubernetes.io/pod-name': 'web-1', 'apps.kubernetes.io/pod-index': '1' },
        ownerReferences: [{ kind: 'StatefulSet', name: 'web', controller: true }],
      },
      spec: { hostname: 'web-1', subdomain: 'svc' },
    });
    const { status } = await read(cluster);
    expect(status).toMatchObject({ replicas: 3, readyReplicas: 3, availableReplicas: 3, currentReplicas: 3 });
    expect(await said(cluster)).toContain('SuccessfulCreate create Pod web-2 in StatefulSet web successful');
    await cluster.stop();
  });

  it('is updated from the highest down, remembers, and goes back', async () => {
    const cluster = await start();
    await create(cluster, setOf());
    const first = (await read(cluster)).status?.currentRevision;
    await change(cluster, { template: templateOf('two') });
    const seen = new Set<string>();
    await cluster.runUntil(async () => {
      seen.add((await images(cluster)).join());
      return settled(cluster);
    }, 'the update');
    expect([...seen]).toEqual(expect.arrayContaining(['one,one,one', 'one,one,two', 'one,two,two', 'two,two,two']));
    const revisions = await cluster.client.list(CONTROLLER_REVISIONS, { namespace: 'team' });
    expect(revisions.items.map(({ revision }) => revision)).toEqual([1, 2]);
    await cluster.client.patch(
      STATEFUL_SETS,
      'team',
      'web',
      'strategic',
      (await cluster.client.get(CONTROLLER_REVISIONS, 'team', first ?? '')).data,
    );
    await cluster.runUntil(() => settled(cluster), 'the way back');
    expect(await images(cluster)).toEqual(['one', 'one', 'one']);
    expect((await read(cluster)).status?.currentRevision).toBe(first);
    expect((await cluster.client.get(CONTROLLER_REVISIONS, 'team', first ?? '')).revision).toBe(3);
    await cluster.stop();
  });

  it('in phases: a canary, its crash, and the rest', async () => {
    const cluster = await start();
    await create(cluster, setOf());
    const strategy = (partition: number) => ({ updateStrategy: { rollingUpdate: { partition } } });
    await change(cluster, { ...strategy(2), template: templateOf('two') });
    await cluster.runUntil(async () => (await images(cluster)).join() === 'one,one,two', 'the canary');
    await cluster.runUntil(async () => (await read(cluster)).status?.readyReplicas === 3, 'its readiness');
    expect((await read(cluster)).status).toMatchObject({ updatedReplicas: 1, currentReplicas: 2 });
    for (const name of ['web-0', 'web-2']) await cluster.client.delete(PODS, 'team', name, { gracePeriodSeconds: 0 });
    await cluster.runUntil(async () => (await images(cluster)).length === 3, 'both again');
    expect(await images(cluster)).toEqual(['one', 'one', 'two']);
    await change(cluster, strategy(0));
    await cluster.runUntil(() => settled(cluster), 'the rest');
    expect(await images(cluster)).toEqual(['two', 'two', 'two']);
    await cluster.stop();
  });

  it('recovers from a bad update once its bad pod is deleted', async () => {
    const cluster = await start();
    await create(cluster, setOf());
    await change(cluster, { template: templateOf('bad') });
    const well = (pod: Pod): boolean => pod.spec?.containers[0]?.image !== 'bad';
    await cluster.runUntil(async () => (await images(cluster)).join() === 'one,one,bad', 'the bad one', well);
    await change(cluster, { template: templateOf('one') });
    await cluster.runPods(well);
    await cluster.rest();
    expect(await images(cluster)).toEqual(['one', 'one', 'bad']);
    await cluster.client.delete(PODS, 'team', 'web-2');
    await cluster.runUntil(() => settled(cluster), 'the recovery', well);
    expect(await images(cluster)).toEqual(['one', 'one', 'one']);
    await cluster.stop();
  });

  it('shrinks one at a time, and halts while one is sick', async () => {
    const cluster = await start();
    await create(cluster, setOf());
    const sick = (pod: Pod): boolean => nameOf(pod) !== 'web-0';
    await cluster.runPods(sick);
    await change(cluster, { replicas: 1 });
    for (let turn = 0; turn < 5; turn += 1) {
      await cluster.rest();
      await cluster.runPods(sick);
    }
    expect(await names(cluster)).toEqual(['web-0', 'web-1', 'web-2']);
    const seen = new Set<string>();
    await cluster.runUntil(async () => {
      seen.add((await names(cluster)).join());
      return settled(cluster);
    }, 'one');
    expect([...seen]).toEqual(expect.arrayContaining(['web-0,web-1', 'web-0']));
    await cluster.stop();
  });

  it('has no identity twice: what is deleted and not confirmed stays', async () => {
    const cluster = await start();
    await create(cluster, setOf({ podManagementPolicy: 'Parallel' }));
    const before = await cluster.client.get(PODS, 'team', 'web-1');
    await cluster.client.delete(PODS, 'team', 'web-1');
    for (let turn = 0; turn < 20; turn += 1) {
      await cluster.rest();
      await cluster.clock.advance(60_000);
    }
    const still = await cluster.client.get(PODS, 'team', 'web-1');
    expect(still.metadata?.uid).toBe(before.metadata?.uid);
    await cluster.client.delete(PODS, 'team', 'web-1', { gracePeriodSeconds: 0 });
    await cluster.runUntil(() => settled(cluster), 'the next one');
    expect((await cluster.client.get(PODS, 'team', 'web-1')).metadata?.uid).not.toBe(before.metadata?.uid);
    await cluster.stop();
  });

  it('replaces pods that failed', async () => {
    const cluster = await start();
    await create(cluster, setOf());
    const before = await cluster.client.get(PODS, 'team', 'web-1');
    await cluster.client.patch(PODS, 'team', 'web-1', 'merge', { status: { phase: 'Failed' } }, 'status');
    await cluster.runUntil(
      async () => (await cluster.client.get(PODS, 'team', 'web-1')).metadata?.uid !== before.metadata?.uid,
      'another web-1',
    );
    await cluster.runUntil(() => settled(cluster), 'its readiness');
    await cluster.stop();
  });

  it('replaces pods that a node keeps rejecting ever more slowly, and says so', async () => {
    const cluster = await start();
    await create(cluster, setOf({ replicas: 1 }));
    const uids = new Set<string>();
    for (let second = 0; second < 120; second += 1) {
      const [pod] = await cluster.pods();
      if (pod !== undefined) uids.add(pod.metadata?.uid ?? '');
      const status = { phase: 'Failed', reason: 'OutOfcpu', message: "Node didn't have enough resource" };
      if (pod?.status?.phase !== 'Failed')
        await cluster.client.patch(PODS, 'team', 'web-0', 'merge', { status }, 'status');
      await cluster.rest();
      await cluster.clock.advance(1000);
      await cluster.rest();
    }
    expect(uids.size).toBeGreaterThan(5);
    expect(uids.size).toBeLessThan(10);
    expect(await said(cluster)).toContainEqual(
      expect.stringMatching(/^BackOff Back-off recreating Pod web-0 for 32s: it failed again \(OutOfcpu: Node didn't/),
    );
    await cluster.runUntil(() => settled(cluster), 'its readiness after all');
    await cluster.stop();
  });

  it('adopts orphans of its names, and releases what matches no more', async () => {
    const cluster = await start();
    await create(cluster, setOf({ replicas: 1 }));
    const before = await cluster.client.get(PODS, 'team', 'web-0');
    const label = (app: string) =>
      cluster.client.patch(PODS, 'team', 'web-0', 'merge', { metadata: { labels: { app } } });
    await label('other');
    await cluster.rest();
    expect((await cluster.client.get(PODS, 'team', 'web-0')).metadata?.ownerReferences).toBeUndefined();
    expect(await said(cluster)).toContain(
      'FailedCreate create Pod web-0 in StatefulSet web failed error: pods "web-0" already exists',
    );
    await label('web');
    await cluster.runUntil(() => settled(cluster), 'its return');
    const after = await cluster.client.get(PODS, 'team', 'web-0');
    expect(after.metadata).toMatchObject({ uid: before.metadata?.uid, ownerReferences: [{ name: 'web' }] });
    await cluster.stop();
  });

  it('keeps no more history than it shall', async () => {
    const cluster = await start();
    await create(cluster, setOf({ replicas: 1, revisionHistoryLimit: 2 }));
    for (const image of ['two', 'three', 'four', 'five']) {
      await change(cluster, { template: templateOf(image) });
      await cluster.runUntil(() => settled(cluster), image);
    }
    await cluster.rest();
    const { items } = await cluster.client.list(CONTROLLER_REVISIONS, { namespace: 'team' });
    expect(items.map(({ revision }) => revision).toSorted((a, b) => a - b)).toEqual([3, 4, 5]);
    await cluster.stop();
  });

  it('takes another name when that of its revision is taken', async () => {
    const cluster = await start();
    await create(cluster, setOf({ replicas: 1 }));
    const name = (await read(cluster)).status?.currentRevision ?? '';
    await cluster.client.delete(STATEFUL_SETS, 'team', 'web', { propagationPolicy: 'Background' });
    // What an earlier set of that name left, which nobody collects here.
    await create(cluster, setOf({ replicas: 0 }));
    const { status } = await read(cluster);
    expect(status).toMatchObject({ collisionCount: 1 });
    expect(status?.currentRevision).not.toBe(name);
    await cluster.stop();
  });

  it('claims storage, gives it back its owner, and waits for what is going', async () => {
    const cluster = await start();
    const data = {
      metadata: { name: 'data' },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    };
    const retention = (whenDeleted: string, whenScaled: string) => ({
      persistentVolumeClaimRetentionPolicy: { whenDeleted, whenScaled },
    });
    await create(cluster, setOf({ replicas: 2, volumeClaimTemplates: [data], ...retention('Delete', 'Retain') }));
    const owners = async (name: string): Promise<string[]> => {
      const claim = await cluster.client.get(PERSISTENT_VOLUME_CLAIMS, 'team', name);
      return (claim.metadata?.ownerReferences ?? []).map((owner) => owner.name);
    };
    expect(await owners('data-web-0')).toEqual(['web']);
    expect(await said(cluster)).toContain(
      'SuccessfulCreate create Claim data-web-1 Pod web-1 in StatefulSet web success',
    );
    await change(cluster, retention('Retain', 'Delete'));
    await cluster.rest();
    expect(await owners('data-web-0')).toEqual([]);
    await change(cluster, { replicas: 1 });
    await cluster.rest();
    expect(await owners('data-web-1')).toEqual(['web-1']);
    await cluster.runUntil(() => settled(cluster), 'fewer');
    // Until the garbage collector (not here) took the claim away, its name is not used again.
    await change(cluster, { replicas: 2 });
    await cluster.rest();
    expect(await names(cluster)).toEqual(['web-0']);
    await cluster.client.delete(PERSISTENT_VOLUME_CLAIMS, 'team', 'data-web-1');
    await cluster.runUntil(() => settled(cluster), 'more again');
    await cluster.stop();
  });

  it('makes no history anew while the garbage collector takes it away', async () => {
    const cluster = await start();
    const { client } = cluster;
    await create(cluster, setOf());
    await client.delete(STATEFUL_SETS, 'team', 'web', { propagationPolicy: 'Foreground' });
    for (const revision of (await client.list(CONTROLLER_REVISIONS, { namespace: 'team' })).items)
      await client.delete(CONTROLLER_REVISIONS, 'team', nameOf(revision));
    await cluster.rest();
    expect((await client.list(CONTROLLER_REVISIONS, { namespace: 'team' })).items).toEqual([]);
    await cluster.stop();
  });

  it('does nothing more once it is being deleted', async () => {
    const cluster = await start();
    await create(cluster, setOf({ replicas: 1 }));
    await cluster.client.patch(STATEFUL_SETS, 'team', 'web', 'merge', {
      metadata: { finalizers: ['example.com/hold'] },
    });
    await cluster.client.delete(STATEFUL_SETS, 'team', 'web');
    await cluster.client.delete(PODS, 'team', 'web-0', { gracePeriodSeconds: 0 });
    await cluster.rest();
    await expect(cluster.client.get(PODS, 'team', 'web-0')).rejects.toSatisfy(isNotFound);
    await cluster.stop();
  });
});
