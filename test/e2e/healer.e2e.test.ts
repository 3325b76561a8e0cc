/**
 * Tests the healing controller outside the control plane: first as a process with only the rights of its manifest, then in the
 * cluster by that manifest; with policies, restarts, and the right to request them.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { HEALER_OBJECTS } from '../../tools/manifests/healer.ts';
import { busyboxPod, mainContainer, Mendlet, type ObservedPod, root, until } from './harness.ts';

const mendlet = new Mendlet({ podNetwork: 175, flags: ['--healing-controller=false'] });
const FROM = 'mendlet.dev/healing-policy-from';
const POLICY = 'mendlet.dev/healing-policy';
/** A command that ends at once on SIGTERM. */
const SERVE = 'trap "exit 0" TERM; sleep 36000 & wait';

let healer: ChildProcess;
let said = '';
/** The URL of the process's health and metrics. */
let url = '';

beforeAll(async () => {
  await mendlet.up();
  // The manifest without the kinds, which this server has.
  const rights = HEALER_OBJECTS.filter((object) => (object as { kind: string }).kind !== 'Deployment');
  await mendlet.create(...rights.filter((object) => !isKnown(object)));
  const kubeconfig = await kubeconfigOf('mendlet-healer', 'kube-system');
  const bundle = join(root, 'dist/mendlet.js');
  healer = spawn(process.execPath, [bundle, 'healer', '--kubeconfig', kubeconfig, '--listen', '127.0.0.1:0']);
  const hear = (chunk: Buffer): void => {
    said += chunk.toString();
  };
  healer.stdout?.on('data', hear);
  healer.stderr?.on('data', hear);
  const ready = await until<string>('the healer', async () => {
    const line = /mendlet healer ready: .* health and metrics on (http:\S+)/.exec(said);
    return line?.[1] === undefined ? { last: said } : { value: line[1] };
  });
  url = ready;
});
afterAll(async () => {
  healer?.kill('SIGKILL');
  await mendlet.down();
});

/** Whether our server has this object built in. */
function isKnown(object: object): boolean {
  return (object as { metadata: { name: string } }).metadata.name === 'mendlet:pod-restarter';
}

/** A kubeconfig of a service account that reads its token from a file. */
async function kubeconfigOf(account: string, namespace: string): Promise<string> {
  const token = await mendlet.kubectl(['create', 'token', account, '-n', namespace]);
  writeFileSync(join(mendlet.folder, 'token'), token);
  const config = JSON.parse(await mendlet.kubectl(['config', 'view', '--raw', '-o', 'json'])) as Record<
    string,
    unknown
  >;
  const { cluster } = (config['clusters'] as { cluster: object }[])[0] ?? { cluster: {} };
  const path = join(mendlet.folder, 'healer.kubeconfig');
  const text = JSON.stringify({
    'current-context': 'main',
    contexts: [{ name: 'main', context: { cluster: 'c', user: 'u' } }],
    clusters: [{ name: 'c', cluster }],
    users: [{ name: 'u', user: { tokenFile: 'token' } }],
  });
  writeFileSync(path, text);
  return path;
}

function policy(name: string, app: string, spec: object = {}): object {
  const selector = { matchLabels: { app } };
  return { apiVersion: 'mendlet.dev/v1alpha1', kind: 'HealingPolicy', metadata: { name }, spec: { selector, ...spec } };
}

function restart(name: string, podName: string, spec: object = {}): object {
  return { apiVersion: 'mendlet.dev/v1alpha1', kind: 'PodRestart', metadata: { name }, spec: { podName, ...spec } };
}

const labelled = (name: string, annotations = {}): object =>
  busyboxPod(name, SERVE, { metadata: { labels: { app: name }, annotations } });

interface Annotated {
  readonly metadata: { readonly annotations?: Readonly<Record<string, string>> };
}
const annotationsOf = (pod: ObservedPod): Readonly<Record<string, string>> =>
  (pod as unknown as Annotated).metadata.annotations ?? {};

const isReady = (pod: ObservedPod): boolean => mainContainer(pod)?.ready === true;

/** Waits until kubectl prints exactly this. */
async function prints(args: readonly string[], wanted: string): Promise<void> {
  await until(`kubectl ${args.join(' ')} prints ${wanted}`, async () => {
    const { stdout, stderr } = await mendlet.tryKubectl(args);
    return stdout.trim() === wanted ? { value: stdout } : { last: stdout + stderr };
  });
}

const phaseOf = (name: string): readonly string[] => [
  'get',
  'podrestart',
  name,
  '-o',
  'jsonpath={.status.phase} {.status.reason}',
];

