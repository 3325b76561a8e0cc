import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  controllerOf,
  EVENTS,
  type KubeObject,
  nameOf,
  type Pod,
  PODS,
  REPLICA_SETS,
  type ReplicaSet,
  REPLICATION_CONTROLLERS,
  RESOURCE_QUOTAS,
  uidOf,
} from '../../api/index.ts';
import { startWorkloads, type WorkloadCluster } from '../../../test/support/workload-cluster.ts';

import { replicationController } from '../replication-controller/replication-controller.ts';
import { replicaSetController } from './replicaset-controller.ts';

let cluster: WorkloadCluster;

beforeEach(async () => {
  cluster = await startWorkloads((setup) => [
    replicaSetController({ ...setup, events: setup.events('replicaset-controller') }),
    replicationController({ ...setup, events: setup.events('replication-controller') }),
  ]);
});
afterEach(async () => {
  await cluster.stop();
});

const template = { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'c', image: 'busybox' }] } };

function replicaSet(name: string, replicas: number, more: object = {}): ReplicaSet {
  return {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: { namespace: 'team', name },
    spec: { replicas, selector: { matchLabels: { app: 'web' } }, template, ...more },
  };
}

function pod(name: string, labels: Record<string, string>): Pod {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { namespace: 'team', name, labels },
    spec: { containers: [{ name: 'c', image: 'busybox' }] },
  };
}

async function statusOf(name = 'web') {
  return (await cluster.client.get(REPLICA_SETS, 'team', name)).status;
}

async function events(reason: string): Promise<string[]> {
  const { items } = await cluster.client.list(EVENTS, { namespace: 'team' });
  return items.flatMap((event) => (event.reason === reason ? [event.message ?? ''] : []));
}

async function scale(replicas: number, name = 'web'): Promise<void> {
  await cluster.client.patch(REPLICA_SETS, 'team', name, 'merge', { spec: { replicas } });
}

async function fail(each: Pod, reason = 'Evicted'): Promise<void> {
  await cluster.client.patch(PODS, 'team', nameOf(each), 'merge', { status: { phase: 'Failed', reason } }, 'status');
}

