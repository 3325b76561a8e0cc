/** Pods that wish to leave their node: the controllers and the server together, and a test that plays agents and scheduler. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { until } from '../../../test/support/in-memory-api.ts';
import { type RunningControllers, startControllers } from '../../../test/support/running-controllers.ts';
import {
  AVOID_NODES,
  type AvoidedNode,
  DEPLOYMENTS,
  EVENTS,
  HEALING_POLICY,
  HEALING_STATE,
  isDeleting,
  type KubeObject,
  MOVE_REQUESTED_CONDITION,
  MOVE_VERDICT,
  NAMESPACES,
  nameOf,
  NODES,
  type Pod,
  POD_DISRUPTION_BUDGETS,
  PODS,
  readAvoidedNodes,
  REPLICA_SETS,
  type Resource,
  SERVICE_ACCOUNTS,
  STATEFUL_SETS,
} from '../../api/index.ts';

const POLICY = '{"rungs":[{"scope":"node","attempts":2}]}';
let cluster: RunningControllers;

beforeEach(async () => {
  cluster = await startControllers(async ({ client }) => {
    await client.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team' } });
    const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { namespace: 'team', name: 'default' } };
    await client.create(SERVICE_ACCOUNTS, account);
    for (const name of ['n1', 'n2', 'n3']) {
      await client.create(NODES, { apiVersion: 'v1', kind: 'Node', metadata: { name } });
      const ready = { type: 'Ready', status: 'True' };
      const allocatable = { cpu: '1', memory: '1Gi', pods: '10' };
      await client.patch(
        NODES,
        undefined,
        name,
        'strategic',
        { status: { conditions: [ready], allocatable } },
        'status',
      );
    }
  });
});
afterEach(() => cluster.stop());

const template = {
  metadata: { labels: { app: 'web' }, annotations: { [HEALING_POLICY]: POLICY } },
  spec: { containers: [{ name: 'web', image: 'busybox' }] },
};

async function workload(resource: Resource<KubeObject>, replicas: number, memory?: string): Promise<void> {
  const resources = memory === undefined ? {} : { resources: { requests: { memory } } };
  const made = { ...template, spec: { containers: [{ name: 'web', image: 'busybox', ...resources }] } };
  const spec = { replicas, selector: { matchLabels: { app: 'web' } }, serviceName: 'web', template: made };
  const [apiVersion, metadata] = ['apps/v1', { namespace: 'team', name: 'web' }];
  await cluster.client.create(resource, { apiVersion, kind: resource.kind, metadata, spec } as KubeObject);
}

/** Those that are not on their way out, once there are so many. */
async function pods(count: number): Promise<readonly Pod[]> {
  let found: readonly Pod[] = [];
  await until(async () => {
    const { items } = await cluster.client.list(PODS, { namespace: 'team' });
    for (const pod of items.filter(isDeleting))
      await cluster.client.delete(PODS, 'team', nameOf(pod), { gracePeriodSeconds: 0 });
    found = items.filter((pod) => !isDeleting(pod));
    return found.length === count;
  }, `${count} pods`);
  return found;
}

async function bind(pod: Pod | undefined, node: string): Promise<void> {
  const name = nameOf(pod ?? {});
  await cluster.client.createSubresource(PODS, 'team', name, 'binding', {
    apiVersion: 'v1',
    kind: 'Binding',
    metadata: { namespace: 'team', name },
    target: { kind: 'Node', name: node },
  } as KubeObject);
}

/** The pod dies on its node, for the last time there. */
async function wish(pod: Pod | undefined, id = 'd1'): Promise<void> {
  const name = nameOf(pod ?? {});
  const move = { id, cause: 'container web exited with 1', at: new Date(cluster.clock.now().wall).toISOString() };
  const annotations = { [HEALING_STATE]: JSON.stringify({ rung: 'node', move }) };
  await cluster.client.patch(PODS, 'team', name, 'merge', { metadata: { annotations } });
  const conditions = [{ type: MOVE_REQUESTED_CONDITION, status: 'True', reason: 'Healing' }];
  await cluster.client.patch(PODS, 'team', name, 'strategic', { status: { phase: 'Running', conditions } }, 'status');
}

