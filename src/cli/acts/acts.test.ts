import { beforeEach, describe, expect, it } from 'vitest';
import { createRestartCluster, type RestartCluster } from '../../../test/support/restart-cluster.ts';
import {
  DEPLOYMENTS,
  HEALING_PAUSED,
  HEALING_PAUSED_CONDITION,
  HEALING_PAUSED_FROM,
  type Pod,
  POD_RESTARTS,
  PODS,
  ROLE_BINDINGS,
  ROLES,
  STATEFUL_SETS,
  TRY_NOW,
} from '../../api/index.ts';
import { UsageError } from '../usage-error.ts';
import { actOn } from './act-on.ts';
import { type Act, type ActKind, actKind, ACTS, actTargetText, parseActTargets, rightsFor } from './acts.ts';

let cluster: RestartCluster;
beforeEach(async () => {
  cluster = await createRestartCluster();
});

async function act(what: Act, kind: ActKind, name: string, reason?: string, user?: string) {
  const connection = user === undefined ? cluster.api.connection : cluster.api.as({ name: user, groups: [] });
  const session = cluster.session(undefined, connection);
  return await cluster.finish(actOn(session, what, { kind, namespace: 'default', name }, reason));
}

const annotationsOf = async (name: string) =>
  (await cluster.api.client.get(PODS, 'default', name)).metadata?.annotations ?? {};

async function waits(name: string, reason: string): Promise<void> {
  const container = {
    name: 'main',
    ready: false,
    restartCount: 3,
    image: 'x',
    imageID: '',
    state: { waiting: { reason } },
  };
  const patch = { status: { containerStatuses: [container] } };
  await cluster.api.client.patch<Pod>(PODS, 'default', name, 'merge', patch, 'status');
}

/** An agent that says at once that it knows of pauses. */
async function agent(name: string, status: 'True' | 'False'): Promise<void> {
  const condition = { type: HEALING_PAUSED_CONDITION, status, reason: 'x' };
  const patch = { status: { conditions: [condition] } };
  await cluster.api.client.patch<Pod>(PODS, 'default', name, 'merge', patch, 'status');
}

describe('pause and resume', () => {
  it('mark a pod, and say whether its agent knows', async () => {
    await cluster.pod('web');
    const paused = await act('pause', 'Pod', 'web', 'looking');
    expect(paused).toEqual({
      ok: true,
      words: expect.stringMatching(
        /^pod\/web: healing of the pod is paused: .* Not confirmed yet by the agents of web; only mendlet's agent knows pauses$/,
      ),
    });
    expect(await annotationsOf('web')).toMatchObject({ [HEALING_PAUSED]: 'looking' });
    await agent('web', 'True');
    const again = await act('pause', 'Pod', 'web');
    expect(again.words).not.toContain('Not confirmed');
    const resumed = act('resume', 'Pod', 'web');
    await agent('web', 'False');
    expect(await resumed).toEqual({ ok: true, words: 'pod/web: healing of the pod goes on' });
    expect(await annotationsOf('web')).not.toHaveProperty([HEALING_PAUSED]);
    expect(await act('resume', 'Pod', 'web')).toEqual({ ok: true, words: 'pod/web: healing is not paused' });
  });

  it('mark all pods of a deployment, and no others', async () => {
    const owner = await cluster.deployment('web', 2);
    for (const name of ['web-a', 'web-b']) await cluster.pod(name, { owner });
    await cluster.pod('other');
    for (const name of ['web-a', 'web-b', 'other']) await agent(name, 'True');
    expect(await act('pause', 'Deployment', 'web')).toEqual({
      ok: true,
      words: expect.stringContaining('deploy/web: healing of its 2 pods, and of those that it gets later, is paused'),
    });
    const marks = { [HEALING_PAUSED]: 'true', [HEALING_PAUSED_FROM]: 'Deployment/web' };
    expect(await annotationsOf('web-a')).toMatchObject(marks);
    expect(await annotationsOf('web-b')).toMatchObject(marks);
    const workload = async () =>
      (await cluster.api.client.get(DEPLOYMENTS, 'default', 'web')).metadata?.annotations ?? {};
    expect(await workload()).toMatchObject({ [HEALING_PAUSED]: 'true' });
    for (const name of ['web-a', 'web-b']) await agent(name, 'False');
    expect(await act('resume', 'Pod', 'web-a')).toMatchObject({ ok: true });
    expect(await annotationsOf('web-a')).not.toHaveProperty([HEALING_PAUSED]);
    expect(await annotationsOf('web-a')).toHaveProperty([HEALING_PAUSED_FROM]);
    expect(await act('resume', 'Deployment', 'web')).toEqual({
      ok: true,
      words: 'deploy/web: healing of its pod goes on',
    });
    for (const name of ['web-a', 'web-b']) expect(await annotationsOf(name)).toEqual({});
    expect(await workload()).not.toHaveProperty([HEALING_PAUSED]);
    expect(await act('resume', 'Deployment', 'web')).toEqual({
      ok: true,
      words: 'deploy/web: healing is not paused',
    });
    expect(await annotationsOf('other')).not.toHaveProperty([HEALING_PAUSED]);
  });

  it('say what is not there, or cannot be marked', async () => {
    expect(await act('pause', 'Pod', 'none')).toEqual({ ok: false, words: 'pod/none: pods "none" not found' });
    await cluster.create(STATEFUL_SETS, {
      metadata: { name: 'db' },
      spec: {
        replicas: 0,
        serviceName: 'db',
        selector: { matchLabels: { app: 'db' } },
        template: { metadata: { labels: { app: 'db' } }, spec: { containers: [{ name: 'main', image: 'x' }] } },
      },
    });
    expect(await act('try-now', 'StatefulSet', 'db')).toEqual({ ok: false, words: 'sts/db: it has no pods' });
    expect(await act('pause', 'StatefulSet', 'db')).toEqual({
      ok: true,
      words: expect.stringContaining(
        'sts/db: healing of its pods (it has none now), and of those that it gets later, is paused',
      ),
    });
    expect(await act('resume', 'StatefulSet', 'db')).toMatchObject({ ok: true });
    await cluster.pod('over');
    await cluster.api.client.patch(PODS, 'default', 'over', 'merge', { status: { phase: 'Succeeded' } }, 'status');
    expect(await act('pause', 'Pod', 'over')).toEqual({ ok: false, words: 'pod/over: it has ended (Succeeded)' });
  });
});

