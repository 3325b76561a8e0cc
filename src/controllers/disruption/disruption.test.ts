/** Budgets, pods and evictions: the controllers and the server together. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { until } from '../../../test/support/in-memory-api.ts';
import { type RunningControllers, startControllers } from '../../../test/support/running-controllers.ts';
import {
  CUSTOM_RESOURCE_DEFINITIONS,
  type Event,
  EVENTS,
  hasReason,
  NAMESPACES,
  NODES,
  type OwnerReference,
  type Pod,
  POD_DISRUPTION_BUDGETS,
  type PodDisruptionBudget,
  type PodDisruptionBudgetSpec,
  PODS,
  REPLICA_SETS,
  StatusError,
} from '../../api/index.ts';

let cluster: RunningControllers;
beforeEach(async () => {
  cluster = await startControllers(async ({ client }) => {
    await client.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team' } });
    await client.create(NODES, { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n1' } });
  });
});
afterEach(() => cluster.stop());

async function budget(spec: PodDisruptionBudgetSpec, name = 'pdb'): Promise<void> {
  await cluster.client.create(POD_DISRUPTION_BUDGETS, {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { namespace: 'team', name },
    spec: { selector: { matchLabels: { app: 'web' } }, ...spec },
  });
}

async function pod(name: string, ready: boolean | 'pending' = true, ...owners: OwnerReference[]): Promise<void> {
  await cluster.client.create(PODS, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { namespace: 'team', name, labels: { app: 'web' }, ownerReferences: owners },
    spec: { nodeName: 'n1', containers: [{ name: 'c', image: 'busybox' }] },
  });
  if (ready !== 'pending') await setReady(name, ready);
}

async function setReady(name: string, ready: boolean): Promise<void> {
  const conditions = [{ type: 'Ready', status: ready ? 'True' : 'False' }];
  await cluster.client.patch(PODS, 'team', name, 'strategic', { status: { phase: 'Running', conditions } }, 'status');
}

async function evict(name: string, deleteOptions: object = {}): Promise<StatusError | undefined> {
  const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { namespace: 'team', name }, deleteOptions };
  try {
    await cluster.client.createSubresource(PODS, 'team', name, 'eviction', eviction);
    return undefined;
  } catch (error) {
    if (error instanceof StatusError) return error;
    throw error;
  }
}

const read = (name = 'pdb'): Promise<PodDisruptionBudget> => cluster.client.get(POD_DISRUPTION_BUDGETS, 'team', name);
const readPod = (name: string): Promise<Pod> => cluster.client.get(PODS, 'team', name);

async function allows(count: number): Promise<void> {
  await until(async () => {
    const { metadata, status = {} } = await read();
    return status.observedGeneration === metadata?.generation && status.disruptionsAllowed === count;
  }, `${count} disruptions`);
}

const workers = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'workers.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'workers', kind: 'Worker' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { scale: { specReplicasPath: '.spec.size', statusReplicasPath: '.status.size' } },
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
};

describe('a budget', () => {
  it('keeps count', async () => {
    await budget({ minAvailable: 2 });
    for (const name of ['a', 'b', 'c']) await pod(name);
    await allows(1);
    expect((await read()).status).toMatchObject({ currentHealthy: 3, desiredHealthy: 2, expectedPods: 3 });
    await setReady('a', false);
    await allows(0);
    await cluster.client.patch(POD_DISRUPTION_BUDGETS, 'team', 'pdb', 'merge', { spec: { minAvailable: 1 } });
    await allows(1);
    await cluster.client.delete(PODS, 'team', 'b', { gracePeriodSeconds: 0 });
    await allows(0);
  });

  it('follows the scale of its controller', async () => {
    const template = { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'c', image: 'busybox' }] } };
    const set = {
      apiVersion: 'apps/v1',
      kind: 'ReplicaSet',
      metadata: { namespace: 'team', name: 'rs' },
      spec: { replicas: 2, selector: { matchLabels: { app: 'web' } }, template },
    };
    await cluster.client.create(REPLICA_SETS, set);
    await budget({ maxUnavailable: 1 });
    await until(async () => (await read()).status?.expectedPods === 2, 'two expected');
    await cluster.client.patch(REPLICA_SETS, 'team', 'rs', 'merge', { spec: { replicas: 3 } });
    await until(async () => (await read()).status?.expectedPods === 3, 'three expected');
  });

  it('asks kinds that it does not know for their scale', async () => {
    const WORKERS = { ...REPLICA_SETS, group: 'example.com', resource: 'workers', kind: 'Worker' };
    await cluster.client.create(CUSTOM_RESOURCE_DEFINITIONS, workers);
    const metadata = { namespace: 'team', name: 'w' };
    const object = { apiVersion: 'example.com/v1', kind: 'Worker', metadata, spec: { size: 2 } };
    const make = async (): Promise<boolean> => {
      try {
        await cluster.client.create(WORKERS, object as never);
        return true;
      } catch {
        return false;
      }
    };
    await until(make, 'its kind');
    const { uid = '' } = (await cluster.client.get(WORKERS, 'team', 'w')).metadata ?? {};
    const reference = { apiVersion: 'example.com/v1', kind: 'Worker', name: 'w', uid, controller: true };
    for (const name of ['a', 'b']) await pod(name, true, reference);
    await budget({ maxUnavailable: 1 });
    await until(async () => (await read()).status?.expectedPods === 2, 'two expected');
    await allows(1);
    await cluster.client.patch(WORKERS, 'team', 'w', 'merge', { spec: { size: 3 } });
    await cluster.clock.advance(30_000);
    await until(async () => (await read()).status?.expectedPods === 3, 'three expected');
  });

  it.each([
    ['batch/v1', 'Job', 'jobs.batch does not implement the scale subresource'],
    ['example.org/v1', 'None', 'no matches for kind "None" in version "example.org/v1"'],
  ])('says whose scale it cannot know: %s %s', async (apiVersion, kind, problem) => {
    await pod('a', true, { apiVersion, kind, name: 'x', uid: 'u', controller: true });
    await budget({ maxUnavailable: 1 });
    await until(async () => (await read()).status?.conditions?.[0]?.message === problem, 'its failure');
    const told = async (): Promise<boolean> =>
      (await cluster.client.list<Event>(EVENTS, { namespace: 'team' })).items.some(
        ({ reason, message }) =>
          reason === 'CalculateExpectedPodCountFailed' &&
          message === `Failed to calculate the number of expected pods: ${problem}`,
      );
    await until(told, 'its event');
  });

  it.each([
    [{ minAvailable: 1, maxUnavailable: 1 }, 'minAvailable and maxUnavailable cannot be both set'],
    [{ minAvailable: -1 }, 'spec.minAvailable'],
    [{ maxUnavailable: '101%' }, 'must not be greater than 100%'],
    [{ maxUnavailable: 'some' }, 'a valid percent string'],
    [{ unhealthyPodEvictionPolicy: 'Never' }, 'spec.unhealthyPodEvictionPolicy'],
  ])('%o is refused', async (spec, text) => {
    await expect(budget(spec)).rejects.toThrow(text);
  });
});

describe('an eviction', () => {
  it('takes what the budget has, and no more', async () => {
    await budget({ minAvailable: 1 });
    await pod('a');
    await pod('b');
    await allows(1);
    expect(await evict('a')).toBeUndefined();
    expect((await readPod('a')).metadata?.deletionTimestamp).toBeDefined();
    const refused = await evict('b');
    expect(refused?.code).toBe(429);
    expect(refused?.status.message).toBe("Cannot evict pod as it would violate the pod's disruption budget.");
    expect(refused?.status.details?.causes).toMatchObject([{ reason: 'DisruptionBudget' }]);
    await allows(0);
    await until(async () => (await evict('b'))?.message.includes('budget') === true, 'news');
    expect((await evict('b'))?.status.details?.causes?.[0]?.message).toBe(
      'The disruption budget pdb needs 1 healthy pods and has 1 currently',
    );
    expect((await readPod('b')).status?.conditions?.some(({ type }) => type === 'DisruptionTarget')).toBe(false);
  });

  it('of many at once takes no disruption twice', async () => {
    const names = Array.from({ length: 20 }, (_, i) => `p${i}`);
    await budget({ minAvailable: 13 });
    for (const name of names) await pod(name);
    await allows(7);
    const answers = await Promise.all(names.map((name) => evict(name)));
    expect(answers.filter((answer) => answer === undefined)).toHaveLength(7);
    expect(answers.filter((answer) => hasReason(answer, 'TooManyRequests'))).toHaveLength(13);
    await until(async () => (await read()).status?.disruptedPods === undefined, 'none that only were to be evicted');
    expect((await read()).status).toMatchObject({ currentHealthy: 13, desiredHealthy: 13, disruptionsAllowed: 0 });
  });

  it('waits for a budget that was not looked at yet', async () => {
    await pod('a');
    await cluster.stop();
    await budget({ minAvailable: 0 });
    const refused = await evict('a');
    expect(refused?.code).toBe(429);
    expect(refused?.status.details).toMatchObject({
      retryAfterSeconds: 10,
      causes: [{ message: 'The disruption budget pdb is still being processed by the server.' }],
    });
  });

  it('is refused with two budgets', async () => {
    await budget({ minAvailable: 0 });
    await budget({ minAvailable: 0 }, 'other');
    await pod('a');
    await allows(1);
    expect(await evict('a')).toMatchObject({ code: 500, message: expect.stringContaining('more than one') });
  });

  it('on a dry run takes nothing', async () => {
    await budget({ minAvailable: 1 });
    await pod('a');
    await pod('b');
    await allows(1);
    expect(await evict('a', { dryRun: ['All'] })).toBeUndefined();
    expect(await evict('b', { dryRun: ['All'] })).toBeUndefined();
    expect((await readPod('a')).metadata?.deletionTimestamp).toBeUndefined();
    expect((await read()).status?.disruptionsAllowed).toBe(1);
  });

  it.each([
    { what: 'has not begun', phase: 'Pending' },
    { what: 'is over', phase: 'Succeeded' },
  ])('of a pod that $what needs no budget', async ({ phase }) => {
    await budget({ minAvailable: 3 });
    await pod('a', 'pending');
    await cluster.client.patch(PODS, 'team', 'a', 'merge', { status: { phase } }, 'status');
    expect(await evict('a')).toBeUndefined();
  });

  it.each<{ what: string; spec: PodDisruptionBudgetSpec; others: number; code: number | undefined }>([
    { what: 'may go while the budget is met', spec: { minAvailable: 1 }, others: 1, code: undefined },
    { what: 'stays while it is not', spec: { minAvailable: 2 }, others: 1, code: 429 },
    {
      what: 'always may where the budget says so',
      spec: { minAvailable: 2, unhealthyPodEvictionPolicy: 'AlwaysAllow' },
      others: 1,
      code: undefined,
    },
  ])('of a pod that is not ready: it $what', async ({ spec, others, code }) => {
    await budget(spec);
    await pod('sick', false);
    for (let i = 0; i < others; i += 1) await pod(`p${i}`);
    await allows(0);
    expect((await evict('sick'))?.code).toBe(code);
  });

  it('heeds what it was asked for', async () => {
    await budget({ minAvailable: 0 });
    await pod('a');
    await allows(1);
    const { uid = '', resourceVersion = '' } = (await readPod('a')).metadata ?? {};
    expect((await evict('a', { preconditions: { uid: 'other' } }))?.code).toBe(409);
    expect((await evict('a', { preconditions: { resourceVersion: '1' } }))?.code).toBe(409);
    expect((await evict('gone'))?.code).toBe(404);
    expect(await evict('a', { preconditions: { uid, resourceVersion }, gracePeriodSeconds: 7 })).toBeUndefined();
    expect((await readPod('a')).metadata?.deletionGracePeriodSeconds).toBe(7);
  });
});

it('an eviction that did not come about is forgotten', async () => {
  await budget({ minAvailable: 1 });
  await pod('a');
  await pod('b');
  await allows(1);
  const now = new Date(cluster.clock.now().wall).toISOString().replace(/\.\d+/, '');
  const conditions = [
    { type: 'DisruptionTarget', status: 'True', reason: 'EvictionByEvictionAPI', lastTransitionTime: now },
  ];
  await cluster.client.patch(PODS, 'team', 'a', 'strategic', { status: { conditions } }, 'status');
  const granted = { status: { disruptedPods: { a: now } } };
  await cluster.client.patch(POD_DISRUPTION_BUDGETS, 'team', 'pdb', 'merge', granted, 'status');
  await allows(0);
  await cluster.clock.advance(100_000);
  await allows(0);
  await cluster.clock.advance(25_000);
  await allows(1);
  expect((await read()).status?.disruptedPods).toBeUndefined();
  await until(
    async () =>
      (await readPod('a')).status?.conditions?.some((c) => c.type === 'DisruptionTarget' && c.status === 'False') ===
      true,
    'the condition taken back',
  );
});