it.concurrent('a policy comes to its pods, changes and goes; the word of a pod wins', async () => {
  await mendlet.create(
    policy('calm', 'calm', { maxPodRestarts: 1 }),
    labelled('calm'),
    busyboxPod('own', SERVE, { metadata: { labels: { app: 'calm' }, annotations: { [POLICY]: '{}' } } }),
  );
  const pod = await mendlet.untilPod('calm', 'a policy', (p) => annotationsOf(p)[FROM] !== undefined);
  expect(annotationsOf(pod)).toMatchObject({
    [POLICY]: '{"maxPodRestarts":1}',
    [FROM]: expect.stringMatching(/^calm\//),
  });
  await mendlet.kubectl(['patch', 'hp', 'calm', '--type=merge', '-p', '{"spec":{"maxPodRestarts":2}}']);
  await mendlet.untilPod('calm', 'the change', (p) => annotationsOf(p)[POLICY] === '{"maxPodRestarts":2}');
  const overridden = '{.status.conditions[?(@.type=="Overridden")].message}';
  await prints(
    ['get', 'hp', 'calm', '-o', `jsonpath={.status.pods} ${overridden}`],
    '1 1 pod heals by annotations of their own: own',
  );
  await mendlet.kubectl(['delete', 'hp', 'calm']);
  await mendlet.untilPod(
    'calm',
    'no policy',
    (p) => annotationsOf(p)[POLICY] === undefined && annotationsOf(p)[FROM] === undefined,
  );
  expect(annotationsOf(await mendlet.pod('own'))[POLICY]).toBe('{}');
});

it.concurrent('who may only ask for restarts restarts a pod, and nothing else', async () => {
  await mendlet.create(labelled('patient'));
  const before = await mendlet.untilPod('patient', 'ready', isReady);
  await mendlet.kubectl(['create', 'rolebinding', 'on-call', '--clusterrole=mendlet:pod-restarter', '--user=alice']);
  const as = (...args: readonly string[]) => mendlet.tryKubectl([...args, '--as=alice']);
  expect((await as('delete', 'pod', 'patient')).stderr).toContain('Forbidden');
  const asked = await mendlet.tryKubectl(
    ['create', '--as=alice', '-f', '-'],
    JSON.stringify(restart('help', 'patient', { reason: 'it hangs' })),
  );
  expect(asked).toMatchObject({ code: 0 });
  await prints(phaseOf('help'), 'Succeeded Restarted');
  const after = await mendlet.untilPod(
    'patient',
    'ready again',
    (p) => isReady(p) && mainContainer(p)?.restartCount === 1,
  );
  expect(after.metadata.uid).toBe(before.metadata.uid);
  await until('its event', async () => {
    const events = await mendlet.events('patient');
    return events.includes('alice asked for a restart of the pod: it hangs') ? { value: true } : { last: events };
  });
  await mendlet.untilPod(
    'patient',
    'no request any more',
    (p) => annotationsOf(p)['mendlet.dev/restart-request'] === undefined,
  );
});

it.concurrent('what cannot be restarted is told, and what is over goes', async () => {
  await mendlet.create(busyboxPod('done', 'exit 0', { spec: { restartPolicy: 'Never' } }), labelled('other'));
  await mendlet.untilPod('done', 'Succeeded', (p) => p.status.phase === 'Succeeded');
  await mendlet.untilPod('other', 'ready', isReady);
  await mendlet.create(
    restart('nobody', 'nobody'),
    restart('too-late', 'done'),
    restart('another', 'other', { podUID: '0000' }),
    restart('short', 'nobody', { ttlSecondsAfterFinished: 0 }),
  );
  await prints(phaseOf('nobody'), 'Failed PodNotFound');
  await prints(phaseOf('too-late'), 'Failed PodFinished');
  await prints(phaseOf('another'), 'Failed PodReplaced');
  await prints(['get', 'podrestart', 'short', '--ignore-not-found'], '');
});

it('tells of itself', async () => {
  for (const path of ['/healthz', '/livez', '/readyz']) expect(await (await fetch(url + path)).text()).toBe('ok');
  const metrics = await (await fetch(`${url}/metrics`)).text();
  expect(metrics).toContain('leader_election_master_status{name="mendlet-healer"} 1');
  expect(metrics).toContain('mendlet_pod_restarts_finished_total{phase="Succeeded",reason="Restarted"} 1');
  expect(said).toContain('--healing-controller=false');
  expect(said).not.toMatch(/ERROR|cannot|refuses/);
});

/** The manifest's own deployment, with Node.js and the program from this machine in the place of an image. */
function deployment(): object {
  const object = structuredClone(HEALER_OBJECTS.find((each) => (each as { kind: string }).kind === 'Deployment'));
  const { spec } = (object as { spec: { template: { spec: { containers: Record<string, unknown>[] } } } }).spec
    .template;
  const host = {
    node: dirname(process.execPath),
    app: join(root, 'dist'),
    usr: '/usr/lib',
    lib: '/usr/lib',
    lib64: '/lib64',
  };
  const at = { node: '/node', app: '/app', usr: '/usr/lib', lib: '/lib', lib64: '/lib64' };
  const names = Object.keys(host) as (keyof typeof host)[];
  const [container] = spec.containers;
  Object.assign(container ?? {}, {
    image: 'docker.io/library/busybox:latest',
    imagePullPolicy: 'IfNotPresent',
    command: ['/node/node', '/app/mendlet.js'],
    env: [{ name: 'LD_LIBRARY_PATH', value: '/usr/lib/x86_64-linux-gnu:/usr/lib/aarch64-linux-gnu' }],
    volumeMounts: names.map((name) => ({ name, mountPath: at[name], readOnly: true })),
  });
  Object.assign(spec, { volumes: names.map((name) => ({ name, hostPath: { path: host[name] } })) });
  return object as object;
}

it('in the cluster, by its manifest, it takes over from the process', async () => {
  await mendlet.create(deployment(), labelled('kept'));
  await prints(
    ['get', 'deployment', 'mendlet-healer', '-n', 'kube-system', '-o', 'jsonpath={.status.availableReplicas}'],
    '1',
  );
  healer.kill('SIGTERM');
  await mendlet.create(policy('kept', 'kept'));
  await mendlet.untilPod('kept', 'a policy', (p) => annotationsOf(p)[POLICY] === '{}');
  const holder = await mendlet.kubectl([
    'get',
    'lease',
    'mendlet-healer',
    '-n',
    'kube-system',
    '-o',
    'jsonpath={.spec.holderIdentity}',
  ]);
  expect(holder).toMatch(/^mendlet-healer-/);
});
