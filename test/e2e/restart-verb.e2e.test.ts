/**
 * Tests `mendlet restart` and `kubectl restart` on real containers: pods, and workloads in place, in order, within their
 * budgets.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { itConcurrentInWhole } from './extent.ts';
import {
  busyboxPod,
  type CommandResult,
  kubectl136,
  Mendlet,
  mainContainer,
  type ObservedPod,
  outFolder,
  root,
  run,
  until,
} from './harness.ts';

const mendlet = new Mendlet({ podNetwork: 180 });
const bundle = join(root, 'dist/mendlet.js');
/** A command that ends at once on SIGTERM. */
const SERVE = 'trap "exit 0" TERM; sleep 36000 & wait';

beforeAll(() => mendlet.up());
afterAll(() => mendlet.down());

const restart = (...args: string[]): Promise<CommandResult> =>
  run(process.execPath, [bundle, 'restart', '--kubeconfig', mendlet.kubeconfig, ...args]);

/** Runs kubectl as a user does: with the plugin on PATH, and the cluster by $KUBECONFIG. */
const kubectl = (...args: string[]): Promise<CommandResult> =>
  run(kubectl136, args, {
    env: { ...process.env, PATH: `${root}:${process.env['PATH']}`, KUBECONFIG: mendlet.kubeconfig },
  });

const isReady = (pod: ObservedPod): boolean => mainContainer(pod)?.ready === true;

async function podsOf(selector: string): Promise<readonly ObservedPod[]> {
  return (await mendlet.read<{ items: ObservedPod[] }>('pods', { selector })).items;
}

async function untilReady(selector: string, count: number): Promise<readonly ObservedPod[]> {
  return await until<readonly ObservedPod[]>(`${count} ready pods of ${selector}`, async () => {
    const pods = await podsOf(selector);
    return pods.length === count && pods.every(isReady)
      ? { value: pods }
      : { last: JSON.stringify(pods.map(({ metadata, status }) => [metadata.name, status])) };
  });
}

const uids = (pods: readonly ObservedPod[]): readonly string[] => pods.map(({ metadata }) => metadata.uid).toSorted();
const restarts = (pods: readonly ObservedPod[]): readonly (number | undefined)[] =>
  pods.map((pod) => mainContainer(pod)?.restartCount);

interface ObservedRestart {
  readonly metadata: { readonly name: string };
  readonly spec: { readonly podName: string; readonly requestedBy?: string; readonly reason?: string };
  readonly status?: { readonly phase?: string; readonly startTime?: string; readonly completionTime?: string };
}

async function podRestarts(): Promise<readonly ObservedRestart[]> {
  return (await mendlet.read<{ items: ObservedRestart[] }>('podrestarts')).items;
}

