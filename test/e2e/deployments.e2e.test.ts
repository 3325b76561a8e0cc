/** Tests deployments and replica sets with kubectl's rollout verbs on real containers. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { itInWhole } from './extent.ts';
import { Mendlet, until } from './harness.ts';

const mendlet = new Mendlet({ podNetwork: 165 });
beforeAll(() => mendlet.up());
afterAll(() => mendlet.down());

const kubectl = (...args: string[]): Promise<string> => mendlet.kubectl(args);
const IMAGE = 'docker.io/library/busybox:latest';

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
}

interface Seen {
  readonly metadata: {
    readonly name: string;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly labels?: Readonly<Record<string, string>>;
    readonly deletionTimestamp?: string;
    readonly creationTimestamp: string;
    readonly ownerReferences?: readonly { readonly kind: string; readonly name: string }[];
  };
  readonly spec: {
    readonly replicas?: number;
    readonly template?: {
      readonly spec: { readonly containers: readonly [{ readonly env?: readonly { readonly value: string }[] }] };
    };
  };
  readonly status: {
    readonly phase?: string;
    readonly replicas?: number;
    readonly readyReplicas?: number;
    readonly conditions?: readonly Condition[];
  };
}

function get(kind: string, name: string, namespace = 'default'): Promise<Seen> {
  return mendlet.read<Seen>(`${kind}/${name}`, { namespace });
}

async function list(kind: string, selector: string): Promise<readonly Seen[]> {
  return (await mendlet.read<{ items: Seen[] }>(kind, { selector })).items;
}

function container(version: string, more: object = {}): object {
  return {
    name: 'main',
    image: IMAGE,
    imagePullPolicy: 'IfNotPresent',
    command: ['sh', '-c', 'trap "exit 0" TERM; sleep 3600 & wait'],
    env: [{ name: 'VERSION', value: version }],
    ...more,
  };
}

/** A pod of a broken version is never ready. */
function template(name: string, version: string): object {
  const readinessProbe = { exec: { command: ['sh', '-c', '[ "$VERSION" != broken ]'] }, periodSeconds: 1 };
  return {
    metadata: { labels: { app: name } },
    spec: { terminationGracePeriodSeconds: 1, containers: [container(version, { readinessProbe })] },
  };
}

async function deploy(name: string, spec: object, namespace = 'default'): Promise<void> {
  await mendlet.create({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { namespace, name },
    spec: { replicas: 2, selector: { matchLabels: { app: name } }, template: template(name, '1'), ...spec },
  });
}

const setVersion = (name: string, version: string): Promise<string> =>
  kubectl('set', 'env', `deployment/${name}`, `VERSION=${version}`);
const rolledOut = (name: string): Promise<string> => kubectl('rollout', 'status', `deployment/${name}`);

/** Waits until the sizes of a deployment's replica sets, by version, are as wanted. */
async function untilSizes(name: string, wanted: Readonly<Record<string, number>>): Promise<readonly Seen[]> {
  return until<readonly Seen[]>(`sizes ${JSON.stringify(wanted)} of ${name}`, async () => {
    const sets = await list('rs', `app=${name}`);
    const sizes = Object.fromEntries(
      sets.map(({ spec }) => [spec.template?.spec.containers[0].env?.[0]?.value ?? '', spec.replicas]),
    );
    const same = Object.entries(wanted).every(([version, size]) => sizes[version] === size);
    return same ? { value: sets } : { last: JSON.stringify(sizes) };
  });
}

async function untilCondition(kind: string, name: string, type: string, reason: string, namespace = 'default') {
  return until<Condition>(`${kind} ${name}: ${type} ${reason}`, async () => {
    const { status } = await get(kind, name, namespace);
    const found = status.conditions?.find((condition) => condition.type === type);
    return found?.reason === reason ? { value: found } : { last: JSON.stringify(status.conditions) };
  });
}