async function isGone(pod: Pod | undefined): Promise<void> {
  await until(
    async () => {
      const found = await cluster.client.get(PODS, 'team', nameOf(pod ?? {})).catch(() => undefined);
      return found === undefined || isDeleting(found) || found.metadata?.uid !== pod?.metadata?.uid;
    },
    `the end of ${nameOf(pod ?? {})}`,
  );
}

async function avoided(resource: Resource<KubeObject>, name: string): Promise<readonly string[]> {
  const { metadata } = await cluster.client.get(resource, 'team', name);
  return entriesOf(metadata?.annotations).map(({ node, pod }) => `${node} ${pod}`);
}

function entriesOf(annotations: Record<string, string> | undefined): readonly AvoidedNode[] {
  return readAvoidedNodes(annotations?.[AVOID_NODES], cluster.clock.now().wall);
}

async function verdict(pod: Pod | undefined): Promise<unknown> {
  let text: string | undefined;
  await until(async () => {
    text = (await cluster.client.get(PODS, 'team', nameOf(pod ?? {}))).metadata?.annotations?.[MOVE_VERDICT];
    return text !== undefined;
  }, 'a verdict');
  return JSON.parse(text ?? '');
}

async function told(reason: string): Promise<readonly string[]> {
  await cluster.clock.advance(100);
  const { items } = await cluster.client.list(EVENTS, { namespace: 'team' });
  return items
    .filter((event) => event.reason === reason)
    .map(({ message = '', involvedObject }) => `${involvedObject.kind} ${message}`);
}

describe('a pod of a deployment', () => {
  it('leaves, its owners remember, its successors know; and that has an end', async () => {
    await workload(DEPLOYMENTS, 1);
    const [first] = await pods(1);
    await bind(first, 'n1');
    await cluster.clock.advance(5000);
    await wish(first);
    await isGone(first);
    const set = first?.metadata?.ownerReferences?.[0]?.name ?? '';
    expect(await avoided(DEPLOYMENTS, 'web')).toEqual([`n1 ${nameOf(first ?? {})}`]);
    expect(await avoided(REPLICA_SETS, set)).toEqual([`n1 ${nameOf(first ?? {})}`]);
    const text = `${nameOf(first ?? {})} died on node n1 (container web exited with 1): moving it to another node`;
    expect((await told('HealingMove')).toSorted()).toEqual([`Deployment ${text}`, `Pod ${text}`]);

    const [second] = await pods(1);
    expect(entriesOf(second?.metadata?.annotations).map(({ node }) => node)).toEqual(['n1']);
    await bind(second, 'n2');
    await cluster.clock.advance(5000);
    await wish(second);
    await isGone(second);
    expect(await avoided(DEPLOYMENTS, 'web')).toHaveLength(2);

    const [third] = await pods(1);
    expect(entriesOf(third?.metadata?.annotations).map(({ node }) => node)).toEqual(['n2', 'n1']);
    await bind(third, 'n3');
    await cluster.clock.advance(5000);
    await wish(third, 'd3');
    expect(await verdict(third)).toEqual({ id: 'd3', action: 'stop', message: 'it was moved 2 of 2 times already' });
    expect(cluster.metrics.text()).toContain('mendlet_healing_moves_total{result="moved"} 2');
  });

  it('leaves together with its neighbours, which is one move', async () => {
    await workload(DEPLOYMENTS, 3);
    const all = await pods(3);
    for (const pod of all) await bind(pod, 'n1');
    await cluster.clock.advance(5000);
    for (const pod of all) await wish(pod);
    for (const pod of all) await isGone(pod);
    expect(await avoided(DEPLOYMENTS, 'web')).toHaveLength(1);
  });

  it('waits for its budget, and says so', async () => {
    await cluster.client.create(POD_DISRUPTION_BUDGETS, {
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: { namespace: 'team', name: 'all' },
      spec: { minAvailable: 1, selector: { matchLabels: { app: 'web' } } },
    });
    await workload(DEPLOYMENTS, 1);
    const [pod] = await pods(1);
    await bind(pod, 'n1');
    await cluster.clock.advance(5000);
    await wish(pod);
    await until(async () => (await told('HealingMoveBlocked')).length > 0, 'an event');
    expect(await told('HealingMoveBlocked')).toEqual([
      expect.stringMatching(
        /^Pod web-.* died on node n1 \(container web exited with 1\) and should move to another node: Cannot evict pod/,
      ),
    ]);
    await cluster.client.delete(POD_DISRUPTION_BUDGETS, 'team', 'all');
    await cluster.clock.advance(5000);
    await isGone(pod);
    expect(await avoided(DEPLOYMENTS, 'web')).toHaveLength(1);
  });
});

