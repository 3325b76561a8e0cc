/**
 * Tests mendlet's agent and healer with a real Kubernetes: etcd, kube-apiserver, kube-controller-manager and kube-scheduler of an
 * old version, without mendlet's control plane. The results hold for every server that supports at least as much.
 */
import { existsSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { busyboxPod, mainContainer, type ObservedPod, outFolder, root } from '../e2e/harness.ts';
import { freePort } from '../support/free-port.ts';
import type { Running } from '../support/running.ts';
import { VERSION } from '../../tools/kubernetes/programs.ts';
import { Cluster, NODE } from './cluster.ts';

const BUSYBOX = { image: 'docker.io/library/busybox:latest', imagePullPolicy: 'IfNotPresent' };
/** A command that ends at once on SIGTERM. */
const SERVE = 'trap "exit 0" TERM; while true; do sleep 0.1; done';
const DEPENDS_ON = 'mendlet.dev/depends-on';
/** A policy whose second restart comes later than the end of any test. */
const PATIENT = {
  'mendlet.dev/healing-policy': '{"backOff":{"initial":"10m"},"rungs":[{"scope":"container","attempts":100}]}',
};

const cluster = new Cluster('10.245.0.0/24');
let healerKubeconfig = '';
let healer: Running;

beforeAll(async () => {
  await cluster.start();
  // kubectl would refuse the kinds before the server sees them, because it does not know all keywords of their schema.
  await cluster.kubectl(['apply', '--validate=false', '-f', join(root, 'deploy/mendlet-healer.yaml')]);
  // The healer's image does not exist, and there is no node yet, so the healer runs outside with only the manifest's rights.
  await cluster.kubectl(['scale', 'deployment', 'mendlet-healer', '-n', 'kube-system', '--replicas=0']);
  const token = await cluster.kubectl(['create', 'token', 'mendlet-healer', '-n', 'kube-system']);
  const { pki, server } = cluster.controlPlane;
  healerKubeconfig = pki.tokenKubeconfig('healer.conf', server, token);
  healer = await cluster.startHealer(healerKubeconfig);
  await cluster.startAgent();
  // The node is Ready before its serving certificate is signed, without which the server would not dial it.
  await cluster.untilPrinted(['get', '--raw', `/api/v1/nodes/${NODE}/proxy/healthz`], /^ok$/);
  // Admission refuses pods until the namespace has its service account.
  await cluster.untilPrinted(['get', 'serviceaccounts', '-o', 'name'], /serviceaccount\/default/);
});
afterAll(() => cluster.down());

const isReady = (pod: ObservedPod): boolean => mainContainer(pod)?.ready === true;
const isWaiting = (pod: ObservedPod): boolean => mainContainer(pod)?.state.waiting?.reason === 'CrashLoopBackOff';

function condition(pod: ObservedPod, type: string): { status: string; reason?: string; message?: string } | undefined {
  return pod.status.conditions?.find((each) => each.type === `mendlet.dev/${type}`);
}

function policy(name: string, spec: object): object {
  const selector = { matchLabels: { app: name } };
  return { apiVersion: 'mendlet.dev/v1alpha1', kind: 'HealingPolicy', metadata: { name }, spec: { selector, ...spec } };
}

const phaseOf = (name: string): readonly string[] => [
  'get',
  'podrestart',
  name,
  '-o',
  'jsonpath={.status.phase} {.status.reason}',
];

/** A pod that has crashed twice: its first restart came at once, the second waits. */
const waiting = (name: string): Promise<ObservedPod> =>
  cluster.untilPod(name, 'in its back-off', (pod) => isWaiting(pod) && mainContainer(pod)?.restartCount === 1);

const runningAgain = (name: string): Promise<ObservedPod> =>
  cluster.untilPod(name, 'running again', (pod) => {
    const main = mainContainer(pod);
    return main?.restartCount === 2 && main.state.running !== undefined;
  });

/** Waits for the event that ended a back-off. */
const untilBackOffEnded = (name: string, why: RegExp): Promise<string> =>
  cluster.untilPrinted(
    [
      'get',
      'events',
      '--field-selector',
      `involvedObject.name=${name},reason=BackOffEnded`,
      '-o',
      'jsonpath={.items[*].message}',
    ],
    why,
  );

describe('the node', () => {
  it.concurrent('is an ordinary one: scheduled to, logged, executed in', async () => {
    const version = JSON.parse(await cluster.kubectl(['get', '--raw', '/version'])) as { gitVersion: string };
    expect(version.gitVersion).toBe(`v${VERSION}`);
    const ready = '{.status.conditions[?(@.type=="Ready")].status}';
    expect(await cluster.kubectl(['get', 'node', NODE, '-o', `jsonpath=${ready}`])).toBe('True');
    const container = { name: 'main', ...BUSYBOX, command: ['sh', '-c', `echo hello; ${SERVE}`] };
    await cluster.create({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'web' },
      spec: {
        replicas: 2,
        selector: { matchLabels: { app: 'web' } },
        template: {
          metadata: { labels: { app: 'web' } },
          spec: { terminationGracePeriodSeconds: 1, containers: [container] },
        },
      },
    });
    await cluster.untilPrinted(['get', 'deployment', 'web', '-o', 'jsonpath={.status.availableReplicas}'], /^2$/);
    expect(await cluster.kubectl(['logs', 'deploy/web'])).toBe('hello\n');
    expect(await cluster.kubectl(['exec', 'deploy/web', '--', 'echo', 'inside'])).toBe('inside\n');
    await cluster.kubectl(['delete', 'deployment', 'web', '--cascade=foreground', '--timeout=300s']);
    expect(await cluster.kubectl(['get', 'pods', '-l', 'app=web', '-o', 'name'])).toBe('');
  });

  it.concurrent('remembers deaths, and tells why', async () => {
    await cluster.create(busyboxPod('crash', 'echo last words; exit 3', { metadata: { annotations: PATIENT } }));
    await waiting('crash');
    const history = await cluster.mendlet('history', 'pod/crash');
    expect(history).toMatchObject({ code: 0, stderr: '' });
    expect(history.stdout).toMatch(/^#\s+CONTAINER.*\n1 +main .* 3 +Error .*\n2 +main .* 3 +Error .* 10m0s/);
    expect(await cluster.mendlet('logs', 'pod/crash', '--death', '1')).toMatchObject({
      code: 0,
      stdout: 'last words\n',
    });
    const why = await cluster.mendlet('why', 'pod/crash');
    expect(why).toMatchObject({ code: 0 });
    expect(why.stdout).toContain('last words');
  });
});

describe('healing', () => {
  it.concurrent('climbs the ladder of a policy: container, whole pod, stop', async () => {
    const out = outFolder(cluster, 'climber');
    await cluster.create(
      policy('climber', {
        rungs: [
          { scope: 'container', attempts: 2, window: '10m' },
          { scope: 'pod', attempts: 1 },
        ],
        backOff: { initial: '200ms', factor: 2, cap: '400ms' },
      }),
      // The pod does not crash before it has its policy.
      busyboxPod('climber', 'while ! [ -f /out/go ]; do sleep 0.1; done; echo x >>/out/lives; exit 7', {
        metadata: { labels: { app: 'climber' } },
        spec: out.spec,
        container: out.mount,
      }),
    );
    const begun = await cluster.untilPod(
      'climber',
      'running by its policy',
      (pod) => isReady(pod) && annotationsOf(pod)['mendlet.dev/healing-policy'] !== undefined,
    );
    writeFileSync(join(out.path, 'go'), '');
    const stopped = await cluster.untilPod(
      'climber',
      'stopped',
      (pod) => condition(pod, 'HealingStopped')?.status === 'True',
    );
    expect(out.lines('lives')).toHaveLength(4);
    expect(stopped.metadata.uid).toBe(begun.metadata.uid);
    expect(stopped.status.podIP).not.toBe(begun.status.podIP);
    expect(condition(stopped, 'HealingStopped')).toMatchObject({ reason: 'AttemptsExhausted' });
    const accepted = '{.status.pods} {.status.conditions[?(@.type=="Accepted")].status}';
    await cluster.untilPrinted(['get', 'hp', 'climber', '-o', `jsonpath=${accepted}`], /^1 True$/);
  });

  it.concurrent('tells of a policy that only a younger server would have refused', async () => {
    const rungs = [{ scope: 'pod' }, { scope: 'container' }];
    await cluster.create(policy('upside-down', { rungs }));
    const accepted =
      '{.status.conditions[?(@.type=="Accepted")].status} {.status.conditions[?(@.type=="Accepted")].message}';
    await cluster.untilPrinted(['get', 'hp', 'upside-down', '-o', `jsonpath=${accepted}`], /^False .*spec\.rungs/);
  });

  it.concurrent('restarts a pod in place: same UID, new address, init containers again', async () => {
    const mounts = { volumeMounts: [{ name: 'data', mountPath: '/data' }] };
    const init = { name: 'init', ...BUSYBOX, command: ['sh', '-c', 'echo ran >>/data/inits'], ...mounts };
    await cluster.create(
      busyboxPod('whole', SERVE, {
        spec: { initContainers: [init], volumes: [{ name: 'data', emptyDir: {} }] },
        container: mounts,
      }),
    );
    const before = await cluster.untilPod('whole', 'ready', isReady);
    const result = await cluster.mendlet('restart', 'pod/whole', '--reason', 'new certificate');
    expect(result).toMatchObject({ code: 0 });
    expect(result.stdout).toMatch(
      /^pod\/whole restarted \(scope pod, .*\): address 10\.245\.0\.\d+ → 10\.245\.0\.\d+, init containers ran again\n$/,
    );
    const after = await cluster.untilPod('whole', 'ready again', isReady);
    expect(after.metadata.uid).toBe(before.metadata.uid);
    expect(after.status.podIP).not.toBe(before.status.podIP);
    expect(await cluster.kubectl(['exec', 'whole', '--', 'cat', '/data/inits'])).toBe('ran\nran\n');
    for (const all of ['all', '*']) {
      const emptied = await cluster.mendlet('restart', 'pod/whole', '--empty-dirs', all);
      expect(emptied, all).toMatchObject({ code: 0, stdout: expect.stringContaining('emptyDirs emptied') });
    }
    expect(await cluster.kubectl(['exec', 'whole', '--', 'cat', '/data/inits'])).toBe('ran\n');
  });

  it.concurrent('refuses what this server would not let its node tell', async () => {
    const setup = { name: 'setup', ...BUSYBOX, command: ['true'] };
    await cluster.create(busyboxPod('ended', SERVE, { spec: { restartPolicy: 'Never', initContainers: [setup] } }));
    const before = await cluster.untilPod('ended', 'ready', isReady);
    const refused = await cluster.mendlet('restart', 'pod/ended');
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toContain('this API server forbids a container that has ended (setup) to run again');
    const after = await cluster.pod('ended');
    expect(mainContainer(after)?.containerID).toBe(mainContainer(before)?.containerID);
  });

  it.concurrent('ends a back-off when a ConfigMap changed, or an address accepts connections', async () => {
    const port = await freePort();
    const env = { env: [{ name: 'MODE', valueFrom: { configMapKeyRef: { name: 'mode', key: 'mode' } } }] };
    await cluster.kubectl(['create', 'configmap', 'mode', '--from-literal=mode=bad']);
    await cluster.create(
      busyboxPod('configured', '[ "$MODE" = good ] || exit 1; exec sleep 3600', {
        metadata: { annotations: PATIENT },
        container: env,
      }),
      busyboxPod('dials', `nc -w 1 127.0.0.1 ${port} </dev/null || exit 1; exec sleep 3600`, {
        metadata: { annotations: { ...PATIENT, [DEPENDS_ON]: `127.0.0.1:${port}` } },
        spec: { hostNetwork: true },
      }),
    );
    await waiting('configured');
    await waiting('dials');
    await cluster.kubectl(['patch', 'configmap', 'mode', '-p', '{"data":{"mode":"good"}}']);
    const server = createServer((socket) => socket.on('error', () => {}).end());
    await new Promise<void>((done) => server.listen(port, '127.0.0.1', done));
    try {
      await runningAgain('dials');
    } finally {
      server.close();
    }
    await runningAgain('configured');
    await untilBackOffEnded('configured', /configmap\/mode changed: starting container main now instead/);
    await untilBackOffEnded('dials', /accepts connections: starting container main now instead/);
  });

  it.concurrent('lets who may only ask for restarts restart a pod, and nothing else', async () => {
    await cluster.create(busyboxPod('patient', SERVE));
    const before = await cluster.untilPod('patient', 'ready', isReady);
    await cluster.kubectl(['create', 'rolebinding', 'on-call', '--clusterrole=mendlet:pod-restarter', '--user=alice']);
    const { pki, server } = cluster.controlPlane;
    const alice = await pki.kubeconfig('alice.conf', server, { commonName: 'alice' });
    const as = (args: readonly string[], input?: string) => cluster.tryKubectl(['--kubeconfig', alice, ...args], input);
    expect((await as(['delete', 'pod', 'patient'])).stderr).toContain('Forbidden');
    const help = {
      apiVersion: 'mendlet.dev/v1alpha1',
      kind: 'PodRestart',
      metadata: { name: 'help' },
      spec: { podName: 'patient', reason: 'it hangs' },
    };
    expect(await as(['create', '--validate=false', '-f', '-'], JSON.stringify(help))).toMatchObject({ code: 0 });
    await cluster.untilPrinted(phaseOf('help'), /^Succeeded Restarted$/);
    const after = await cluster.untilPod('patient', 'ready again', isReady);
    expect(after.metadata.uid).toBe(before.metadata.uid);
    expect(mainContainer(after)?.restartCount).toBe(1);
  });
});

/** These tests run one after another, because each removes a part of the cluster. */
describe('what ends and comes back', () => {
  it('the API server, killed in a crash loop: pods go on, and their status catches up', async () => {
    const out = outFolder(cluster, 'looping');
    const quick = { rungs: [{ scope: 'container', attempts: 100 }], backOff: { initial: '1s', factor: 1, cap: '1s' } };
    await cluster.create(
      busyboxPod('looping', '[ -f /out/well ] && exec sleep 3600; echo x >>/out/lives; exit 1', {
        metadata: { annotations: { 'mendlet.dev/healing-policy': JSON.stringify(quick) } },
        spec: out.spec,
        container: out.mount,
      }),
    );
    await cluster.untilPod('looping', 'crashing', (pod) => (mainContainer(pod)?.restartCount ?? 0) >= 2);
    // The manifest's rights must suffice. (A starting server forbids everything for a moment, until it has read the roles.)
    expect(healer.log).not.toMatch(/forbidden/i);
    await cluster.controlPlane.killApiServer();
    const before = out.lines('lives').length;
    while (out.lines('lives').length < before + 5) await sleep(200);
    writeFileSync(join(out.path, 'well'), '');
    await cluster.controlPlane.startApiServer();
    const well = await cluster.untilPod(
      'looping',
      'well',
      (pod) => mainContainer(pod)?.state.running !== undefined && isReady(pod),
    );
    expect(mainContainer(well)?.restartCount).toBe(out.lines('lives').length);
    const ready = '{.status.conditions[?(@.type=="Ready")].status}';
    await cluster.untilPrinted(['get', 'node', NODE, '-o', `jsonpath=${ready}`], /^True$/);
    // The healer works again as well.
    const result = await cluster.mendlet('restart', 'pod/looping', '-c', 'main');
    const told = await cluster.kubectl(['get', 'podrestarts', '-o', 'yaml']);
    expect(result, [told, healer.log, cluster.agentLog].join('\n')).toMatchObject({ code: 0 });
  });

  it('the agent, killed: another one touches nothing that runs, and sees what died', async () => {
    const out = outFolder(cluster, 'kept');
    await cluster.create(
      busyboxPod('kept', SERVE),
      busyboxPod(
        'dies-meanwhile',
        'echo x >>/out/lives; while [ ! -f /out/die ]; do sleep 0.1; done; rm /out/die; exit 5',
        {
          spec: out.spec,
          container: out.mount,
        },
      ),
    );
    const before = await cluster.untilPod('kept', 'ready', isReady);
    await cluster.untilPod('dies-meanwhile', 'ready', isReady);
    await cluster.killAgent();
    writeFileSync(join(out.path, 'die'), '');
    while (existsSync(join(out.path, 'die'))) await sleep(100);
    await cluster.startAgent();
    const mended = await cluster.untilPod(
      'dies-meanwhile',
      'restarted',
      (pod) => mainContainer(pod)?.restartCount === 1 && isReady(pod),
    );
    expect(mainContainer(mended)?.lastState.terminated).toMatchObject({ exitCode: 5 });
    expect(out.lines('lives')).toHaveLength(2);
    const after = await cluster.pod('kept');
    expect(mainContainer(after)).toMatchObject({
      containerID: mainContainer(before)?.containerID,
      restartCount: 0,
      ready: true,
    });
    expect(after.status.podIP).toBe(before.status.podIP);
  });

  it('the healer, killed: another one takes the lease and goes on', async () => {
    const lease = ['get', 'lease', 'mendlet-healer', '-n', 'kube-system', '-o', 'jsonpath={.spec.holderIdentity}'];
    const holder = await cluster.kubectl(lease);
    const second = await cluster.startHealer(healerKubeconfig);
    expect(await cluster.kubectl(lease)).toBe(holder);
    await healer.end('SIGKILL');
    await cluster.create(busyboxPod('next', SERVE, { metadata: { labels: { app: 'next' } } }), policy('next', {}));
    await cluster.untilPod('next', 'a policy', (pod) => annotationsOf(pod)['mendlet.dev/healing-policy'] !== undefined);
    expect(await cluster.kubectl(lease)).not.toBe(holder);
    expect(await cluster.mendlet('restart', 'pod/next')).toMatchObject({ code: 0 });
    expect(second.log).not.toMatch(/forbidden/i);
  });
});

function annotationsOf(pod: ObservedPod): Readonly<Record<string, string>> {
  return (pod.metadata as { annotations?: Readonly<Record<string, string>> }).annotations ?? {};
}