it('rolls out, back, and tells its history', async () => {
  await kubectl('create', 'deployment', 'made', `--image=${IMAGE}`, '--replicas=0', '--', 'sleep', '3600');
  expect(await kubectl('get', 'deployment', 'made')).toMatch(
    /^NAME +READY +UP-TO-DATE +AVAILABLE +AGE\nmade +0\/0 +0 +0 +\S+\n$/,
  );

  await deploy('web', {});
  expect(await rolledOut('web')).toMatch(/deployment "web" successfully rolled out\n$/);
  await kubectl('annotate', 'deployment', 'web', 'kubernetes.io/change-cause=the first one');
  await setVersion('web', '2');
  await rolledOut('web');
  await kubectl('annotate', 'deployment', 'web', 'kubernetes.io/change-cause=the second one', '--overwrite');
  const causes = async (): Promise<string> =>
    (await list('rs', 'app=web')).map(({ metadata }) => metadata.annotations?.['kubernetes.io/change-cause']).join();
  await until('both causes', async () => {
    const last = await causes();
    return last.includes('the first one') && last.includes('the second one') ? { value: true } : { last };
  });
  expect(await kubectl('rollout', 'history', 'deployment/web')).toMatch(/1 +the first one\n2 +the second one/);
  expect(await kubectl('rollout', 'undo', 'deployment/web')).toMatch(/rolled back/);
  await rolledOut('web');
  expect(await kubectl('rollout', 'history', 'deployment/web')).toMatch(/2 +the second one\n3 +the \w+ one/);
  expect((await get('deployment', 'web')).metadata.annotations?.['deployment.kubernetes.io/revision']).toBe('3');

  expect(await kubectl('get', 'deployment', 'web', '-o', 'wide')).toMatch(
    /^NAME +READY +UP-TO-DATE +AVAILABLE +AGE +CONTAINERS +IMAGES +SELECTOR\nweb +2\/2 +2 +2 +\S+ +main +\S+busybox:latest +app=web\n$/,
  );
  const story = await kubectl('describe', 'deployment', 'web');
  expect(story).toMatch(/Replicas: +2 desired \| 2 updated \| 2 total \| 2 available \| 0 unavailable/);
  expect(story).toMatch(/Available +True +MinimumReplicasAvailable\n +Progressing +True +NewReplicaSetAvailable/);
  expect(story).toMatch(/ScalingReplicaSet .*deployment-controller +Scaled up replica set web-\w+ from 0 to 2\n/);
  expect(story).toMatch(/NewReplicaSet: +web-\w+ \(2\/2 replicas created\)/);

  await kubectl('rollout', 'restart', 'deployment/web');
  await rolledOut('web');
  expect((await list('rs', 'app=web')).length).toBe(3);
});

itInWhole('holds still while it is paused', async () => {
  await deploy('still', {});
  await rolledOut('still');
  await kubectl('rollout', 'pause', 'deployment/still');
  await setVersion('still', '2');
  await untilCondition('deployment', 'still', 'Progressing', 'DeploymentPaused');
  await kubectl('scale', 'deployment/still', '--replicas=3');
  await untilSizes('still', { 1: 3 });
  expect(await list('rs', 'app=still')).toHaveLength(1);
  await kubectl('rollout', 'resume', 'deployment/still');
  await rolledOut('still');
  await untilSizes('still', { 1: 0, 2: 3 });
});

itInWhole('recreates only when the old pods have ended', async () => {
  await deploy('anew', { strategy: { type: 'Recreate' } });
  await rolledOut('anew');
  const before = (await list('pods', 'app=anew')).map(({ metadata }) => metadata.name);
  await setVersion('anew', '2');
  // Whenever a new pod exists, no old one runs.
  await until('new pods', async () => {
    const pods = await list('pods', 'app=anew');
    const fresh = pods.filter(({ metadata }) => !before.includes(metadata.name));
    const alive = pods.filter(({ metadata, status }) => before.includes(metadata.name) && status.phase === 'Running');
    if (fresh.length > 0) expect(alive).toEqual([]);
    return fresh.length === 2 ? { value: true } : { last: String(fresh.length) };
  });
  await rolledOut('anew');
});

itInWhole('stops at its fenceposts, shares what it gets, says that it is overdue, and rolls over', async () => {
  const rollingUpdate = { maxSurge: 1, maxUnavailable: 1 };
  await deploy('stuck', { replicas: 4, strategy: { rollingUpdate } });
  await rolledOut('stuck');
  await kubectl('patch', 'deployment', 'stuck', '-p', '{"spec":{"progressDeadlineSeconds":3}}');
  await setVersion('stuck', 'broken');
  await untilSizes('stuck', { 1: 3, broken: 2 });
  const overdue = await untilCondition('deployment', 'stuck', 'Progressing', 'ProgressDeadlineExceeded');
  expect(overdue.message).toMatch(/^ReplicaSet "stuck-\w+" has timed out progressing\.$/);
  const status = await mendlet.tryKubectl(['rollout', 'status', 'deployment/stuck']);
  expect(status).toMatchObject({ code: 1, stderr: 'error: deployment "stuck" exceeded its progress deadline\n' });
  // 5 pods of 4 + 1 become 9 of 8 + 1: 5.4 and 3.6 of them.
  await kubectl('scale', 'deployment/stuck', '--replicas=8');
  await untilSizes('stuck', { 1: 5, broken: 4 });
  // Back to the running version, after which the status does not mention the overdue rollout any more.
  await kubectl('patch', 'deployment', 'stuck', '-p', '{"spec":{"progressDeadlineSeconds":600}}');
  await kubectl('rollout', 'undo', 'deployment/stuck');
  await untilCondition('deployment', 'stuck', 'Progressing', 'NewReplicaSetAvailable');
  await untilSizes('stuck', { 1: 8, broken: 0 });
  await kubectl('scale', 'deployment/stuck', '--replicas=3');
  await setVersion('stuck', '2');
  await rolledOut('stuck');
  await untilSizes('stuck', { 1: 0, broken: 0, 2: 3 });
});