it('pods of a stateful set go their own ways', async () => {
  await workload(STATEFUL_SETS, 1);
  const [first] = await pods(1);
  await bind(first, 'n1');
  await cluster.clock.advance(5000);
  await wish(first);
  await isGone(first);
  const [again] = await pods(1);
  expect(entriesOf(again?.metadata?.annotations)).toMatchObject([{ node: 'n1', pod: 'web-0' }]);
  await bind(again, 'n2');
  const conditions = [{ type: 'Ready', status: 'True' }];
  await cluster.client.patch(
    PODS,
    'team',
    'web-0',
    'strategic',
    { status: { phase: 'Running', conditions } },
    'status',
  );
  await cluster.client.patch(STATEFUL_SETS, 'team', 'web', 'merge', { spec: { replicas: 2 } });
  const both = await pods(2);
  expect(both.find((pod) => nameOf(pod) === 'web-1')?.metadata?.annotations?.[AVOID_NODES]).toBeUndefined();
});

it('a pod of nobody stays', async () => {
  const made = await cluster.client.create(PODS, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { namespace: 'team', name: 'alone', annotations: { [HEALING_POLICY]: POLICY } },
    spec: { nodeName: 'n1', containers: [{ name: 'web', image: 'busybox' }] },
  });
  await wish(made);
  expect(await verdict(made)).toEqual({
    id: 'd1',
    action: 'stop',
    message: 'nobody would make it again: it has no owner',
  });
});

it('a pod with nowhere to go stays', async () => {
  for (const name of ['n2', 'n3']) {
    await cluster.client.patch(NODES, undefined, name, 'merge', { spec: { unschedulable: true } });
  }
  await workload(DEPLOYMENTS, 1);
  const [pod] = await pods(1);
  await bind(pod, 'n1');
  await wish(pod);
  expect(await verdict(pod)).toEqual({ id: 'd1', action: 'stop', message: 'no other node takes it: 2 cordoned' });
  expect(await avoided(DEPLOYMENTS, 'web')).toEqual([]);
});

it('a pod that no other node has room for stays', async () => {
  await workload(DEPLOYMENTS, 3, '600Mi');
  const [first, ...others] = await pods(3);
  await bind(first, 'n1');
  for (const [position, pod] of others.entries()) await bind(pod, `n${position + 2}`);
  await wish(first);
  const message = 'no other node takes it: 2 Insufficient memory';
  expect(await verdict(first)).toEqual({ id: 'd1', action: 'stop', message });
  expect(await avoided(DEPLOYMENTS, 'web')).toEqual([]);
});

it('of two pods with room for one, the first goes; the other is told when that has come there', async () => {
  await workload(DEPLOYMENTS, 3, '450Mi');
  const [first, second, third] = await pods(3);
  for (const pod of [first, second]) await bind(pod, 'n1');
  await bind(third, 'n3');
  await cluster.client.patch(
    NODES,
    undefined,
    'n2',
    'strategic',
    { status: { allocatable: { memory: '500Mi' } } },
    'status',
  );
  await cluster.client.patch(
    NODES,
    undefined,
    'n3',
    'strategic',
    { status: { allocatable: { memory: '500Mi' } } },
    'status',
  );
  await cluster.clock.advance(5000);
  await wish(first);
  await isGone(first);
  await wish(second, 'd2');
  const all = await pods(3);
  const { metadata } = await cluster.client.get(PODS, 'team', nameOf(second ?? {}));
  expect(metadata?.annotations?.[MOVE_VERDICT]).toBeUndefined();
  expect(metadata?.deletionTimestamp).toBeUndefined();
  await bind(
    all.find(({ spec }) => !spec?.nodeName),
    'n2',
  );
  await cluster.clock.advance(5000);
  expect(await verdict(second)).toEqual({
    id: 'd2',
    action: 'stop',
    message: 'no other node takes it: 2 Insufficient memory',
  });
});
