import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createInMemoryApi, type InMemoryApi, until } from '../../../test/support/in-memory-api.ts';
import {
  CLUSTER_ROLES,
  CONFIG_MAPS,
  type ConfigMap,
  EVENTS,
  isNotFound,
  type KubeObject,
  LEASES,
  NAMESPACES,
  NODES,
  type OwnerReference,
  type Pod,
  PODS,
  type Resource,
  SECRETS,
} from '../../api/index.ts';
import { createEventRecorder, type DeleteOptions, Informers } from '../../client/index.ts';
import { createMetrics, seededRandom, silentLogger } from '../../lib/index.ts';
import { settle } from '../../lib/manual-clock.node.ts';
import { CONTROLLER_INDEXES } from '../indexes.ts';
import { runController } from '../run-controller.ts';
import { garbageCollector } from './garbage-collector.ts';

let api: InMemoryApi;
let calls: string[];
const stop = { controller: new AbortController(), done: Promise.resolve() as Promise<unknown> };

beforeEach(async () => {
  api = await createInMemoryApi();
  calls = [];
  await api.client.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team' } });
  await api.client.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'other' } });
});
afterEach(async () => {
  stop.controller.abort(new Error('enough'));
  await stop.done;
});

async function start(): Promise<void> {
  const { client: plain, clock } = api;
  const client = {
    ...plain,
    get: (...args: Parameters<typeof plain.get>) => {
      calls.push(`get ${args[0].resource} ${args[2]}`);
      return plain.get(...args);
    },
  } as typeof plain;
  const random = seededRandom(1);
  const options = { client, clock, random, logger: silentLogger, metrics: createMetrics() };
  const informers = new Informers({ ...options, indexes: CONTROLLER_INDEXES });
  const events = createEventRecorder({ ...options, component: 'garbage-collector-controller' });
  const controller = garbageCollector({ ...options, informers, events });
  stop.controller = new AbortController();
  const { signal } = stop.controller;
  stop.done = Promise.all([
    informers.run(signal),
    events.run(signal),
    runController(controller, { ...options, informers }, signal),
  ]);
  await settle();
}

interface MapOptions {
  readonly namespace?: string;
  readonly owners?: readonly OwnerReference[];
  readonly finalizers?: readonly string[];
}

async function map(name: string, { namespace = 'team', owners = [], finalizers = [] }: MapOptions = {}) {
  return api.client.create(CONFIG_MAPS, {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { namespace, name, ownerReferences: [...owners], finalizers: [...finalizers] },
  });
}

function ownedBy(owner: KubeObject, more: Partial<OwnerReference> = {}): OwnerReference {
  const { apiVersion = '', kind = '', metadata = {} } = owner;
  return { apiVersion, kind, name: metadata.name ?? '', uid: metadata.uid ?? '', ...more };
}

async function exists<T extends KubeObject>(
  resource: Resource<T>,
  name: string,
  namespace: string | undefined = 'team',
) {
  return api.client.get(resource, namespace, name).then(
    () => true,
    (error: unknown) => {
      if (isNotFound(error)) return false;
      throw error;
    },
  );
}

async function gone(name: string, namespace = 'team'): Promise<void> {
  await until(async () => !(await exists(CONFIG_MAPS, name, namespace)), `end of ${name}`);
}

async function remove(name: string, options: DeleteOptions = {}): Promise<void> {
  await api.client.delete(CONFIG_MAPS, 'team', name, options);
}

async function quiet(): Promise<void> {
  for (let turn = 0; turn < 30; turn += 1) await settle();
}

const read = (name: string): Promise<ConfigMap> => api.client.get(CONFIG_MAPS, 'team', name);

