import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  AVOID_NODES,
  type Deployment,
  DEPLOYMENTS,
  EVENTS,
  findCondition,
  isDeleting,
  nameOf,
  type Pod,
  PODS,
  REPLICA_SETS,
  type ReplicaSet,
  RESOURCE_QUOTAS,
} from '../../api/index.ts';
import { startWorkloads, type WorkloadCluster } from '../../../test/support/workload-cluster.ts';
import { replicaSetController } from '../replicaset/replicaset-controller.ts';
import { DESIRED_REPLICAS, MAX_REPLICAS, REVISION, REVISION_HISTORY } from './annotations.ts';
import { deploymentController } from './deployment-controller.ts';
import { isComplete } from './deployment-status.ts';
import { POD_TEMPLATE_HASH } from './replica-sets.ts';

let cluster: WorkloadCluster;

beforeEach(async () => {
  cluster = await startWorkloads((setup) => [
    deploymentController({ ...setup, events: setup.events('deployment-controller') }),
    replicaSetController({ ...setup, events: setup.events('replicaset-controller') }),
  ]);
});
afterEach(async () => {
  await cluster.stop();
});

function template(image: string): object {
  return { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'c', image }] } };
}

async function deploy(spec: object = {}, name = 'web'): Promise<Deployment> {
  return cluster.client.create(DEPLOYMENTS, {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { namespace: 'team', name },
    spec: { replicas: 3, selector: { matchLabels: { app: 'web' } }, template: template('web:1'), ...spec },
  });
}

async function change(spec: object): Promise<void> {
  await cluster.client.patch(DEPLOYMENTS, 'team', 'web', 'merge', { spec });
}

async function setImage(image: string): Promise<void> {
  await change({ template: template(image) });
}

async function current(): Promise<Deployment> {
  return cluster.client.get(DEPLOYMENTS, 'team', 'web');
}

/** Runs the cluster until the rollout is over and the last pod that it gave up is gone. */
async function complete(): Promise<void> {
  await cluster.runUntil(async () => {
    const deployment = await current();
    if (!isComplete(deployment, deployment.status ?? {})) return false;
    if ((await progress()).reason !== 'NewReplicaSetAvailable') return false;
    return (await cluster.pods()).every((pod) => !isDeleting(pod));
  }, 'the end of the rollout');
}

async function progress() {
  return findCondition((await current()).status?.conditions, 'Progressing') ?? { status: '', reason: '', message: '' };
}

async function sets(): Promise<readonly ReplicaSet[]> {
  return (await cluster.client.list(REPLICA_SETS, { namespace: 'team' })).items;
}

async function setOf(image: string): Promise<ReplicaSet> {
  const found = (await sets()).find((set) => set.spec?.template?.spec?.containers[0]?.image === image);
  if (found === undefined) throw new Error(`no replica set of ${image}`);
  return found;
}

async function sizes(): Promise<Record<string, number | undefined>> {
  return Object.fromEntries(
    (await sets()).map((set) => [set.spec?.template?.spec?.containers[0]?.image ?? '', set.spec?.replicas]),
  );
}

async function told(reason = 'ScalingReplicaSet'): Promise<string[]> {
  const { items } = await cluster.client.list(EVENTS, { namespace: 'team' });
  return items.flatMap((event) => (event.reason === reason ? [event.message ?? ''] : []));
}

function revisionOf({ metadata }: Deployment | ReplicaSet): string | undefined {
  return metadata?.annotations?.[REVISION];
}

const image = (pod: Pod): string => pod.spec?.containers[0]?.image ?? '';