describe('replica set', () => {
  it('keeps the number, and tells it', async () => {
    const { client } = cluster;
    await client.create(REPLICA_SETS, replicaSet('web', 3));
    await cluster.runUntil(async () => (await statusOf())?.availableReplicas === 3, 'three pods');
    expect(await statusOf()).toEqual({
      replicas: 3,
      fullyLabeledReplicas: 3,
      readyReplicas: 3,
      availableReplicas: 3,
      terminatingReplicas: 0,
      observedGeneration: 1,
    });
    const pods = await cluster.pods();
    expect(pods.map(nameOf).every((name) => /^web-[a-z0-9]{5}$/.test(name))).toBe(true);
    expect(await events('SuccessfulCreate')).toHaveLength(3);
    expect((await events('SuccessfulCreate'))[0]).toMatch(/^Created pod: web-/);

    await scale(1);
    await cluster.rest();
    expect(await statusOf()).toMatchObject({ replicas: 1, terminatingReplicas: 2 });
    await cluster.runPods();
    await cluster.rest();
    expect(await statusOf()).toMatchObject({ replicas: 1, terminatingReplicas: 0, observedGeneration: 2 });
    expect(await events('SuccessfulDelete')).toHaveLength(2);
  });

  it('adopts pods that match and lets go of those that do not any more', async () => {
    const { client } = cluster;
    const orphan = await client.create(PODS, pod('orphan', { app: 'web' }));
    await client.create(REPLICA_SETS, replicaSet('web', 2));
    await cluster.rest();
    const owner = await client.get(REPLICA_SETS, 'team', 'web');
    expect(await cluster.pods()).toHaveLength(2);
    expect(controllerOf(await client.get(PODS, 'team', 'orphan'))?.uid).toBe(uidOf(owner));
    expect(uidOf(await client.get(PODS, 'team', 'orphan'))).toBe(uidOf(orphan));

    await client.patch(PODS, 'team', 'orphan', 'merge', { metadata: { labels: { app: 'debug' } } });
    await cluster.rest();
    expect(controllerOf(await client.get(PODS, 'team', 'orphan'))).toBeUndefined();
    expect(await cluster.pods('app=web')).toHaveLength(2);

    await client.create(PODS, pod('late', { app: 'web' }));
    await cluster.rest();
    expect(
      (await cluster.pods('app=web')).filter((each) => each.metadata?.deletionTimestamp === undefined),
    ).toHaveLength(2);
  });

  it('replaces pods that ended, and does not count them', async () => {
    const { client } = cluster;
    await client.create(REPLICA_SETS, replicaSet('web', 2));
    await cluster.runUntil(async () => (await statusOf())?.readyReplicas === 2, 'two pods');
    await fail((await cluster.pods())[0] as Pod);
    await cluster.rest();
    expect(await statusOf()).toMatchObject({ replicas: 2, readyReplicas: 1 });
    expect(await cluster.pods()).toHaveLength(3);
  });

  it('backs off when no node takes its pods', async () => {
    const { client, clock } = cluster;
    await client.create(REPLICA_SETS, replicaSet('web', 3));
    for (let second = 0; second < 120; second += 1) {
      await cluster.rest();
      for (const each of await cluster.pods()) if (each.status?.phase === 'Pending') await fail(each, 'OutOfcpu');
      await clock.advance(1000);
    }
    const count = (await cluster.pods()).length;
    expect(count).toBeGreaterThan(12);
    expect(count).toBeLessThan(36);
    expect((await events('BackOff')).at(-1)).toMatch(/^Back-off creating pods for 32s: .* last web-\w+ \(OutOfcpu\)$/);
    // Once one lives, the rest comes at once.
    await cluster.runUntil(async () => (await statusOf())?.readyReplicas === 3, 'three pods after all');
  });

  it('waits until pods have been ready for long enough', async () => {
    const { client, clock } = cluster;
    await client.create(REPLICA_SETS, replicaSet('web', 2, { minReadySeconds: 30 }));
    await cluster.rest();
    await cluster.runPods();
    await cluster.rest();
    expect(await statusOf()).toMatchObject({ readyReplicas: 2 });
    expect((await statusOf())?.availableReplicas).toBeUndefined();
    await clock.advance(29_000);
    expect((await statusOf())?.availableReplicas).toBeUndefined();
    await clock.advance(1000);
    expect((await statusOf())?.availableReplicas).toBe(2);
  });

  it('says what it may not create, and that it may again', async () => {
    const { client, clock } = cluster;
    const quota = {
      apiVersion: 'v1',
      kind: 'ResourceQuota',
      metadata: { namespace: 'team', name: 'q' },
      spec: { hard: { pods: '2' } },
    };
    await client.create(RESOURCE_QUOTAS, quota);
    await client.create(REPLICA_SETS, replicaSet('web', 3));
    await cluster.rest();
    expect(await statusOf()).toMatchObject({
      replicas: 2,
      conditions: [{ type: 'ReplicaFailure', status: 'True', reason: 'FailedCreate' }],
    });
    const text = /^pods "web-\w+" is forbidden: exceeded quota: q, requested: pods=1, used: pods=2, limited: pods=2$/;
    expect((await statusOf())?.conditions?.[0]?.message).toMatch(text);
    expect((await events('FailedCreate'))[0]).toMatch(/^Error creating: pods "web-\w+" is forbidden: exceeded quota/);
    await scale(2);
    await clock.advance(1000);
    expect((await statusOf())?.conditions).toBeUndefined();

    // However long it has been refused: it does not wait for its next try when there is room.
    await scale(3);
    await clock.advance(3_600_000);
    expect(await statusOf()).toMatchObject({ replicas: 2, conditions: [{ type: 'ReplicaFailure' }] });
    await client.patch(RESOURCE_QUOTAS, 'team', 'q', 'merge', { spec: { hard: { pods: '3' } } });
    await cluster.rest();
    expect(await statusOf()).toMatchObject({ replicas: 3 });
    expect((await statusOf())?.conditions).toBeUndefined();
  });

  it('gives up its pods, not its order, while it is being deleted', async () => {
    const { client } = cluster;
    const held = replicaSet('web', 2);
    await client.create(REPLICA_SETS, { ...held, metadata: { ...held.metadata, finalizers: ['example.com/hold'] } });
    await cluster.rest();
    await client.delete(REPLICA_SETS, 'team', 'web', { propagationPolicy: 'Background' });
    await client.delete(PODS, 'team', nameOf((await cluster.pods())[0] as Pod), { gracePeriodSeconds: 0 });
    await cluster.rest();
    expect(await cluster.pods()).toHaveLength(1);
    expect(await statusOf()).toMatchObject({ replicas: 1 });
  });

  it('of a thousand pods is there at once, and gone', { timeout: 60_000 }, async () => {
    const { client, clock } = cluster;
    await client.create(REPLICA_SETS, replicaSet('web', 1000));
    await clock.advance(1000);
    await cluster.rest();
    expect(await cluster.pods()).toHaveLength(1000);
    expect(await statusOf()).toMatchObject({ replicas: 1000 });
    await scale(0);
    await clock.advance(1000);
    await cluster.rest();
    expect(await cluster.pods()).toHaveLength(0);
    // Two bursts up and two down, and what each made known; not one reconcile per pod.
    const reconciles = /controller_runtime_reconcile_total\{controller="replicaset",result="success"\} (\d+)/.exec(
      cluster.metrics.text(),
    );
    expect(Number(reconciles?.[1])).toBeLessThan(500);
  });
});

it('a replication controller does the same', async () => {
  const { client } = cluster;
  const controller: KubeObject = {
    apiVersion: 'v1',
    kind: 'ReplicationController',
    metadata: { namespace: 'team', name: 'web' },
    spec: { replicas: 2, template },
  } as KubeObject;
  await client.create(REPLICATION_CONTROLLERS, controller);
  const status = async () => (await client.get(REPLICATION_CONTROLLERS, 'team', 'web')).status;
  await cluster.runUntil(async () => (await status())?.availableReplicas === 2, 'two pods');
  expect(await status()).toEqual({
    replicas: 2,
    fullyLabeledReplicas: 2,
    readyReplicas: 2,
    availableReplicas: 2,
    observedGeneration: 1,
  });
  const reference = controllerOf((await cluster.pods())[0] as Pod);
  expect(reference).toMatchObject({ apiVersion: 'v1', kind: 'ReplicationController', name: 'web' });
});