describe('what keeps pods from being made', () => {
  it('a quota is a condition, of deployment and replication controller', async () => {
    await kubectl('create', 'namespace', 'tight');
    await kubectl('-n', 'tight', 'create', 'quota', 'two', '--hard=pods=2');
    await deploy('web', { replicas: 3 }, 'tight');
    const failure = await untilCondition('deployment', 'web', 'ReplicaFailure', 'FailedCreate', 'tight');
    expect(failure.message).toMatch(
      /^pods "web-\w+-\w+" is forbidden: exceeded quota: two, requested: pods=1, used: pods=2, limited: pods=2$/,
    );
    await kubectl('-n', 'tight', 'delete', 'deployment', 'web', '--cascade=foreground');
    const spec = { replicas: 3, template: template('rc', '1') };
    await mendlet.create({
      apiVersion: 'v1',
      kind: 'ReplicationController',
      metadata: { namespace: 'tight', name: 'rc' },
      spec,
    });
    await untilCondition('rc', 'rc', 'ReplicaFailure', 'FailedCreate', 'tight');
    await kubectl('-n', 'tight', 'scale', 'rc/rc', '--replicas=2');
    await until('no condition', async () => {
      const { conditions } = (await get('rc', 'rc', 'tight')).status;
      return conditions === undefined ? { value: true } : { last: JSON.stringify(conditions) };
    });
  });

  it('a node that refuses them is not flooded', async () => {
    const refused = container('1', { resources: { requests: { cpu: '4000' } } });
    const spec = { nodeName: 'e2e', containers: [refused] };
    await mendlet.create({
      apiVersion: 'apps/v1',
      kind: 'ReplicaSet',
      metadata: { name: 'huge' },
      spec: {
        replicas: 1,
        selector: { matchLabels: { app: 'huge' } },
        template: { metadata: { labels: { app: 'huge' } }, spec },
      },
    });
    await until('a third round', async () => {
      const last = await mendlet.events('huge');
      return /^BackOff: Back-off creating pods for \d+s: .* 3 times in a row.*OutOfcpu/m.test(last)
        ? { value: true }
        : { last };
    });
    // One pod at once, one more at once, then with growing pauses.
    const pods = await list('pods', 'app=huge');
    const seconds = (at: string | undefined): number => Date.parse(at ?? '') / 1000;
    const age = seconds(new Date().toISOString()) - seconds(pods[0]?.metadata.creationTimestamp);
    expect(pods.length).toBeLessThanOrEqual(3 + Math.log2(age + 2));
    await kubectl('delete', 'rs', 'huge');
  });
});

itInWhole('a replica set adopts what matches and lets go of what does not', async () => {
  const spec = { terminationGracePeriodSeconds: 1, containers: [container('1')] };
  await mendlet.create(
    { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'foundling', labels: { app: 'home' } }, spec },
    {
      apiVersion: 'apps/v1',
      kind: 'ReplicaSet',
      metadata: { name: 'home' },
      spec: {
        replicas: 1,
        selector: { matchLabels: { app: 'home' } },
        template: { metadata: { labels: { app: 'home' } }, spec },
      },
    },
  );
  const owner = async (): Promise<string> =>
    ((await get('pods', 'foundling')).metadata.ownerReferences ?? []).map(({ name }) => name).join();
  const untilOwner = (wanted: string): Promise<boolean> =>
    until<boolean>(`owner "${wanted}"`, async () => {
      const last = await owner();
      return last === wanted ? { value: true } : { last };
    });
  await untilOwner('home');
  expect(await list('pods', 'app=home')).toHaveLength(1);
  await kubectl('label', 'pod', 'foundling', 'app=away', '--overwrite');
  await untilOwner('');
  await until('a pod in its place', async () => {
    const { replicas, readyReplicas } = (await get('rs', 'home')).status;
    return replicas === 1 && readyReplicas === 1 ? { value: true } : { last: `${replicas} ${readyReplicas}` };
  });
});