describe('in the background', () => {
  it('dependents go after their owner, generation after generation', async () => {
    await start();
    const owner = await map('owner');
    const child = await map('child', { owners: [ownedBy(owner)] });
    await map('grandchild', { owners: [ownedBy(child)] });
    await quiet();
    expect(calls).toEqual([]);
    await remove('owner');
    await gone('child');
    await gone('grandchild');
  });

  it('who comes after its owner has gone goes, too; one look at the server is enough for all', async () => {
    await start();
    const owner = await map('owner');
    await remove('owner');
    for (const name of ['a', 'b', 'c']) await map(name, { owners: [ownedBy(owner)] });
    for (const name of ['a', 'b', 'c']) await gone(name);
    expect(calls.filter((call) => call === 'get configmaps owner').length).toBeLessThanOrEqual(3);
  });

  it('what happened while nobody looked is done at the start', async () => {
    const owner = await map('owner');
    await map('child', { owners: [ownedBy(owner)] });
    await remove('owner');
    await start();
    await gone('child');
  });

  it('another object of the same name is no owner', async () => {
    const first = await map('owner');
    await map('child', { owners: [ownedBy(first)] });
    await start();
    await remove('owner');
    await map('owner');
    await gone('child');
    expect(await exists(CONFIG_MAPS, 'owner')).toBe(true);
  });

  it('one owner that is there is enough; references to the others go', async () => {
    await start();
    const solid = await map('solid');
    const absent = await map('absent');
    await map('child', { owners: [ownedBy(solid), ownedBy(absent)] });
    await remove('absent');
    await until(async () => (await read('child')).metadata?.ownerReferences?.length === 1, 'one reference');
    expect((await read('child')).metadata?.ownerReferences).toEqual([ownedBy(solid)]);
    await remove('solid');
    await gone('child');
  });

  it('owners of kinds that are not served are left alone', async () => {
    await start();
    await map('child', { owners: [{ apiVersion: 'example.com/v1', kind: 'Widget', name: 'w', uid: 'u' }] });
    await quiet();
    expect(await exists(CONFIG_MAPS, 'child')).toBe(true);
  });

  it('a wrong name or kind with the right UID is an absent owner', async () => {
    await start();
    const owner = await map('owner');
    await map('misnamed', { owners: [ownedBy(owner, { name: 'other' })] });
    await map('mistaken', { owners: [ownedBy(owner, { kind: 'Secret' })] });
    await gone('misnamed');
    await gone('mistaken');
  });
});