describe('pods', () => {
  it.concurrent('anew as a whole: the same pod on a new address, init containers again, emptyDirs as asked', async () => {
    await mendlet.create(
      busyboxPod('whole', SERVE, {
        spec: {
          initContainers: [
            {
              name: 'init',
              image: 'docker.io/library/busybox:latest',
              imagePullPolicy: 'IfNotPresent',
              command: ['sh', '-c', 'echo ran >>/data/inits'],
              volumeMounts: [{ name: 'data', mountPath: '/data' }],
            },
          ],
          volumes: [{ name: 'data', emptyDir: {} }],
        },
        container: { volumeMounts: [{ name: 'data', mountPath: '/data' }] },
      }),
    );
    const before = await mendlet.untilPod('whole', 'ready', isReady);
    const first = await restart('pod/whole', '--reason', 'new certificate');
    expect(first).toMatchObject({ code: 0 });
    expect(first.stdout).toMatch(
      /^pod\/whole restarted \(scope pod, \d+\.\ds\): address 10\.180\.\d+\.\d+ → 10\.180\.\d+\.\d+, init containers ran again\n$/,
    );
    const after = await mendlet.untilPod('whole', 'ready again', isReady);
    expect(after.metadata.uid).toBe(before.metadata.uid);
    expect(after.spec.nodeName).toBe(before.spec.nodeName);
    expect(after.status.podIP).not.toBe(before.status.podIP);
    expect(await mendlet.kubectl(['exec', 'whole', '--', 'cat', '/data/inits'])).toBe('ran\nran\n');
    const recorded = (await podRestarts()).find(({ spec }) => spec.podName === 'whole');
    expect(recorded).toMatchObject({
      spec: { requestedBy: 'kubernetes-admin', reason: 'new certificate' },
      status: { phase: 'Succeeded' },
    });
    expect(await restart('pod/whole', '--empty-dirs', 'data')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('emptied data'),
    });
    expect(await mendlet.kubectl(['exec', 'whole', '--', 'cat', '/data/inits'])).toBe('ran\n');
    const unknown = await restart('pod/whole', '--empty-dirs', 'none');
    expect(unknown).toMatchObject({ code: 1, stdout: '' });
    expect(unknown.stderr).toContain('Unsupported value: "none": supported values: "data"');
  });

  itConcurrentInWhole('one container, or all in their sandbox', async () => {
    const image = 'docker.io/library/busybox:latest';
    const side = { name: 'side', image, imagePullPolicy: 'IfNotPresent', command: ['sh', '-c', SERVE] };
    const both = busyboxPod('pair', SERVE) as { spec: { containers: object[] } };
    both.spec.containers.push(side);
    await mendlet.create(both);
    const { status } = await mendlet.untilPod('pair', 'ready', isReady);
    const asked = await restart('pod/pair', '--scope', 'container');
    expect(asked).toMatchObject({ code: 1, stderr: 'pod/pair not restarted: it has main, side: name one with -c\n' });
    expect(await restart('pod', 'pair', '-c', 'main')).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^pod\/pair restarted \(container main, \d+\.\ds\): restarts 0 → 1\n$/),
    });
    const counts = async (): Promise<readonly (readonly [string, number])[]> =>
      ((await mendlet.pod('pair')).status.containerStatuses ?? []).map(
        (each) => [each.name, each.restartCount] as const,
      );
    expect(await counts()).toEqual([
      ['main', 1],
      ['side', 0],
    ]);
    expect(await restart('pod/pair', '--scope', 'containers', '--grace-period', '0')).toMatchObject({ code: 0 });
    expect(await counts()).toEqual([
      ['main', 2],
      ['side', 1],
    ]);
    expect((await mendlet.pod('pair')).status.podIP).toBe(status.podIP);
    const wrong = await restart('pod/pair', '-c', 'other');
    expect(wrong).toMatchObject({ code: 1, stdout: '' });
    expect(wrong.stderr).toContain('spec.container');
  });

  itConcurrentInWhole('in a back-off: says so, and --force starts it now', async () => {
    const out = outFolder(mendlet, 'looping');
    await mendlet.create(
      busyboxPod('looping', `[ -f /out/well ] || exit 1; ${SERVE}`, {
        // The wait is too long to end during the test.
        metadata: {
          annotations: {
            'mendlet.dev/healing-policy':
              '{"backOff":{"initial":"1h","cap":"1h"},"rungs":[{"scope":"container","attempts":50}]}',
          },
        },
        spec: out.spec,
        container: out.mount,
      }),
    );
    await mendlet.untilPod(
      'looping',
      'in a long back-off',
      (pod) => mainContainer(pod)?.state.waiting?.reason === 'CrashLoopBackOff',
    );
    writeFileSync(join(out.path, 'well'), '');
    const patient = await restart('pod/looping', '-c', 'main', '--timeout', '10s');
    expect(patient).toMatchObject({ code: 1, stdout: '' });
    expect(patient.stderr).toMatch(
      /pod\/looping: container main is in its back-off \(CrashLoopBackOff: .*\): --force starts it now\n/,
    );
    expect(patient.stderr).toMatch(
      /not restarted within 10\.0s: .* It goes on: kubectl get podrestarts looping-\S+ -n default -o yaml\n$/,
    );
    expect(await restart('pod/looping', '-c', 'main', '--force')).toMatchObject({ code: 0 });
    await mendlet.untilPod('looping', 'ready', isReady);
  });

  itConcurrentInWhole('by kubectl, with its flags in any place', async () => {
    await mendlet.kubectl(['create', 'namespace', 'plugged']);
    const pod = busyboxPod('plugged', SERVE, { metadata: { namespace: 'plugged' } });
    await mendlet.create(pod);
    await mendlet.kubectl(['wait', '-n', 'plugged', '--for=condition=Ready', 'pod/plugged', '--timeout=300s']);
    expect((await kubectl('plugin', 'list')).stdout).toContain(join(root, 'kubectl-restart'));
    const context = (await kubectl('config', 'current-context')).stdout.trim();
    for (const args of [
      ['-n', 'plugged', 'pod/plugged'],
      ['pod/plugged', '--scope', 'containers', '-n', 'plugged', '--context', context],
      ['pod', '--namespace=plugged', '-c=main', 'plugged', '--kubeconfig', mendlet.kubeconfig],
    ]) {
      const result = await kubectl('restart', ...args);
      expect(result, args.join(' ')).toMatchObject({
        code: 0,
        stdout: expect.stringContaining('pod/plugged restarted'),
      });
    }
    expect((await kubectl('restart', '--help')).stdout).toMatch(/^Usage: kubectl restart \[options\] \[TARGET\.\.\.\]/);
    expect(await kubectl('restart', 'pod/plugged')).toMatchObject({
      code: 1,
      stderr: 'pod/plugged not restarted: pods "plugged" not found\n',
    });
  });

  itConcurrentInWhole('asked for twice with one time: restarted once; not waited for when told so', async () => {
    await mendlet.create(busyboxPod('once', SERVE));
    await mendlet.untilPod('once', 'ready', isReady);
    const notBefore = new Date().toISOString();
    expect(await restart('pod/once', '--not-before', notBefore)).toMatchObject({ code: 0 });
    expect(await restart('pod/once', '--not-before', notBefore)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^pod\/once not restarted: /),
    });
    expect(mainContainer(await mendlet.pod('once'))?.restartCount).toBe(1);
    const later = await restart('pod/once', '--not-before', '2100-01-01T00:00:00Z', '--timeout', '10s');
    expect(later).toMatchObject({ code: 1 });
    expect(later.stderr).toMatch(/waits until 2100-01-01T00:00:00\S*Z, its --not-before/);
    const left = await restart('pod/once', '--no-wait', '--force');
    expect(left).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^pod\/once restart requested \(podrestarts\/once-\S+\)\n$/),
    });
    await mendlet.untilPod('once', 'restarted', (pod) => mainContainer(pod)?.restartCount === 2 && isReady(pod));
  });

  itConcurrentInWhole('several by their labels, so many at a time', async () => {
    const names = ['many-a', 'many-b', 'many-c'];
    await mendlet.create(...names.map((name) => busyboxPod(name, SERVE, { metadata: { labels: { app: 'many' } } })));
    await untilReady('app=many', 3);
    const { code, stdout } = await restart('-l', 'app=many', '--parallel', '3', '--scope', 'containers');
    expect(code).toBe(0);
    expect(stdout.match(/^pod\/many-[abc] restarted \(scope containers/gm)).toHaveLength(3);
    expect(restarts(await podsOf('app=many'))).toEqual([1, 1, 1]);
    expect(await restart('pods', '-l', 'app=nobody')).toMatchObject({
      code: 1,
      stderr: 'nothing to restart in namespace default\n',
    });
  });

  itConcurrentInWhole('by somebody who may do nothing else', async () => {
    await mendlet.create(busyboxPod('guarded', SERVE));
    await mendlet.kubectl(['create', 'serviceaccount', 'restarter']);
    await mendlet.kubectl([
      'create',
      'rolebinding',
      'restarter',
      '--clusterrole=mendlet:pod-restarter',
      '--serviceaccount=default:restarter',
    ]);
    const token = (await mendlet.kubectl(['create', 'token', 'restarter'])).trim();
    const own = join(mendlet.folder, 'restarter.kubeconfig');
    writeFileSync(own, await mendlet.kubectl(['config', 'view', '--raw']));
    for (const change of [
      ['set-credentials', 'restarter', '--token', token],
      ['set-context', '--current', '--user', 'restarter'],
    ]) {
      expect(await run(kubectl136, ['--kubeconfig', own, 'config', ...change])).toMatchObject({ code: 0 });
    }
    await mendlet.untilPod('guarded', 'ready', isReady);
    expect((await run(kubectl136, ['--kubeconfig', own, 'get', 'pods'])).stderr).toContain('forbidden');
    expect(await run(process.execPath, [bundle, 'restart', '--kubeconfig', own, 'pod/guarded'])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^pod\/guarded restarted \(scope pod, \d+\.\ds\)\n$/),
    });
  });
});