describe('a new deployment', () => {
  it('has a replica set of its template, and tells what becomes of it', async () => {
    const { client } = cluster;
    await deploy();
    await cluster.rest();
    expect((await current()).status).toMatchObject({ replicas: 3, updatedReplicas: 3, unavailableReplicas: 3 });
    expect((await progress()).reason).toBe('ReplicaSetUpdated');
    await complete();
    const deployment = await current();
    const set = await setOf('web:1');
    const hash = set.metadata?.labels?.[POD_TEMPLATE_HASH] ?? '';
    expect(nameOf(set)).toBe(`web-${hash}`);
    expect(set.spec?.selector.matchLabels).toEqual({ app: 'web', [POD_TEMPLATE_HASH]: hash });
    expect(set.metadata?.annotations).toEqual({ [REVISION]: '1', [DESIRED_REPLICAS]: '3', [MAX_REPLICAS]: '4' });
    expect(revisionOf(deployment)).toBe('1');
    expect((await cluster.pods()).every((pod) => nameOf(pod).startsWith(`web-${hash}-`))).toBe(true);
    const { conditions = [], ...counts } = deployment.status ?? {};
    expect(counts).toEqual({
      observedGeneration: 1,
      replicas: 3,
      updatedReplicas: 3,
      readyReplicas: 3,
      availableReplicas: 3,
      terminatingReplicas: 0,
    });
    expect(conditions).toMatchObject([
      {
        type: 'Available',
        status: 'True',
        reason: 'MinimumReplicasAvailable',
        message: 'Deployment has minimum availability.',
      },
      {
        type: 'Progressing',
        status: 'True',
        reason: 'NewReplicaSetAvailable',
        message: `ReplicaSet "web-${hash}" has successfully progressed.`,
      },
    ]);
    expect(await told()).toEqual([`Scaled up replica set web-${hash} from 0 to 3`]);
    await client.delete(DEPLOYMENTS, 'team', 'web', { propagationPolicy: 'Orphan' });
  });

  it('writes nothing once it is at rest', async () => {
    const { client, clock } = cluster;
    await deploy();
    await complete();
    const before = await client.list(DEPLOYMENTS, { namespace: 'team' });
    await clock.advance(3_600_000);
    expect((await client.list(DEPLOYMENTS, { namespace: 'team' })).resourceVersion).toBe(before.resourceVersion);
  });

  it('takes another name when its hash is taken', async () => {
    const { client } = cluster;
    await deploy();
    await cluster.rest();
    const { metadata, spec } = await setOf('web:1');
    await client.delete(DEPLOYMENTS, 'team', 'web', { propagationPolicy: 'Orphan' });
    await client.patch(DEPLOYMENTS, 'team', 'web', 'merge', { metadata: { finalizers: null } });
    await client.delete(REPLICA_SETS, 'team', metadata?.name ?? '');
    await client.create(REPLICA_SETS, {
      apiVersion: 'apps/v1',
      kind: 'ReplicaSet',
      metadata: { namespace: 'team', name: metadata?.name ?? '', labels: { other: 'x' } },
      spec: {
        replicas: 0,
        selector: { matchLabels: { other: 'x' } },
        template: { ...spec?.template, metadata: { labels: { other: 'x' } } },
      },
    });
    await deploy();
    await complete();
    expect((await current()).status?.collisionCount).toBe(1);
    expect(await sets()).toHaveLength(2);
  });

  it('adopts a replica set of its template', async () => {
    const { client } = cluster;
    await client.create(REPLICA_SETS, {
      apiVersion: 'apps/v1',
      kind: 'ReplicaSet',
      metadata: { namespace: 'team', name: 'mine', labels: { app: 'web' } },
      spec: { replicas: 3, selector: { matchLabels: { app: 'web' } }, template: template('web:1') },
    });
    await cluster.rest();
    await deploy();
    await complete();
    expect((await sets()).map(nameOf)).toEqual(['mine']);
    expect((await sets())[0]?.metadata?.ownerReferences?.[0]?.name).toBe('web');
    expect(await cluster.pods()).toHaveLength(3);
  });
});

