/** Tests the verb against the real API server; the tests play the agents and the healing controller. */
import { beforeEach, describe, expect, it } from 'vitest';
import { createRestartCluster, type RestartCluster } from '../../../test/support/restart-cluster.ts';
import {
  DAEMON_SETS,
  POD_DISRUPTION_BUDGETS,
  POD_RESTARTS,
  PODS,
  ROLE_BINDINGS,
  ROLES,
  STATEFUL_SETS,
  controllerReference,
} from '../../api/index.ts';
import { type Connection, encodeText } from '../../lib/index.ts';
import { type RestartFlags, restartOptions } from './options.ts';
import { runRestart } from './run-restart.ts';

let cluster: RestartCluster;
beforeEach(async () => {
  cluster = await createRestartCluster();
});

async function restart(
  args: readonly string[],
  flags: RestartFlags = {},
  signal?: AbortSignal,
  connection?: Connection,
) {
  const run = runRestart(cluster.session(signal, connection), restartOptions(args, flags), 'mendlet restart');
  const code = await cluster.finish(run);
  return { code, ...cluster.said };
}

const requests = async () => (await cluster.api.client.list(POD_RESTARTS)).items.map(({ spec }) => spec);

describe('pods', () => {
  it('tells what came of it', async () => {
    await cluster.pod('web');
    cluster.serve();
    expect(await restart(['pod/web'], { reason: 'new certificate' })).toEqual({
      code: 0,
      out: expect.stringMatching(/^pod\/web restarted \(scope pod, \d\.\ds\): address 10\.0\.0\.1 → 10\.0\.0\.2\n$/),
      err: '',
    });
    expect(await requests()).toMatchObject([{ podName: 'web', scope: 'pod', reason: 'new certificate' }]);
  });

  it('passes on every flag', async () => {
    await cluster.pod('web');
    const flags = { container: 'main', force: true, gracePeriod: 3, notBefore: '2030-01-02T03:04:05Z', wait: false };
    const { code, out } = await restart(['pod/web'], flags);
    expect({ code, out }).toEqual({
      code: 0,
      out: expect.stringMatching(/^pod\/web restart requested \(podrestarts\/\S+\)\n$/),
    });
    const wanted = { scope: 'container', container: 'main', force: true, gracePeriodSeconds: 3 };
    expect(await requests()).toMatchObject([{ ...wanted, podName: 'web' }]);
    expect(Date.parse((await requests())[0]?.notBefore ?? '')).toBe(Date.parse('2030-01-02T03:04:05Z'));
  });

  it('names the container where there is one alone, and asks where there are more', async () => {
    await cluster.pod('one');
    await cluster.pod('two', { containers: ['a', 'b'] });
    cluster.serve();
    expect(await restart(['pod/one', 'pod/two'], { scope: 'container' })).toEqual({
      code: 1,
      out: expect.stringMatching(/^pod\/one restarted \(container main, .*\): .*restarts 0 → 1\n$/),
      err: 'pod/two not restarted: it has a, b: name one with -c\n',
    });
  });

  it('stops at the first that fails, and says what was not begun', async () => {
    await cluster.pod('b');
    cluster.serve();
    const { code, err } = await restart(['pod/none', 'pod/b']);
    expect({ code, err }).toEqual({
      code: 1,
      err: 'pod/none not restarted: pods "none" not found\nnot begun: pod/b\n',
    });
    expect(cluster.restarted).toEqual([]);
  });

  it('goes on when told so', async () => {
    await cluster.pod('b');
    cluster.serve();
    expect((await restart(['pod/none', 'pod/b'], { keepGoing: true })).code).toBe(1);
    expect(cluster.restarted).toEqual(['b']);
  });

  it('picks by labels, in order, so many at a time', async () => {
    for (const name of ['c', 'a', 'b']) await cluster.pod(name, { labels: { app: 'web' } });
    await cluster.pod('other');
    cluster.serve();
    expect(await restart([], { selector: 'app=web', parallel: 2 })).toMatchObject({ code: 0, err: '' });
    expect(cluster.restarted).toEqual(['a', 'b', 'c']);
    expect(cluster.mostAway).toBe(2);
  });

  it('says when there is nothing', async () => {
    expect(await restart(['pods'], { selector: 'app=none' })).toEqual({
      code: 1,
      out: '',
      err: 'nothing to restart in namespace default\n',
    });
  });

  it('says what it waits for, and gives up in time', async () => {
    await cluster.pod('web');
    const { code, err } = await restart(['pod/web'], { timeout: 20_000 });
    expect(code).toBe(1);
    expect(err).toMatch(
      /^pod\/web: waits to be taken up\npod\/web: the restart has not been taken up yet: does the healing controller run\?/,
    );
    expect(err).toMatch(
      /pod\/web not restarted within 20\.0s: the restart has not been taken up yet.* It goes on: kubectl get podrestarts web-\S+ -n default -o yaml\n$/,
    );
  });

  it('goes on when the server has forgotten what was watched', async () => {
    await cluster.pod('web');
    cluster.serve({ tookMs: 3000 });
    let isForgotten = false;
    const forgetful: Connection = {
      request: async (request) => {
        if (isForgotten || !request.url.includes('/podrestarts?') || !request.url.includes('watch='))
          return await cluster.api.connection.request(request);
        isForgotten = true;
        const status = {
          kind: 'Status',
          status: 'Failure',
          code: 410,
          reason: 'Expired',
          message: 'too old resource version',
        };
        return {
          status: 410,
          headers: { 'content-type': 'application/json' },
          body: encodeText(JSON.stringify(status)),
        };
      },
      upgrade: async (request) => await cluster.api.connection.upgrade(request),
    };
    expect(await restart(['pod/web'], {}, undefined, forgetful)).toMatchObject({ code: 0 });
    expect(isForgotten).toBe(true);
  });

  it('is no longer waited for after Ctrl-C', async () => {
    await cluster.pod('web');
    const controller = new AbortController();
    cluster.api.clock.setTimer(3000, () => controller.abort());
    const { code, err } = await restart(['pod/web', 'pod/b'], {}, controller.signal);
    expect(code).toBe(1);
    expect(err).toMatch(/pod\/web no longer waited for\. Its restart goes on: .*\nnot begun: pod\/b\n$/);
  });

  it('sees that its pod goes away', async () => {
    await cluster.pod('web');
    cluster.api.clock.setTimer(3000, () => {
      void cluster.api.client.delete(PODS, 'default', 'web', { gracePeriodSeconds: 0 });
    });
    const { code, err } = await restart(['pod/web']);
    expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining('pod/web is gone') });
  });
});