describe('what cannot be', () => {
  it.concurrent('a pod that has ended: names who makes another one', async () => {
    const template = busyboxPod('', 'exit 0', { spec: { restartPolicy: 'Never' } }) as { spec: object };
    await mendlet.create({
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name: 'ended' },
      spec: { template: { metadata: { labels: { app: 'ended' } }, spec: template.spec } },
    });
    const pod = await until('the end of its pod', async () => {
      const [found] = await podsOf('app=ended');
      return found?.status.phase === 'Succeeded'
        ? { value: found.metadata.name }
        : { last: JSON.stringify(found?.status) };
    });
    const result = await restart(`pod/${pod}`);
    expect(result).toMatchObject({ code: 1, stdout: '' });
    expect(result.stderr).toContain('has finished (Succeeded) and is not run again; Job "ended"');
  });

  it.concurrent.each([
    ['no such pod', ['pod/nobody'], 1, 'pod/nobody not restarted: pods "nobody" not found\n'],
    ['no such deployment', ['deploy/nobody'], 1, 'mendlet: deployments.apps "nobody" not found\n'],
    ['no kind', ['web'], 2, 'say what it is, for instance pod/web'],
    ['an unknown flag', ['pod/web', '--scop', 'pod'], 2, '--scope'],
    ['no time', ['pod/web', '--not-before', 'now'], 2, 'RFC 3339'],
    ['an unknown context', ['pod/web', '--context', 'other'], 1, 'has no entry called "other"'],
    ['a workload not waited for', ['deploy/web', '--no-wait'], 2, '--no-wait goes with pods alone'],
  ])('%s', async (_name, args, code, message) => {
    const result = await restart(...args);
    expect(result).toMatchObject({ code, stdout: '' });
    expect(result.stderr).toContain(message);
  });

  it.concurrent('no cluster, or one that does not answer', async () => {
    const none = await run(process.execPath, [bundle, 'restart', 'pod/web', '--kubeconfig', '/nowhere/kubeconfig']);
    expect(none).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('/nowhere/kubeconfig') });
    const away = join(mendlet.folder, 'away.kubeconfig');
    const config = await mendlet.kubectl(['config', 'view', '--raw']);
    writeFileSync(away, config.replace(/https:\/\/\S+/, 'https://127.0.0.1:1'));
    const silent = await run(process.execPath, [bundle, 'restart', 'pod/web', '--kubeconfig', away]);
    expect(silent).toMatchObject({ code: 1, stdout: '' });
    expect(silent.stderr).toContain('does not answer');
    expect(silent.stderr).not.toContain('    at ');
  });
});

