import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createInMemoryApi, type InMemoryApi, until } from '../../test/support/in-memory-api.ts';
import { EVENTS, LEASES, type Node, NODES, type Pod, PODS, PRIORITY_CLASSES } from '../api/index.ts';
import { createKubeClient } from '../client/index.ts';
import {
  type Connection,
  ConnectionError,
  createMetrics,
  type MetricsRegistry,
  seededRandom,
  silentLogger,
} from '../lib/index.ts';
import { runScheduler } from './scheduler.ts';

type Cluster = InMemoryApi & { readonly metrics: MetricsRegistry; stop(): Promise<void> };

/** @param through wraps the connection between the scheduler and the server */
async function start(through: (connection: Connection) => Connection = (connection) => connection): Promise<Cluster> {
  const api = await createInMemoryApi();
  const { clock } = api;
  const stop = new AbortController();
  const metrics = createMetrics();
  const client = createKubeClient(through(api.connection), { clock });
  const options = { client, clock, random: seededRandom(1), logger: silentLogger, metrics };
  const running = runScheduler(options, stop.signal);
  return {
    ...api,
    metrics,
    stop: async () => {
      stop.abort(new Error('enough'));
      await running;
    },
  };
}

async function createClass({ client }: InMemoryApi, name: string, value: number): Promise<void> {
  const kind = { apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass' };
  await client.create(PRIORITY_CLASSES, { ...kind, metadata: { name }, value });
}

async function createNode({ client }: InMemoryApi, name: string, cpu = '1'): Promise<void> {
  const metadata = { name, labels: { 'kubernetes.io/hostname': name } };
  const node: Node = { apiVersion: 'v1', kind: 'Node', metadata };
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

  it('gives room to the most important first', async () => {
    const cluster = await start();
    const { client, clock } = cluster;
    await client.create(PODS, pod('low', '1', { priority: 0 }));
    await createClass(cluster, 'high', 100);
    await client.create(PODS, pod('high', '1', { priorityClassName: 'high' }));
    await clock.advance(1000);
    await createNode(cluster, 'node1');
    await clock.advance(2000);
    expect([await nodeOf(cluster, 'high'), await nodeOf(cluster, 'low')]).toEqual(['node1', undefined]);
    await cluster.stop();
  });

  it('preempts: says why, waits until the victim has gone, and keeps its place', async () => {
    const cluster = await start();
    const { client, clock } = cluster;
    await createNode(cluster, 'node1');
    await createClass(cluster, 'high', 100);
    await createClass(cluster, 'middle', 50);
    await client.create(PODS, pod('victim', '800m'));
    await until(async () => (await nodeOf(cluster, 'victim')) === 'node1', 'the first binding');
    await client.create(PODS, pod('vip', '800m', { priorityClassName: 'high' }));
    const ends = async () => (await client.get(PODS, 'default', 'victim')).metadata?.deletionTimestamp !== undefined;
    await until(ends, 'the victim to end');
    const victim = await client.get(PODS, 'default', 'victim');
    expect(victim.status?.conditions).toContainEqual(
      expect.objectContaining({
        type: 'DisruptionTarget',
        status: 'True',
        reason: 'PreemptionByScheduler',
        message: 'default-scheduler: preempting to accommodate a higher priority pod',
      }),
    );
    const vip = await client.get(PODS, 'default', 'vip');
    expect(vip.status?.nominatedNodeName).toBe('node1');
    await until(async () => (await messagesOf(cluster, 'victim')).length > 1, 'the event');
    expect(await messagesOf(cluster, 'victim')).toContain(
      `Preempted: Preempted by pod ${vip.metadata?.uid} on node node1`,
    );
    expect(await messagesOf(cluster, 'vip')).toEqual([
      'FailedScheduling: 0/1 nodes are available: 1 Insufficient cpu.',
    ]);
    // A pod of a priority between the two that comes in between must not get the room.
    await client.create(PODS, pod('middle', '800m', { priorityClassName: 'middle' }));
    await clock.advance(30_000);
    expect(await nodeOf(cluster, 'vip')).toBeUndefined();
    await client.delete(PODS, 'default', 'victim', { gracePeriodSeconds: 0 });
    await clock.advance(30_000);
    expect([await nodeOf(cluster, 'vip'), await nodeOf(cluster, 'middle')]).toEqual(['node1', undefined]);
    expect((await client.get(PODS, 'default', 'vip')).status?.nominatedNodeName).toBeUndefined();
    expect(cluster.metrics.text()).toContain('scheduler_preemption_victims_count 1');
    expect(cluster.metrics.text()).toContain('scheduler_pending_pods{queue="unschedulable"} 1');
    await cluster.stop();
  });

  it('takes up a pod when its gates are gone, its node is uncordoned, its tolerations grow', async () => {
    const cluster = await start();
    const { client, clock } = cluster;
    await createNode(cluster, 'node1');
    await client.patch(NODES, undefined, 'node1', 'merge', { spec: { unschedulable: true } });
    await client.create(PODS, pod('gated', undefined, { schedulingGates: [{ name: 'example.com/wait' }] }));
    await client.create(PODS, pod('waits'));
    await clock.advance(1000);
    expect(cluster.metrics.text()).toContain('scheduler_pending_pods{queue="gated"} 1');
    await client.patch(PODS, 'default', 'gated', 'merge', { spec: { schedulingGates: null } });
    await until(async () => (await messagesOf(cluster, 'gated')).length > 0, 'the event');
    expect(await messagesOf(cluster, 'gated')).toEqual([expect.stringContaining('1 node(s) were unschedulable.')]);
    const tolerations = [{ key: 'node.kubernetes.io/unschedulable', operator: 'Exists' }];
    const { spec } = await client.get(PODS, 'default', 'waits');
    await client.patch(PODS, 'default', 'waits', 'merge', {
      spec: { tolerations: [...(spec?.tolerations ?? []), ...tolerations] },
    });
    await clock.advance(2000);
    expect([await nodeOf(cluster, 'waits'), await nodeOf(cluster, 'gated')]).toEqual(['node1', undefined]);
    await client.patch(NODES, undefined, 'node1', 'merge', { spec: { unschedulable: null } });
    await clock.advance(2000);
    expect(await nodeOf(cluster, 'gated')).toBe('node1');
    await cluster.stop();
  });

  it('finds out what became of a binding without an answer', async () => {
    for (const takesEffect of [true, false]) {
      let failures = 2;
      const cluster = await start((connection) => ({
        ...connection,
        request: async (request) => {
          if (!request.url.includes('/binding') || failures === 0) return connection.request(request);
          failures -= 1;
          if (takesEffect) await connection.request(request);
          throw new ConnectionError('connection reset');
        },
      }));
      await createNode(cluster, 'node1');
      await cluster.client.create(PODS, pod('a', '800m'));
      await cluster.clock.advance(5000);
      expect(await nodeOf(cluster, 'a')).toBe('node1');
      expect(await messagesOf(cluster, 'a')).toEqual(['Scheduled: Successfully assigned default/a to node1']);
      await cluster.client.create(PODS, pod('b', '800m'));
      await cluster.clock.advance(5000);
      expect(await nodeOf(cluster, 'b')).toBeUndefined();
      await cluster.stop();
    }
  });

  it('schedules only while it leads, where it is one of several', async () => {
    const api = await createInMemoryApi();
    const { client, clock } = api;
    const run = (identity: string) => {
      const stop = new AbortController();
      const options = { client, clock, random: seededRandom(identity), logger: silentLogger, metrics: createMetrics() };
      const running = runScheduler({ ...options, leaderElection: { identity } }, stop.signal);
      return async () => {
        stop.abort(new Error('enough'));
        await running;
      };
    };
    const stopFirst = run('first');
    await clock.advance(1000);
    const stopSecond = run('second');
    await createNode(api, 'node1');
    await client.create(PODS, pod('a'));
    await clock.advance(5000);
    expect(await nodeOf(api, 'a')).toBe('node1');
    expect((await client.get(LEASES, 'kube-system', 'kube-scheduler')).spec?.holderIdentity).toMatch(/^first_/);
    await stopFirst();
    await client.create(PODS, pod('b'));
    await clock.advance(30_000);
    expect(await nodeOf(api, 'b')).toBe('node1');
    await stopSecond();
  });

  it('has no timer at rest', async () => {
    const cluster = await start();
    await createNode(cluster, 'node1');
    await cluster.client.create(PODS, pod('a'));
    await until(async () => (await nodeOf(cluster, 'a')) === 'node1', 'the binding');
    await cluster.clock.advance(60_000);
    const before = cluster.metrics.text();
    await cluster.clock.advance(3_600_000);
    expect(cluster.metrics.text()).toBe(before);
    await cluster.stop();
  });

  it('never overcommits a node nor breaks anti-affinity, whatever comes and goes', async () => {
    const step = fc.oneof(
      fc.record({
        op: fc.constant('create' as const),
        cpu: fc.integer({ min: 1, max: 6 }),
        priority: fc.constantFrom('high', undefined),
        port: fc.boolean(),
        alone: fc.boolean(),
      }),
      fc.record({ op: fc.constant('delete' as const), which: fc.nat() }),
      fc.record({ op: fc.constant('end' as const), which: fc.nat() }),
      fc.record({ op: fc.constant('advance' as const), ms: fc.integer({ min: 0, max: 3000 }) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
        const cluster = await start();
        const { client, clock } = cluster;
        await createNode(cluster, 'node1');
        await createNode(cluster, 'node2');
        await createClass(cluster, 'high', 100);
        let made = 0;
        for (const each of steps) {
          const { items } = await client.list(PODS, { namespace: 'default' });
          const chosen = 'which' in each ? items[each.which % Math.max(1, items.length)]?.metadata?.name : undefined;
          if (each.op === 'create') {
            made += 1;
            await client.create(PODS, randomPod(`p${made}`, each));
          } else if (each.op === 'advance') await clock.advance(each.ms);
          else if (chosen !== undefined && each.op === 'delete') {
            await client.delete(PODS, 'default', chosen, { gracePeriodSeconds: 0 });
          } else if (chosen !== undefined) {
            await client.patch(PODS, 'default', chosen, 'merge', { status: { phase: 'Succeeded' } }, 'status');
          }
          await refuseOvercommitment(cluster);
        }
        await clock.advance(20_000);
        await refuseOvercommitment(cluster);
        await cluster.stop();
      }),
      { numRuns: 25 },
    );
  });
});