describe('a rolling update', () => {
  it('replaces pods step by step, and remembers revisions', async () => {
    await deploy();
    await complete();
    await setImage('web:2');
    await complete();
    expect(await sizes()).toEqual({ 'web:1': 0, 'web:2': 3 });
    expect((await cluster.pods()).map(image)).toEqual(['web:2', 'web:2', 'web:2']);
    const [one, two] = [nameOf(await setOf('web:1')), nameOf(await setOf('web:2'))];
    // In no order: some are of the same moment.
    expect(new Set(await told())).toEqual(
      new Set([
        `Scaled up replica set ${one} from 0 to 3`,
        `Scaled up replica set ${two} from 0 to 1`,
        `Scaled down replica set ${one} from 3 to 2`,
        `Scaled up replica set ${two} from 1 to 2`,
        `Scaled down replica set ${one} from 2 to 1`,
        `Scaled up replica set ${two} from 2 to 3`,
        `Scaled down replica set ${one} from 1 to 0`,
      ]),
    );
    expect(revisionOf(await current())).toBe('2');

    // Back again: the old set is the newest revision, and says what it was.
    await setImage('web:1');
    await complete();
    expect(await sizes()).toEqual({ 'web:1': 3, 'web:2': 0 });
    const back = await setOf('web:1');
    expect(revisionOf(back)).toBe('3');
    expect(back.metadata?.annotations?.[REVISION_HISTORY]).toBe('1');
    expect(revisionOf(await current())).toBe('3');
  });

  it('rolls over to a third template in the middle', async () => {
    await deploy({ replicas: 4 });
    await complete();
    await setImage('web:2');
    await cluster.rest();
    await setImage('web:3');
    await complete();
    expect(await sizes()).toEqual({ 'web:1': 0, 'web:2': 0, 'web:3': 4 });
    expect(revisionOf(await current())).toBe('3');
  });

  it('gives up pods that never came up before those that run', async () => {
    await deploy({ replicas: 4, strategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 1 } } });
    await complete();
    await setImage('broken:1');
    const isWell = (pod: Pod): boolean => !image(pod).startsWith('broken');
    await cluster.runUntil(async () => (await sizes())['broken:1'] === 2, 'a stuck rollout', isWell);
    for (let turn = 0; turn < 5; turn += 1) {
      await cluster.runPods(isWell);
      await cluster.rest();
    }
    expect(await sizes()).toEqual({ 'web:1': 3, 'broken:1': 2 });
    await setImage('web:2');
    await cluster.rest();
    expect((await sizes())['broken:1']).toBe(0);
    expect((await sizes())['web:1']).toBe(3);
    await complete();
  });

  it('hands annotations down, and its own minReadySeconds', async () => {
    const { client } = cluster;
    await deploy();
    await complete();
    const { generation = 0 } = (await current()).metadata ?? {};
    await client.patch(DEPLOYMENTS, 'team', 'web', 'merge', {
      metadata: { annotations: { 'kubernetes.io/change-cause': 'curiosity' } },
    });
    await change({ minReadySeconds: 5 });
    await cluster.rest();
    const set = await setOf('web:1');
    expect(set.metadata?.annotations?.['kubernetes.io/change-cause']).toBe('curiosity');
    expect(set.spec?.minReadySeconds).toBe(5);
    expect((await current()).metadata?.generation).toBe(generation + 2);
    expect(await sets()).toHaveLength(1);
  });

  it('keeps as many old sets as it should', async () => {
    await deploy({ revisionHistoryLimit: 1 });
    await complete();
    for (const next of ['web:2', 'web:3', 'web:4']) {
      await setImage(next);
      await complete();
    }
    await cluster.rest();
    expect(Object.keys(await sizes()).sort()).toEqual(['web:3', 'web:4']);
  });
});

describe('scaling', () => {
  it('is no rollout', async () => {
    await deploy();
    await complete();
    await change({ replicas: 5 });
    await complete();
    expect(await sizes()).toEqual({ 'web:1': 5 });
    expect(await told()).toContainEqual(expect.stringMatching(/^Scaled up replica set web-\w+ from 3 to 5$/));
    await change({ replicas: 0 });
    await complete();
    expect(await cluster.pods()).toHaveLength(0);
  });

  it('in the middle of a rollout is shared', async () => {
    // The numbers of upstream's own end-to-end test.
    await deploy({ replicas: 10, strategy: { rollingUpdate: { maxSurge: 3, maxUnavailable: 2 } } });
    await complete();
    await setImage('broken:1');
    const isWell = (pod: Pod): boolean => !image(pod).startsWith('broken');
    await cluster.runUntil(async () => (await sizes())['broken:1'] === 5, 'a stuck rollout', isWell);
    for (let turn = 0; turn < 5; turn += 1) {
      await cluster.runPods(isWell);
      await cluster.rest();
    }
    expect(await sizes()).toEqual({ 'web:1': 8, 'broken:1': 5 });
    await change({ replicas: 30 });
    await cluster.rest();
    expect(await sizes()).toEqual({ 'web:1': 20, 'broken:1': 13 });
    expect((await setOf('web:1')).metadata?.annotations).toMatchObject({
      [DESIRED_REPLICAS]: '30',
      [MAX_REPLICAS]: '33',
    });
  });
});

describe('Recreate', () => {
  it('never has old and new pods at once', async () => {
    await deploy({ strategy: { type: 'Recreate', rollingUpdate: null } });
    await complete();
    await setImage('web:2');
    await cluster.rest();
    // The old ones are told to go, and are still there: the new set has to wait.
    expect(await cluster.pods()).toHaveLength(3);
    expect(await sizes()).toEqual({ 'web:1': 0 });
    await cluster.runPods();
    await cluster.rest();
    expect((await cluster.pods()).map(image)).toEqual(['web:2', 'web:2', 'web:2']);
    await complete();
    expect(await sizes()).toEqual({ 'web:1': 0, 'web:2': 3 });
  });
});