describe('workloads in place', () => {
  const labelled = (app: string) => ({ selector: { matchLabels: { app } }, labels: { app } });

  function template(app: string, script = SERVE, more: { spec?: object; container?: object } = {}): object {
    const pod = busyboxPod('', script, {
      ...more,
      container: {
        readinessProbe: { exec: { command: ['true'] }, periodSeconds: 1, timeoutSeconds: 60 },
        ...more.container,
      },
    }) as { spec: object };
    return { metadata: { labels: { app } }, spec: pod.spec };
  }

  function deployment(app: string, replicas: number, more: object = {}, ...rest: [string?, object?]): object {
    return {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: app },
      spec: { replicas, selector: labelled(app).selector, template: template(app, ...rest), ...more },
    };
  }

  const budget = (app: string, minAvailable: number): object => ({
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name: app },
    spec: { minAvailable, selector: labelled(app).selector },
  });

  it.concurrent('a deployment: one after the other, the same pods, never two away', async () => {
    await mendlet.create(deployment('web', 3), budget('web', 2));
    const before = await untilReady('app=web', 3);
    const { code, stdout, stderr } = await restart('deploy/web', '--max-unavailable', '3');
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.not.stringContaining('stopped:') });
    expect(stdout).toMatch(
      /^deploy\/web: 3 pods to restart in place, at most 3 away at once\n(pod\/web-\S+ restarted \(.*\n){3}deploy\/web: 3 pods restarted in place \(/,
    );
    const after = await podsOf('app=web');
    expect(uids(after)).toEqual(uids(before));
    expect(restarts(after)).toEqual([1, 1, 1]);
    // The disruption budget was respected where --max-unavailable would have allowed more: no two restarts overlap.
    const times = (await podRestarts())
      .filter(({ spec }) => spec.podName.startsWith('web-'))
      .map(({ status }) => [status?.startTime ?? '', status?.completionTime ?? ''] as const)
      .toSorted(([a], [b]) => Date.parse(a) - Date.parse(b));
    expect(times).toHaveLength(3);
    for (const [index, [start]] of times.entries()) {
      if (index > 0) expect(Date.parse(start)).toBeGreaterThanOrEqual(Date.parse(times[index - 1]![1]) - 1000);
    }
  });

  itConcurrentInWhole('waits while a disruption budget allows nothing', async () => {
    await mendlet.create(deployment('strict', 2), budget('strict', 2));
    await untilReady('app=strict', 2);
    await until('the budget counts both', async () => {
      const { stdout } = await mendlet.tryKubectl(['get', 'pdb', 'strict', '-o', 'jsonpath={.status.currentHealthy}']);
      return stdout === '2' ? { value: true } : { last: stdout };
    });
    const waiting = start('deploy/strict');
    await until('it says that it waits', async () =>
      waiting.said.stderr.includes('PodDisruptionBudget strict allows no disruption now')
        ? { value: true }
        : { last: waiting.said.stderr },
    );
    expect(restarts(await podsOf('app=strict'))).toEqual([0, 0]);
    await mendlet.kubectl(['patch', 'pdb', 'strict', '-p', '{"spec":{"minAvailable":1}}']);
    expect(await waiting.ended).toBe(0);
    expect(restarts(await podsOf('app=strict'))).toEqual([1, 1]);
  });

  itConcurrentInWhole('a stateful set from its highest ordinal, by kubectl; a daemon set', async () => {
    const sts = { serviceName: 'db', replicas: 3, selector: labelled('db').selector, template: template('db') };
    const ds = { selector: labelled('log').selector, template: template('log') };
    await mendlet.create(
      {
        apiVersion: 'apps/v1',
        kind: 'StatefulSet',
        metadata: { name: 'db' },
        spec: { ...sts, podManagementPolicy: 'Parallel' },
      },
      { apiVersion: 'apps/v1', kind: 'DaemonSet', metadata: { name: 'log' }, spec: ds },
    );
    const before = [...(await untilReady('app=db', 3)), ...(await untilReady('app=log', 1))];
    const { code, stdout } = await kubectl('restart', 'sts/db', 'ds/log', '--scope', 'containers');
    expect(code).toBe(0);
    expect(stdout.match(/^pod\/\S+ restarted/gm)?.slice(0, 3)).toEqual([2, 1, 0].map((n) => `pod/db-${n} restarted`));
    expect(stdout).toContain('sts/db: 3 pods restarted in place');
    expect(stdout).toContain('ds/log: 1 pod restarted in place');
    const after = [...(await podsOf('app=db')), ...(await podsOf('app=log'))];
    expect(uids(after)).toEqual(uids(before));
    expect(restarts(after)).toEqual([1, 1, 1, 1]);
  });

  itConcurrentInWhole('stops at a pod that does not come back, and goes on where it stopped', async () => {
    const out = outFolder(mendlet, 'shaky');
    mkdirSync(out.path, { recursive: true });
    const container = {
      ...out.mount,
      readinessProbe: {
        exec: { command: ['sh', '-c', '[ ! -f /out/sick ]'] },
        periodSeconds: 1,
        timeoutSeconds: 60,
        failureThreshold: 600,
      },
    };
    await mendlet.create(deployment('shaky', 3, {}, SERVE, { spec: out.spec, container }));
    await untilReady('app=shaky', 3);
    // The probe tolerates the file in ready pods, but a restarted container begins unready.
    writeFileSync(join(out.path, 'sick'), '');
    // The time-out is long enough for a restart on a busy machine, so that only readiness is missing.
    const stopped = await restart('deploy/shaky', '--timeout', '20s', '--scope', 'containers');
    expect(stopped.code).toBe(1);
    expect(stopped.stderr).toMatch(
      /stopped: pod\/shaky-\S+ did not come back ready within 20\.0s \(.*\n {2}failed: shaky-\S+\n {2}not begun: shaky-\S+, shaky-\S+\n/,
    );
    const goOn = /go on with: mendlet restart (.*)\n$/.exec(stopped.stderr)?.[1] ?? '';
    expect(goOn).toMatch(/^deploy\/shaky --kubeconfig \S+ --scope containers --timeout 20s --not-before \S+Z$/);
    rmSync(join(out.path, 'sick'));
    await untilReady('app=shaky', 3);
    const rest = await run(process.execPath, [bundle, 'restart', ...goOn.split(' '), '--timeout', '5m']);
    expect(rest).toMatchObject({ code: 0 });
    expect(rest.stdout).toContain('deploy/shaky: 2 pods restarted in place, 1 needed no restart');
    expect(restarts(await podsOf('app=shaky'))).toEqual([1, 1, 1]);
  });

  itConcurrentInWhole('ends between two pods after Ctrl-C, and says where', async () => {
    await mendlet.create(deployment('long', 3, {}, 'sleep 3600', { spec: { terminationGracePeriodSeconds: 8 } }));
    await untilReady('app=long', 3);
    const running = start('deploy/long');
    await until('the first is on its way', async () =>
      running.said.stderr.includes('being stopped') ? { value: true } : { last: running.said.stderr },
    );
    running.child.kill('SIGINT');
    expect(await running.ended).toBe(1);
    expect(running.said.stderr).toMatch(
      /no more pods are begun, 2 pods left; waits for pod\/long-\S+ \(again Ctrl-C: no longer\)\n/,
    );
    expect(running.said.stderr).toMatch(
      /stopped: interrupted\n {2}restarted: long-\S+\n {2}not begun: long-\S+, long-\S+\ngo on with: mendlet restart deploy\/long .*--not-before/,
    );
    expect(restarts(await podsOf('app=long')).filter((count) => count === 1)).toEqual([1]);
  });
});