describe('try now', () => {
  it('marks the pods that wait, and names what is tried', async () => {
    const owner = await cluster.deployment('web', 2);
    for (const name of ['web-a', 'web-b']) await cluster.pod(name, { owner });
    await waits('web-a', 'CrashLoopBackOff');
    expect(await act('try-now', 'Deployment', 'web')).toEqual({
      ok: true,
      words: 'deploy/web: tried now: container main of pod/web-a (CrashLoopBackOff)',
    });
    expect(await annotationsOf('web-a')).toHaveProperty([TRY_NOW]);
    expect(await annotationsOf('web-b')).not.toHaveProperty([TRY_NOW]);
  });

  it('says when nothing waits', async () => {
    await cluster.pod('web');
    expect(await act('try-now', 'Pod', 'web')).toEqual({ ok: true, words: 'pod/web: nothing of it waits' });
    expect(await annotationsOf('web')).not.toHaveProperty([TRY_NOW]);
  });
});

describe('restart', () => {
  it('requests that of a pod', async () => {
    await cluster.pod('web');
    expect(await act('restart', 'Pod', 'web', 'asked for on the page')).toEqual({
      ok: true,
      words: expect.stringMatching(/^pod\/web restart requested \(podrestarts\/\S+\)$/),
    });
    const [made] = (await cluster.api.client.list(POD_RESTARTS)).items;
    expect(made?.spec).toMatchObject({ podName: 'web', scope: 'pod', reason: 'asked for on the page' });
  });

  it('requests that of one container', async () => {
    await cluster.pod('web', { containers: ['main', 'side'] });
    const target = { kind: 'Pod', namespace: 'default', name: 'web', container: 'side' } as const;
    expect(await cluster.finish(actOn(cluster.session(), 'restart', target))).toMatchObject({ ok: true });
    const [made] = (await cluster.api.client.list(POD_RESTARTS)).items;
    expect(made?.spec).toMatchObject({ scope: 'container', container: 'side' });
  });

  it('begins that of a workload, and tells how it ended', async () => {
    const owner = await cluster.deployment('web', 2);
    for (const name of ['web-a', 'web-b']) await cluster.pod(name, { owner });
    cluster.serve();
    const begun = await act('restart', 'Deployment', 'web');
    expect(begun).toMatchObject({ ok: true, words: 'deploy/web: 2 pods to restart in place, at most 1 away at once' });
    const end = await cluster.finish(begun.rest ?? Promise.resolve(undefined));
    expect(end).toMatchObject({ ok: true, words: expect.stringContaining('2') });
    expect(cluster.restarted.toSorted()).toEqual(['web-a', 'web-b']);
  });

  it('says of what is not restarted in order, or is not there', async () => {
    expect(await act('restart', 'Job', 'once')).toEqual({ ok: false, words: 'job/once: restart its pods one by one' });
    expect(await act('restart', 'Pod', 'none')).toEqual({
      ok: false,
      words: 'pod/none not restarted: pods "none" not found',
    });
    expect((await act('restart', 'Deployment', 'none')).words).toContain('not found');
  });
});