function randomPod(
  name: string,
  wish: { cpu: number; priority: string | undefined; port: boolean; alone: boolean },
): Pod {
  const { spec, metadata, ...rest } = pod(
    name,
    `${wish.cpu * 100}m`,
    wish.priority === undefined ? {} : { priorityClassName: wish.priority },
  );
  const [container] = spec?.containers ?? [];
  const alone = { labelSelector: { matchLabels: { alone: 'yes' } }, topologyKey: 'kubernetes.io/hostname' };
  return {
    ...rest,
    metadata: { ...metadata, labels: wish.alone ? { alone: 'yes' } : {} },
    spec: {
      ...spec,
      containers: [{ name: 'c', ...container, ...(wish.port ? { ports: [{ containerPort: 80, hostPort: 80 }] } : {}) }],
      ...(wish.alone
        ? { affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [alone] } } }
        : {}),
    },
  };
}

async function refuseOvercommitment({ client }: InMemoryApi): Promise<void> {
  const { items } = await client.list(PODS, { namespace: 'default' });
  for (const name of ['node1', 'node2']) {
    const on = items.filter(({ spec, status }) => spec?.nodeName === name && status?.phase === 'Pending');
    const cpu = on.reduce(
      (sum, { spec }) => sum + Number.parseInt(spec?.containers[0]?.resources?.requests?.['cpu'] ?? '0'),
      0,
    );
    expect(cpu).toBeLessThanOrEqual(1000);
    expect(on.filter(({ spec }) => spec?.containers[0]?.ports !== undefined).length).toBeLessThanOrEqual(1);
    expect(on.filter(({ metadata }) => metadata?.labels?.['alone'] === 'yes').length).toBeLessThanOrEqual(1);
  }
}