describe('other clusters, and other people', () => {
  /** Answers 404 to these paths, as a server without them does. */
  const without = (...paths: readonly string[]): Connection => ({
    request: async (request) =>
      paths.some((path) => request.url.includes(path))
        ? { status: 404, headers: {}, body: encodeText('404 page not found\n') }
        : await cluster.api.connection.request(request),
    upgrade: async (request) => await cluster.api.connection.upgrade(request),
  });
  const may = async (rules: readonly object[]): Promise<Connection> => {
    const metadata = { name: 'restarter' };
    await cluster.create(ROLES, { metadata, rules });
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'restarter' };
    const subjects = [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: 'jo' }];
    await cluster.create(ROLE_BINDINGS, { metadata, roleRef, subjects });
    return cluster.api.as({ name: 'jo', groups: ['system:authenticated'] });
  };

  it('without the verb: the object is made', async () => {
    await cluster.pod('web');
    cluster.serve();
    expect(await restart(['pod/web'], {}, undefined, without('/restart'))).toMatchObject({ code: 0, err: '' });
    expect(await requests()).toMatchObject([{ podName: 'web', scope: 'pod' }]);
  });

  it('without the object: names what brings it', async () => {
    await cluster.pod('web');
    expect(await restart(['pod/web'], {}, undefined, without('/restart', '/apis/mendlet.dev'))).toEqual({
      code: 1,
      out: '',
      err: 'pod/web not restarted: this cluster knows no PodRestart: an administrator brings it with "kubectl apply -f deploy/mendlet-healer.yaml"\n',
    });
  });

  it('who may only restart is told that it was', async () => {
    await cluster.pod('web');
    cluster.serve();
    const verbs = ['create', 'get', 'list', 'watch'];
    const connection = await may([{ apiGroups: ['mendlet.dev'], resources: ['podrestarts'], verbs }]);
    const { code, out, err } = await restart(['pod/web'], {}, undefined, connection);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toMatch(/^pod\/web restarted \(scope pod, \d\.\ds\)\n$/);
  });

  it('who may ask and not look is told so', async () => {
    await cluster.pod('web');
    cluster.serve();
    const connection = await may([{ apiGroups: ['mendlet.dev'], resources: ['podrestarts'], verbs: ['create'] }]);
    const { code, err } = await restart(['pod/web'], {}, undefined, connection);
    expect({ code, err }).toEqual({
      code: 1,
      err: expect.stringMatching(/^pod\/web: it was asked for, but its end cannot be seen: .*forbidden/),
    });
  });

  it('who may not restart is refused', async () => {
    await cluster.pod('web');
    const connection = await may([{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }]);
    const { code, err } = await restart(['pod/web'], {}, undefined, connection);
    expect({ code, err }).toEqual({
      code: 1,
      err: expect.stringMatching(
        /^pod\/web not restarted: podrestarts\.mendlet\.dev is forbidden: User "jo" cannot create/,
      ),
    });
  });

  it('who may not see budgets restarts no workload', async () => {
    await cluster.deployment('web', 1);
    const connection = await may([{ apiGroups: ['apps', ''], resources: ['*'], verbs: ['*'] }]);
    await expect(restart(['deploy/web'], {}, undefined, connection)).rejects.toThrow(
      'poddisruptionbudgets.policy is forbidden',
    );
  });
});