describe('rights', () => {
  /** The right to read, and one more. */
  async function allow(user: string, more: readonly object[]): Promise<void> {
    const reads = [
      { verbs: ['get', 'list'], apiGroups: ['', 'apps'], resources: ['pods', 'replicasets', 'deployments'] },
    ];
    await cluster.create(ROLES, { metadata: { name: user }, rules: [...reads, ...more] });
    await cluster.create(ROLE_BINDINGS, {
      metadata: { name: user },
      subjects: [{ kind: 'User', name: user, apiGroup: 'rbac.authorization.k8s.io' }],
      roleRef: { kind: 'Role', name: user, apiGroup: 'rbac.authorization.k8s.io' },
    });
  }

  it.each(ACTS)('%s is refused without the right that it names, and done with it alone', async (what) => {
    await cluster.pod('web');
    await waits('web', 'CrashLoopBackOff');
    await agent('web', 'True');
    await cluster.api.client.patch(PODS, 'default', 'web', 'merge', {
      metadata: { annotations: { [HEALING_PAUSED]: 'true' } },
    });
    await allow('looker', []);
    expect(await act(what, 'Pod', 'web', undefined, 'looker')).toEqual({
      ok: false,
      words: expect.stringContaining('forbidden'),
    });
    for (const [place, right] of rightsFor(what).entries()) {
      const resource = right.subresource === undefined ? right.resource : `${right.resource}/${right.subresource}`;
      await allow(`doer-${place}`, [{ verbs: [right.verb], apiGroups: [right.group], resources: [resource] }]);
      expect(await act(what, 'Pod', 'web', undefined, `doer-${place}`)).toMatchObject({ ok: true });
    }
  });
});

describe('a workload whose own object one may not patch', () => {
  it('is paused for the pods that it has, which is said', async () => {
    const owner = await cluster.deployment('web', 1);
    await cluster.pod('web-a', { owner });
    await agent('web-a', 'True');
    const reads = {
      verbs: ['get', 'list'],
      apiGroups: ['', 'apps'],
      resources: ['pods', 'replicasets', 'deployments'],
    };
    const rules = [reads, { verbs: ['patch'], apiGroups: [''], resources: ['pods'] }];
    await cluster.create(ROLES, { metadata: { name: 'podder' }, rules });
    await cluster.create(ROLE_BINDINGS, {
      metadata: { name: 'podder' },
      subjects: [{ kind: 'User', name: 'podder', apiGroup: 'rbac.authorization.k8s.io' }],
      roleRef: { kind: 'Role', name: 'podder', apiGroup: 'rbac.authorization.k8s.io' },
    });
    const result = await act('pause', 'Deployment', 'web', undefined, 'podder');
    expect(result).toMatchObject({
      ok: true,
      words: expect.stringMatching(
        /healing of its pod is paused: .* Pods that it gets later are not paused: .*forbidden/,
      ),
    });
    expect(await annotationsOf('web-a')).not.toHaveProperty([HEALING_PAUSED_FROM]);
    await agent('web-a', 'False');
    expect(await act('resume', 'Deployment', 'web', undefined, 'podder')).toMatchObject({ ok: true });
  });
});

describe('targets', () => {
  it('are written as for kubectl', () => {
    expect(parseActTargets(['deploy', 'a', 'b'], 'ns').map(actTargetText)).toEqual(['deploy/a', 'deploy/b']);
    expect(parseActTargets(['pod/a', 'sts/b', 'pods/a'], 'ns').map(actTargetText)).toEqual(['pod/a', 'sts/b']);
    expect(actKind('Deployment')).toBe(DEPLOYMENTS.kind);
    expect(actKind('node')).toBeUndefined();
  });

  it.each([[[]], [['web']], [['node/a']], [['pod/']], [['pod/a/b']], [['pod/A_']]])('refuses %s', (args) => {
    expect(() => parseActTargets(args, 'ns')).toThrow(UsageError);
  });
});