describe('namespaces of owners', () => {
  it('owners without a namespace own in all of them', async () => {
    await start();
    const node = await api.client.create(NODES, { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n1' } });
    const lease = { namespace: 'kube-node-lease', name: 'n1', ownerReferences: [ownedBy(node)] };
    await api.client.create(LEASES, { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: lease });
    await quiet();
    expect(await exists(LEASES, 'n1', 'kube-node-lease')).toBe(true);
    await api.client.delete(NODES, undefined, 'n1');
    await until(async () => !(await exists(LEASES, 'n1', 'kube-node-lease')), 'end of the lease');
  });

  it('an owner in another namespace is absent, and that is told', async () => {
    await start();
    const owner = await map('owner', { namespace: 'other' });
    await map('child', { owners: [ownedBy(owner)] });
    await gone('child');
    await until(async () => (await api.client.list(EVENTS)).items.length > 0, 'an event');
    const [event] = (await api.client.list(EVENTS)).items;
    expect(event).toMatchObject({
      type: 'Warning',
      reason: 'OwnerRefInvalidNamespace',
      message: `ownerRef [v1/ConfigMap, namespace: team, name: owner, uid: ${owner.metadata?.uid}] does not exist in namespace "team"`,
      involvedObject: { kind: 'ConfigMap', namespace: 'team', name: 'child' },
    });
  });

  it('what lies in no namespace and names an owner in one stays, and that is told', async () => {
    await start();
    const owner = await map('owner');
    await api.client.create(CLUSTER_ROLES, {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      metadata: { name: 'role', ownerReferences: [ownedBy(owner)] },
      rules: [],
    } as KubeObject);
    await remove('owner');
    await until(async () => (await api.client.list(EVENTS)).items.length > 0, 'an event');
    expect(await exists(CLUSTER_ROLES, 'role', undefined)).toBe(true);
  });
});

describe('in the foreground', () => {
  const FOREGROUND = { propagationPolicy: 'Foreground' } as const;

  it('the owner waits for dependents that block it, and for no others', async () => {
    await start();
    const owner = await map('owner');
    await map('blocking', { owners: [ownedBy(owner, { blockOwnerDeletion: true })], finalizers: ['example.com/hold'] });
    await map('other', { owners: [ownedBy(owner)], finalizers: ['example.com/hold'] });
    await quiet();
    await remove('owner', FOREGROUND);
    await until(async () => (await read('blocking')).metadata?.deletionTimestamp !== undefined, 'its deletion');
    await until(
      async () => (await read('other')).metadata?.deletionTimestamp !== undefined,
      'the deletion of the other',
    );
    await quiet();
    expect((await read('owner')).metadata?.finalizers).toEqual(['foregroundDeletion']);
    await api.client.patch(CONFIG_MAPS, 'team', 'blocking', 'merge', { metadata: { finalizers: null } });
    await gone('owner');
    expect(await exists(CONFIG_MAPS, 'other')).toBe(true);
  });

  it('goes on down the generations, the last first', async () => {
    await start();
    const owner = await map('owner');
    const child = await map('child', { owners: [ownedBy(owner, { blockOwnerDeletion: true })] });
    await map('grandchild', {
      owners: [ownedBy(child, { blockOwnerDeletion: true })],
      finalizers: ['example.com/hold'],
    });
    await quiet();
    await remove('owner', FOREGROUND);
    await until(async () => (await read('grandchild')).metadata?.deletionTimestamp !== undefined, 'the grandchild');
    await quiet();
    expect((await read('child')).metadata?.finalizers).toEqual(['foregroundDeletion']);
    await api.client.patch(CONFIG_MAPS, 'team', 'grandchild', 'merge', { metadata: { finalizers: null } });
    await gone('child');
    await gone('owner');
  });

  it('a dependent with another owner stays, and is let go of', async () => {
    await start();
    const owner = await map('owner');
    const solid = await map('solid');
    await map('child', { owners: [ownedBy(owner, { blockOwnerDeletion: true }), ownedBy(solid)] });
    await quiet();
    await remove('owner', FOREGROUND);
    await gone('owner');
    expect((await read('child')).metadata?.ownerReferences).toEqual([ownedBy(solid)]);
  });

  it('an owner that is not waited for any more goes', async () => {
    await start();
    const owner = await map('owner');
    await map('child', { owners: [ownedBy(owner, { blockOwnerDeletion: true })], finalizers: ['example.com/hold'] });
    await quiet();
    await remove('owner', FOREGROUND);
    await quiet();
    const ownerReferences = [ownedBy(owner, { blockOwnerDeletion: false })];
    await api.client.patch(CONFIG_MAPS, 'team', 'child', 'merge', { metadata: { ownerReferences } });
    await gone('owner');
  });

  it('a circle is no trap', async () => {
    await start();
    const pods: Pod[] = [];
    for (const name of ['pod1', 'pod2', 'pod3']) {
      const spec = { containers: [{ name: 'c', image: 'busybox' }] };
      pods.push(
        await api.client.create(PODS, { apiVersion: 'v1', kind: 'Pod', metadata: { namespace: 'team', name }, spec }),
      );
    }
    for (const [position, name] of ['pod1', 'pod2', 'pod3'].entries()) {
      const owner = pods[(position + 2) % 3] as Pod;
      const ownerReferences = [ownedBy(owner, { controller: true, blockOwnerDeletion: true })];
      await api.client.patch(PODS, 'team', name, 'strategic', { metadata: { ownerReferences } });
    }
    await quiet();
    await api.client.delete(PODS, 'team', 'pod1', FOREGROUND);
    await until(async () => (await api.client.list(PODS, { namespace: 'team' })).items.length === 0, 'the end of all');
  });

  it('goes over to the background when asked', async () => {
    await start();
    const owner = await map('owner');
    await map('child', { owners: [ownedBy(owner, { blockOwnerDeletion: true })], finalizers: ['example.com/hold'] });
    await quiet();
    await remove('owner', FOREGROUND);
    await quiet();
    await remove('owner', { propagationPolicy: 'Background' });
    await gone('owner');
    expect((await read('child')).metadata?.deletionTimestamp).toBeDefined();
  });
});

describe('orphaning', () => {
  it('dependents stay, without their reference', async () => {
    await start();
    const owner = await map('owner');
    for (let i = 0; i < 60; i += 1) await map(`child${i}`, { owners: [ownedBy(owner)] });
    await api.client.create(SECRETS, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { namespace: 'team', name: 'secret', ownerReferences: [ownedBy(owner)] },
    });
    await quiet();
    await remove('owner', { propagationPolicy: 'Orphan' });
    await gone('owner');
    await quiet();
    for (let i = 0; i < 60; i += 1) expect((await read(`child${i}`)).metadata?.ownerReferences).toBeUndefined();
    expect((await api.client.get(SECRETS, 'team', 'secret')).metadata?.ownerReferences).toBeUndefined();
  });
});

describe('with many objects', () => {
  it('asks only about those of whom it cannot know', async () => {
    const owner = await map('owner');
    for (let i = 0; i < 1000; i += 1) await map(`child${i}`, { owners: [ownedBy(owner)] });
    await start();
    await quiet();
    expect(calls).toEqual([]);
    await remove('owner');
    await until(async () => (await api.client.list(CONFIG_MAPS, { namespace: 'team' })).items.length === 0, 'the end');
    // Each dependent once, and the owner by no more than work side by side.
    expect(calls.length).toBeLessThanOrEqual(1000 + 20);
  });
});