describe('a deployment', () => {
  async function web(replicas: number, options: { ready?: (n: number) => boolean; spec?: object } = {}) {
    const owner = await cluster.deployment('web', replicas, options.spec);
    for (let n = 0; n < replicas; n += 1) {
      await cluster.pod(`web-${n}`, { owner, labels: { app: 'web' }, ready: options.ready?.(n) ?? true });
    }
    return owner;
  }
  const rolling = (maxUnavailable: number | string) => ({
    strategy: { rollingUpdate: { maxUnavailable, maxSurge: 1 } },
  });

  it('is restarted one by one, the sick first, then by age', async () => {
    await web(4, { ready: (n) => n !== 2, spec: rolling(1) });
    cluster.serve();
    const { code, out, err } = await restart(['deploy/web']);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toMatch(
      /^deploy\/web: 4 pods to restart in place, at most 1 away at once\n(pod\/web-\d restarted .*\n){4}deploy\/web: 4 pods restarted in place \(\d+\.\ds\)\n$/,
    );
    expect(cluster.restarted).toEqual(['web-2', 'web-0', 'web-1', 'web-3']);
    expect(cluster.mostAway).toBe(1);
    const asked = await requests();
    expect(new Set(asked.map((spec) => spec?.notBefore)).size).toBe(1);
    expect(asked[0]?.reason).toBe('restart of deploy/web');
  });

  it('takes as many as its strategy allows', async () => {
    await web(6, { spec: rolling('50%') });
    cluster.serve();
    expect((await restart(['deploy/web'])).code).toBe(0);
    expect(cluster.mostAway).toBe(3);
  });

  it('keeps to a budget that is given, and to a disruption budget below it', async () => {
    await web(4);
    await cluster.create(POD_DISRUPTION_BUDGETS, {
      metadata: { name: 'web' },
      spec: { minAvailable: 2, selector: { matchLabels: { app: 'web' } } },
    });
    await cluster.budget('web', { disruptionsAllowed: 2, desiredHealthy: 2 });
    cluster.serve();
    const { code } = await restart(['deploy/web'], { maxUnavailable: { text: '4', count: 4 } });
    expect(code).toBe(0);
    expect(cluster.mostAway).toBe(2);
  });

  it('waits while a disruption budget allows nothing, says so, and goes on when it does', async () => {
    await web(2);
    await cluster.create(POD_DISRUPTION_BUDGETS, {
      metadata: { name: 'web' },
      spec: { minAvailable: 2, selector: { matchLabels: { app: 'web' } } },
    });
    await cluster.budget('web', { disruptionsAllowed: 0, desiredHealthy: 2 });
    cluster.serve();
    cluster.api.clock.setTimer(30_000, () => void cluster.budget('web', { disruptionsAllowed: 1, desiredHealthy: 1 }));
    const { code, err } = await restart(['deploy/web']);
    expect(code).toBe(0);
    expect(err).toBe(
      'waits: pod/web-0: PodDisruptionBudget web allows no disruption now (2 of its pods are ready, and 2 must be)\n',
    );
  });

  it('stops when nothing may be restarted for too long', async () => {
    await web(2, { spec: rolling(1) });
    await cluster.api.client.delete(PODS, 'default', 'web-1', { gracePeriodSeconds: 0 });
    cluster.serve();
    const { code, err } = await restart(['deploy/web'], { timeout: 10_000 });
    expect(code).toBe(1);
    expect(err).toMatch(
      /stopped: for 10\.0s nothing might be restarted: pod\/web-0: 1 of 2 pods are available, and at most 1 may be away\n {2}not begun: web-0\n/,
    );
  });

  it('stops at a pod that does not come back, and says what was done and how to go on', async () => {
    await web(3, { spec: rolling(1) });
    cluster.serve({ fails: ['web-1'] });
    const { code, err } = await restart(['deploy/web'], { timeout: 20_000, scope: 'containers' });
    expect(code).toBe(1);
    expect(err).toMatch(
      /deploy\/web: 1 pod restarted in place, 1 failed \(.*\)\nstopped: pod\/web-1 did not come back ready within 20\.0s \(ContainersNotReady\)\n {2}restarted: web-0\n {2}failed: web-1\n {2}not begun: web-2\ngo on with: mendlet restart deploy\/web --scope containers --timeout 20s --not-before \S+Z\n$/,
    );
    expect(cluster.restarted).toEqual(['web-0', 'web-1']);
  });

  it('goes past it when told so', async () => {
    await web(3, { spec: rolling(1) });
    cluster.serve({ fails: ['web-1'] });
    const { code, err } = await restart(['deploy/web'], { timeout: 20_000, keepGoing: true });
    expect(code).toBe(1);
    expect(err).toContain('deploy/web: 2 pods restarted in place, 1 failed');
    expect(cluster.restarted).toEqual(['web-0', 'web-1', 'web-2']);
  });

  it('takes pods that are replaced meanwhile as they come', async () => {
    const owner = await web(3, { spec: rolling(1) });
    cluster.serve({ tookMs: 3000 });
    cluster.api.clock.setTimer(1000, () => {
      void (async () => {
        // One pod is being restarted, and one waits for its turn.
        for (const name of ['web-0', 'web-1'])
          await cluster.api.client.delete(PODS, 'default', name, { gracePeriodSeconds: 0 });
        for (const name of ['web-3', 'web-4']) await cluster.pod(name, { owner, labels: { app: 'web' } });
      })();
    });
    const { code, out } = await restart(['deploy/web']);
    expect({ code, out }).toEqual({
      code: 0,
      out: expect.stringContaining('1 pod restarted in place, 2 replaced meanwhile'),
    });
    expect(cluster.restarted).toEqual(['web-0', 'web-2']);
  });

  it('believes no pod that is older than the end of its restart', async () => {
    await web(2, { spec: rolling(1) });
    cluster.serve({ fails: ['web-0'] });
    // The pods' watch events come two seconds late: pods still look ready when their restart has ended.
    const late: Connection = {
      request: async (request) => {
        const answer = await cluster.api.connection.request(request);
        const isPodWatch = request.url.includes('/pods?') && request.url.includes('watch=');
        return isPodWatch ? { ...answer, body: delayed(answer.body as AsyncIterable<Uint8Array>) } : answer;
      },
      upgrade: async (request) => await cluster.api.connection.upgrade(request),
    };
    async function* delayed(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
      for await (const chunk of chunks) {
        await cluster.api.clock.sleep(2000);
        yield chunk;
      }
    }
    const { code } = await restart(['deploy/web'], { timeout: 20_000 }, undefined, late);
    expect(code).toBe(1);
    expect(cluster.restarted).toEqual(['web-0']);
  });

  it('waits for minReadySeconds', async () => {
    await web(2, { spec: { ...rolling(1), minReadySeconds: 10 } });
    await cluster.api.clock.advance(10_000);
    cluster.serve();
    const begun = cluster.api.clock.now().mono;
    expect((await restart(['deploy/web'])).code).toBe(0);
    expect(cluster.api.clock.now().mono - begun).toBeGreaterThan(18_000);
    expect(cluster.mostAway).toBe(1);
  });

  it('repeated with the same time it restarts nothing twice', async () => {
    await web(3, { spec: rolling(1) });
    cluster.serve();
    const { code, out } = await restart(['deploy/web'], { notBefore: '2020-01-01T00:00:00Z' });
    expect({ code, out }).toEqual({
      code: 0,
      out: expect.stringContaining('0 pods restarted in place, 3 needed no restart'),
    });
    expect(cluster.restarted).toEqual([]);
  });

  it('ends between two pods after Ctrl-C', async () => {
    await web(3, { spec: rolling(1) });
    cluster.serve({ tookMs: 5000 });
    const controller = new AbortController();
    cluster.api.clock.setTimer(2000, () => controller.abort());
    const { code, out, err } = await restart(['deploy/web'], {}, controller.signal);
    expect(code).toBe(1);
    expect(cluster.restarted).toEqual(['web-0']);
    expect(out).toContain('pod/web-0 restarted');
    expect(err).toContain(
      'no more pods are begun, 2 pods left; waits for pod/web-0 (again Ctrl-C: no longer)\ngo on with: mendlet',
    );
    expect(err).toMatch(/stopped: interrupted\n {2}restarted: web-0\n {2}not begun: web-1, web-2\n/);
  });

  it('has nothing to do without pods', async () => {
    await cluster.deployment('web', 0);
    expect(await restart(['deploy/web'])).toEqual({ code: 0, out: 'deploy/web: no pods to restart\n', err: '' });
  });
});