describe('pausing', () => {
  it('holds the rollout, not the size, until it is resumed', async () => {
    await deploy();
    await complete();
    await change({ paused: true });
    await cluster.rest();
    expect(await progress()).toMatchObject({
      status: 'Unknown',
      reason: 'DeploymentPaused',
      message: 'Deployment is paused',
    });
    await setImage('web:2');
    await change({ replicas: 5 });
    await cluster.rest();
    expect(await sizes()).toEqual({ 'web:1': 5 });
    await change({ paused: null });
    await cluster.rest();
    expect(['DeploymentResumed', 'NewReplicaSetCreated', 'ReplicaSetUpdated']).toContain((await progress()).reason);
    await complete();
    expect(await sizes()).toEqual({ 'web:1': 0, 'web:2': 5 });
  });
});

describe('the progress deadline', () => {
  const isWell = (pod: Pod): boolean => !image(pod).startsWith('broken');

  it('is told when it passes, and forgotten when it goes on', async () => {
    const { clock } = cluster;
    await deploy({ progressDeadlineSeconds: 60 });
    await complete();
    await setImage('broken:1');
    for (let turn = 0; turn < 5; turn += 1) {
      await cluster.rest();
      await cluster.runPods(isWell);
    }
    await clock.advance(60_000);
    expect((await progress()).reason).toBe('ReplicaSetUpdated');
    await clock.advance(2000);
    expect(await progress()).toMatchObject({ status: 'False', reason: 'ProgressDeadlineExceeded' });
    expect((await progress()).message).toMatch(/^ReplicaSet "web-\w+" has timed out progressing\.$/);
    await setImage('web:2');
    await complete();
    expect(await progress()).toMatchObject({ status: 'True', reason: 'NewReplicaSetAvailable' });
  });

  it('does not count time in which nobody did anything', async () => {
    const { clock } = cluster;
    await deploy({ progressDeadlineSeconds: 60 });
    await complete();
    await setImage('broken:1');
    await cluster.rest();
    clock.stepWall(3_600_000);
    await clock.advance(30_000);
    expect((await progress()).reason).not.toBe('ProgressDeadlineExceeded');
  });
});

it('tells of pods that may not be created', async () => {
  const { client, clock } = cluster;
  const quota = { apiVersion: 'v1', kind: 'ResourceQuota', metadata: { namespace: 'team', name: 'q' } };
  await client.create(RESOURCE_QUOTAS, { ...quota, spec: { hard: { pods: '2' } } });
  await deploy();
  await cluster.rest();
  await cluster.runPods();
  await cluster.rest();
  const { conditions, replicas } = (await current()).status ?? {};
  expect(replicas).toBe(2);
  expect(findCondition(conditions, 'ReplicaFailure')).toMatchObject({ status: 'True', reason: 'FailedCreate' });
  expect(findCondition(conditions, 'ReplicaFailure')?.message).toMatch(/exceeded quota: q/);
  await client.delete(RESOURCE_QUOTAS, 'team', 'q');
  await clock.advance(60_000);
  await complete();
  expect(findCondition((await current()).status?.conditions, 'ReplicaFailure')).toBeUndefined();
});

it('pods that are deleted by hand come back', async () => {
  const { client } = cluster;
  await deploy();
  await complete();
  await client.delete(PODS, 'team', nameOf((await cluster.pods())[0] as Pod), { gracePeriodSeconds: 0 });
  await cluster.rest();
  expect(findCondition((await current()).status?.conditions, 'Available')).toMatchObject({ status: 'False' });
  await complete();
  expect(await cluster.pods()).toHaveLength(3);
});

describe('nodes to be avoided', () => {
  const mark = async (name: string, value: string | null): Promise<void> => {
    const metadata = { annotations: { [AVOID_NODES]: value } } as unknown as Deployment['metadata'];
    await cluster.client.patch(DEPLOYMENTS, 'team', name, 'merge', { metadata });
  };
  const marks = async (): Promise<readonly (string | undefined)[]> => {
    const { items } = await cluster.client.list(REPLICA_SETS, { namespace: 'team' });
    return items.map(({ metadata }) => metadata?.annotations?.[AVOID_NODES]);
  };

  it('what a deployment forgets, all its replica sets forget', async () => {
    await deploy();
    await complete();
    await mark('web', '[]');
    await cluster.runUntil(async () => (await marks())[0] === '[]', 'a mark');
    await setImage('web:2');
    await complete();
    expect(await marks()).toEqual(['[]', '[]']);
    await mark('web', null);
    await cluster.runUntil(async () => (await marks()).every((each) => each === undefined), 'no mark');
  });
});
