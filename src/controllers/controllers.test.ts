import { describe, expect, it } from 'vitest';
import { createInMemoryApi, type InMemoryApi, until } from '../../test/support/in-memory-api.ts';
import {
  CONFIG_MAPS,
  type Namespace,
  NAMESPACES,
  type Node,
  NODES,
  type Pod,
  PODS,
  SERVICE_ACCOUNTS,
} from '../api/index.ts';
import { createMetrics, seededRandom, silentLogger } from '../lib/index.ts';
import { settle } from '../lib/manual-clock.node.ts';
import { runControllers } from './run-controllers.ts';

async function start(): Promise<
  InMemoryApi & { stop(): Promise<void>; readonly metrics: ReturnType<typeof createMetrics> }
> {
  const api = await createInMemoryApi();
  const { client, clock } = api;
  const stop = new AbortController();
  const metrics = createMetrics();
  const options = { client, clock, random: seededRandom(1), logger: silentLogger, metrics };
  const running = runControllers(options, { caCertificate: 'PEM' }, stop.signal);
  return {
    ...api,
    metrics,
    stop: async () => {
      stop.abort(new Error('enough'));
      await running;
    },
  };
}

async function exists(look: Promise<unknown>): Promise<boolean> {
  return look.then(
    () => true,
    () => false,
  );
}

function pod(name: string, nodeName?: string, finalizers?: string[]): Pod {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { namespace: 'team', name, ...(finalizers === undefined ? {} : { finalizers }) },
    spec: { containers: [{ name: 'c', image: 'busybox' }], ...(nodeName === undefined ? {} : { nodeName }) },
  };
}

const NODE: Node = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'node1' } };

async function createNamespace({ client }: InMemoryApi): Promise<void> {
  await client.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team' } });
  await until(() => exists(client.get(SERVICE_ACCOUNTS, 'team', 'default')), 'the ServiceAccount');
}

function conditionsOf(namespace: Namespace): Record<string, string> {
  const list = namespace.status?.conditions ?? [];
  return Object.fromEntries(list.map(({ type, status, message }) => [type, `${status} ${message}`]));
}

describe('service account and root CA', () => {
  it('every namespace has them, and gets them back', async () => {
    const cluster = await start();
    const { client } = cluster;
    await until(() => exists(client.get(SERVICE_ACCOUNTS, 'kube-system', 'default')), 'the one of a system namespace');
    await createNamespace(cluster);
    await until(() => exists(client.get(CONFIG_MAPS, 'team', 'kube-root-ca.crt')), 'the CA');
    await client.delete(SERVICE_ACCOUNTS, 'team', 'default');
    await client.patch(CONFIG_MAPS, 'team', 'kube-root-ca.crt', 'merge', { data: { 'ca.crt': 'forged', more: 'x' } });
    await until(() => exists(client.get(SERVICE_ACCOUNTS, 'team', 'default')), 'the ServiceAccount again');
    await until(
      async () => (await client.get(CONFIG_MAPS, 'team', 'kube-root-ca.crt')).data?.['ca.crt'] === 'PEM',
      'the CA again',
    );
    expect((await client.get(CONFIG_MAPS, 'team', 'kube-root-ca.crt')).data).toEqual({ 'ca.crt': 'PEM' });
    expect(cluster.metrics.text()).toMatch(/workqueue_adds_total\{name="serviceaccount"\} [1-9]/);
    await cluster.stop();
  });

  it('reconcile nothing once stopped', async () => {
    const cluster = await start();
    await cluster.stop();
    expect(cluster.clock.pendingTimers).toBeLessThan(20);
  });
});

describe('namespace', () => {
  it('is emptied and goes', async () => {
    const cluster = await start();
    const { client, clock } = cluster;
    await createNamespace(cluster);
    await client.create(CONFIG_MAPS, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { namespace: 'team', name: 'a' },
    });
    await client.delete(NAMESPACES, undefined, 'team');
    for (let i = 0; i < 20; i += 1) await clock.advance(1000);
    expect(await exists(client.get(NAMESPACES, undefined, 'team'))).toBe(false);
    expect((await client.list(CONFIG_MAPS, { namespace: 'team' })).items).toEqual([]);
    await cluster.stop();
  });

  it('waits for its pods, then deletes the rest, and says what remains', async () => {
    const cluster = await start();
    const { client, clock } = cluster;
    await createNamespace(cluster);
    await client.create(NODES, NODE);
    await client.create(PODS, pod('running', 'node1', ['example.com/hold']));
    await client.create(CONFIG_MAPS, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { namespace: 'team', name: 'a' },
    });
    await client.delete(NAMESPACES, undefined, 'team');
    await clock.advance(5000);
    const waiting = conditionsOf(await client.get(NAMESPACES, undefined, 'team'));
    expect(waiting['NamespaceContentRemaining']).toMatch(
      /^True Some resources are remaining: .*pods\. has 1 resource instances/,
    );
    expect(waiting['NamespaceFinalizersRemaining']).toBe(
      'True Some content in the namespace has finalizers remaining: example.com/hold in 1 resource instances',
    );
    const held = await client.get(PODS, 'team', 'running');
    expect(held.metadata?.deletionTimestamp).toBeDefined();
    expect(await exists(client.get(CONFIG_MAPS, 'team', 'a'))).toBe(true);

    // The kubelet ends it; then whoever holds it lets go.
    await client.delete(PODS, 'team', 'running', { gracePeriodSeconds: 0 });
    await client.patch(PODS, 'team', 'running', 'merge', { metadata: { finalizers: null } });
    for (let i = 0; i < 10; i += 1) await clock.advance(1000);
    expect(await exists(client.get(NAMESPACES, undefined, 'team'))).toBe(false);
    await cluster.stop();
  });
});

describe('pod garbage collector', () => {
  it('ends pods of a node that has been gone for 40 s, not of one that comes back', async () => {
    const cluster = await start();
    const { client, clock } = cluster;
    await createNamespace(cluster);
    await client.create(NODES, NODE);
    await client.create(PODS, pod('a', 'node1'));
    await settle();
    await client.delete(NODES, undefined, 'node1');
    await clock.advance(30_000);
    await client.create(NODES, NODE);
    await clock.advance(60_000);
    expect(await exists(client.get(PODS, 'team', 'a'))).toBe(true);
    await client.delete(NODES, undefined, 'node1');
    await clock.advance(39_000);
    expect(await exists(client.get(PODS, 'team', 'a'))).toBe(true);
    await clock.advance(2000);
    expect(await exists(client.get(PODS, 'team', 'a'))).toBe(false);
    await cluster.stop();
  });
});