describe('other workloads', () => {
  const template = {
    metadata: { labels: { app: 'db' } },
    spec: { containers: [{ name: 'main', image: 'docker.io/library/busybox:latest' }] },
  };
  const selector = { matchLabels: { app: 'db' } };

  it('a statefulset: the highest ordinal first', async () => {
    const made = await cluster.create(STATEFUL_SETS, {
      metadata: { name: 'db' },
      spec: { replicas: 11, serviceName: 'db', selector, template },
    });
    const owner = controllerReference(STATEFUL_SETS, made);
    for (let n = 0; n < 11; n += 1) await cluster.pod(`db-${n}`, { owner, labels: { app: 'db' } });
    cluster.serve();
    expect((await restart(['sts/db'])).code).toBe(0);
    expect(cluster.restarted).toEqual([10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0].map((n) => `db-${n}`));
    expect(cluster.mostAway).toBe(1);
  });

  it('a daemonset: node by node', async () => {
    const made = await cluster.create(DAEMON_SETS, { metadata: { name: 'db' }, spec: { selector, template } });
    const owner = controllerReference(DAEMON_SETS, made);
    for (const [name, node] of [
      ['db-x', 'c'],
      ['db-y', 'a'],
      ['db-z', 'b'],
    ] as const)
      await cluster.pod(name, { owner, node, labels: { app: 'db' } });
    const status = { desiredNumberScheduled: 3, currentNumberScheduled: 3, numberMisscheduled: 0, numberReady: 3 };
    await cluster.api.client.patch(DAEMON_SETS, 'default', 'db', 'merge', { status }, 'status');
    cluster.serve();
    expect((await restart(['ds/db'])).code).toBe(0);
    expect(cluster.restarted).toEqual(['db-y', 'db-z', 'db-x']);
    expect(cluster.mostAway).toBe(1);
  });
});
