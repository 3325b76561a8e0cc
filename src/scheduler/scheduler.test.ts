import { describe, expect, it } from 'vitest';
import { createInMemoryApi, type InMemoryApi, until } from '../../test/support/in-memory-api.ts';
import { EVENTS, type Node, NODES, type Pod, PODS } from '../api/index.ts';
import { createMetrics, seededRandom, silentLogger } from '../lib/index.ts';
import { runScheduler } from './scheduler.ts';

async function start(): Promise<InMemoryApi & { stop(): Promise<void> }> {
  const api = await createInMemoryApi();
  const { client, clock } = api;
  const stop = new AbortController();
  const options = { client, clock, random: seededRandom(1), logger: silentLogger, metrics: createMetrics() };
  const running = runScheduler(options, stop.signal);
  return {
    ...api,
    stop: async () => {
      stop.abort(new Error('enough'));
      await running;
    },
  };
}

async function createNode({ client }: InMemoryApi, name: string, cpu = '1'): Promise<void> {
  const node: Node = { apiVersion: 'v1', kind: 'Node', metadata: { name } };
  await client.create(NODES, node);
  const status = { allocatable: { cpu, memory: '1Gi', pods: '110' } };
  await client.patch(NODES, undefined, name, 'merge', { status }, 'status');
}

function pod(name: string, cpu?: string, more: Partial<Pod['spec']> = {}): Pod {
  const resources = cpu === undefined ? {} : { resources: { requests: { cpu } } };
  const spec = { containers: [{ name: 'c', image: 'busybox', ...resources }], ...more };
  return { apiVersion: 'v1', kind: 'Pod', metadata: { namespace: 'default', name }, spec };
}

async function nodeOf({ client }: InMemoryApi, name: string): Promise<string | undefined> {
  return (await client.get(PODS, 'default', name)).spec?.nodeName;
}

async function messagesOf({ client }: InMemoryApi, name: string): Promise<string[]> {
  const { items } = await client.list(EVENTS, { namespace: 'default' });
  return items
    .filter(({ involvedObject }) => involvedObject.name === name)
    .map(({ reason, message }) => `${reason}: ${message}`);
}

describe('scheduler', () => {
  it('binds a pod at once, without any time passing, and says so', async () => {
    const cluster = await start();
    await createNode(cluster, 'node1');
    await cluster.client.create(PODS, pod('a'));
    await until(async () => (await nodeOf(cluster, 'a')) === 'node1', 'the binding');
    await until(async () => (await messagesOf(cluster, 'a')).length > 0, 'the event');
    expect(await messagesOf(cluster, 'a')).toEqual(['Scheduled: Successfully assigned default/a to node1']);
    const bound = await cluster.client.get(PODS, 'default', 'a');
    expect(bound.status?.conditions).toContainEqual(expect.objectContaining({ type: 'PodScheduled', status: 'True' }));
    await cluster.stop();
  });

  it('never promises the same room twice, however many pods come at once', async () => {
    const cluster = await start();
    await createNode(cluster, 'node1');
    await createNode(cluster, 'node2');
    await Promise.all(Array.from({ length: 12 }, (_, i) => cluster.client.create(PODS, pod(`p${i}`, '400m'))));
    await cluster.clock.advance(60_000);
    const { items } = await cluster.client.list(PODS, { namespace: 'default' });
    const perNode = Object.groupBy(items, ({ spec }) => spec?.nodeName ?? 'none');
    expect(perNode['node1']).toHaveLength(2);
    expect(perNode['node2']).toHaveLength(2);
    expect(perNode['none']).toHaveLength(8);
    await cluster.stop();
  });

  it('explains what fits nowhere, and tries again when room comes', async () => {
    const cluster = await start();
    const { client, clock } = cluster;
    await createNode(cluster, 'node1');
    await client.create(PODS, pod('big', '800m'));
    await until(async () => (await nodeOf(cluster, 'big')) === 'node1', 'the first binding');
    await client.create(PODS, pod('late', '800m'));
    const why =
      '0/1 nodes are available: 1 Insufficient cpu. no new claims to deallocate, preemption: ' +
      '0/1 nodes are available: 1 No preemption victims found for incoming pod.';
    await until(async () => (await messagesOf(cluster, 'late')).length > 0, 'the event');
    expect(await messagesOf(cluster, 'late')).toEqual([`FailedScheduling: ${why}`]);
    const waiting = await client.get(PODS, 'default', 'late');
    expect(waiting.status?.conditions).toContainEqual(
      expect.objectContaining({ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: why }),
    );
    await client.delete(PODS, 'default', 'big', { gracePeriodSeconds: 0 });
    await clock.advance(1000);
    await until(async () => (await nodeOf(cluster, 'late')) === 'node1', 'the second binding');
    await cluster.stop();
  });

  it('waits for the first node, and leaves other schedulers and gated pods alone', async () => {
    const cluster = await start();
    const { client, clock } = cluster;
    await client.create(PODS, pod('early'));
    await client.create(PODS, pod('foreign', undefined, { schedulerName: 'other' }));
    await client.create(PODS, pod('gated', undefined, { schedulingGates: [{ name: 'example.com/wait' }] }));
    await clock.advance(10_000);
    expect(await messagesOf(cluster, 'early')).toEqual(['FailedScheduling: no nodes available to schedule pods']);
    await createNode(cluster, 'node1');
    await clock.advance(10_000);
    expect(await nodeOf(cluster, 'early')).toBe('node1');
    expect(await nodeOf(cluster, 'foreign')).toBeUndefined();
    expect(await nodeOf(cluster, 'gated')).toBeUndefined();
    await cluster.stop();
  });
});