describe('a server that goes away meanwhile', () => {
  it('is waited for: the restart goes on where it was', async () => {
    await mendlet.create(busyboxPod('outliving', 'sleep 3600', { spec: { terminationGracePeriodSeconds: 8 } }));
    const { metadata } = await mendlet.untilPod('outliving', 'ready', isReady);
    const waiting = start('pod/outliving');
    await until('it is being stopped', async () =>
      waiting.said.stderr.includes('being stopped') ? { value: true } : { last: waiting.said.stderr },
    );
    await mendlet.end('SIGKILL');
    await until('it says so', async () =>
      waiting.said.stderr.includes('the server does not answer, trying again')
        ? { value: true }
        : { last: waiting.said.stderr },
    );
    await mendlet.up();
    expect(await waiting.ended, waiting.said.stderr).toBe(0);
    expect(waiting.said.stdout).toMatch(/^pod\/outliving restarted \(scope pod, /);
    const pod = await mendlet.untilPod('outliving', 'ready', isReady);
    expect(pod.metadata.uid).toBe(metadata.uid);
    expect(mainContainer(pod)?.restartCount).toBe(1);
  });
});

interface Running {
  readonly child: ChildProcess;
  readonly said: { stdout: string; stderr: string };
  readonly ended: Promise<number | null>;
}

/** Starts a call that runs during the test. */
function start(...args: string[]): Running {
  const child = spawn(process.execPath, [bundle, 'restart', '--kubeconfig', mendlet.kubeconfig, ...args]);
  const said = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk: Buffer) => {
    said.stdout += chunk.toString();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    said.stderr += chunk.toString();
  });
  return { child, said, ended: new Promise((done) => child.on('close', done)) };
}
