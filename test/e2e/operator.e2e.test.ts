/**
 * Tests an operator in pods, written with Kubernetes' client library for Node.js: definition, informers, server-side apply, status,
 * owners, finalizer and leader election; it is killed, and so is mendlet.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { mkdirSync, readFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { Cp, Exec, KubeConfig, Log, Metrics, PortForward, type V1Status } from '@kubernetes/client-node';
import { Mendlet } from './harness.ts';
import { operatorArchive } from './operator/image.ts';

let mendlet: Mendlet;
beforeAll(async () => {
  mendlet = new Mendlet({ podNetwork: 248, flags: ['--image-archive', await operatorArchive()] });
  await mendlet.up();
});
afterAll(() => mendlet.down());

const MANIFEST = join(import.meta.dirname, 'operator', 'manifest.yaml');
const kubectl = (...args: string[]): Promise<string> => mendlet.kubectl(args);
const here = ['-n', 'site-operator'];
const read = (what: string, path: string): Promise<string> => kubectl('get', what, '-o', `jsonpath={${path}}`);
const holder = (): Promise<string> =>
  kubectl(...here, 'get', 'lease', 'site-operator', '-o', 'jsonpath={.spec.holderIdentity}');

function site(name: string, spec: object): string {
  return JSON.stringify({ apiVersion: 'sites.example.com/v1', kind: 'Site', metadata: { name }, spec });
}

async function apply(name: string, spec: object): Promise<void> {
  await mendlet.kubectl(['apply', '-f', '-'], site(name, spec));
}

const untilReady = (name: string, replicas: number): Promise<unknown> =>
  expect
    .poll(
      async () => await read(`site/${name}`, '.status.conditions[?(@.type=="Ready")].status} {.status.readyReplicas'),
      {
        timeout: 120_000,
      },
    )
    .toBe(`True ${replicas}`);

it('goes in with one command, and its copies become ready', async () => {
  await kubectl('apply', '--server-side', '-f', MANIFEST);
  await kubectl(...here, 'rollout', 'status', 'deployment/site-operator', '--timeout=240s');
  await expect.poll(holder, { timeout: 60_000 }).toMatch(/^site-operator-/);
});

it('makes what its object asks for, and says so in the status', async () => {
  await apply('hello', { text: 'hello' });
  await kubectl('wait', '--for=condition=Ready', 'site/hello', '--timeout=120s');
  expect(await kubectl('get', 'sites')).toMatch(/^NAME +READY +REPLICAS\nhello +True +1\n$/);
  for (const kind of ['configmap', 'service', 'deployment']) {
    expect(await read(`${kind}/hello`, '.metadata.ownerReferences[0].kind')).toBe('Site');
    const object = await kubectl('get', kind, 'hello', '-o', 'yaml', '--show-managed-fields');
    expect(object).toMatch(/manager: site-operator\n +operation: Apply/);
  }
  const { stderr } = await mendlet.tryKubectl(['apply', '-f', '-'], site('empty', { text: ' ' }));
  expect(stderr).toContain('spec: Invalid value: "object": a site must say something');
  const at = await read('service/hello', '.spec.clusterIP');
  expect(await kubectl('exec', 'deployment/hello', '--', 'wget', '-qO-', `http://${at}/index.html`)).toBe('hello');
});

/** What a stream of the client library has brought so far. */
function collector(): { readonly stream: Writable; text(): string } {
  let text = '';
  const stream = new Writable({
    write: (chunk: Buffer, _, done) => {
      text += chunk.toString();
      done();
    },
  });
  return { stream, text: () => text };
}

/** What the client library needs to know of our server. */
function access(): KubeConfig {
  const config = new KubeConfig();
  config.loadFromFile(mendlet.kubeconfig);
  return config;
}

it('lets programs outside run commands, copy files and reach ports through the same library', async () => {
  const config = access();
  const pod = await kubectl(
    'get',
    'pods',
    '-l',
    'sites.example.com/site=hello',
    '-o',
    'jsonpath={.items[0].metadata.name}',
  );
  const [out, err] = [collector(), collector()];
  const status = await new Promise<V1Status>((done, fail) => {
    const command = ['sh', '-c', 'cat; echo oops >&2; exit 3'];
    const input = Readable.from(['typed']);
    new Exec(config).exec('default', pod, 'web', command, out.stream, err.stream, input, false, done).catch(fail);
  });
  expect([out.text(), err.text(), status.status, status.details?.causes?.[0]?.message]).toEqual([
    'typed',
    'oops\n',
    'Failure',
    '3',
  ]);

  const copied = join(mendlet.folder, 'copied');
  mkdirSync(copied);
  await new Cp(config).cpFromPod('default', pod, 'web', 'etc/passwd', copied);
  await expect.poll(() => readFileSync(join(copied, 'etc/passwd'), 'utf8'), { timeout: 60_000 }).toContain('root');

  const forward = new PortForward(config);
  const local = createServer((socket) => void forward.portForward('default', pod, [8080], socket, null, socket));
  await new Promise<void>((done) => local.listen(0, '127.0.0.1', done));
  const { port } = local.address() as AddressInfo;
  try {
    expect(await (await fetch(`http://127.0.0.1:${port}/index.html`)).text()).toBe('hello');
  } finally {
    local.close();
  }
  const measured = async (): Promise<readonly string[]> =>
    (await new Metrics(config).getPodMetrics('default')).items.map(({ metadata }) => metadata.name);
  await expect.poll(measured, { timeout: 60_000 }).toContain(pod);
});

it('follows its object and puts right what others have changed', async () => {
  await kubectl('scale', 'site/hello', '--replicas=2');
  await untilReady('hello', 2);
  await kubectl('scale', 'deployment/hello', '--replicas=4');
  await expect.poll(() => read('deployment/hello', '.spec.replicas'), { timeout: 60_000 }).toBe('2');
  const uid = await read('configmap/hello', '.metadata.uid');
  await kubectl('delete', 'configmap', 'hello');
  await expect
    .poll(
      async () => (await mendlet.tryKubectl(['get', 'configmap', 'hello', '-o', 'jsonpath={.metadata.uid}'])).stdout,
      {
        timeout: 60_000,
      },
    )
    .toMatch(new RegExp(`^(?!${uid}).+`));
});

it('works on in another copy when the one that leads dies', async () => {
  const first = await holder();
  // Followed to its end: the library fails when it is told to stop earlier.
  const lines = collector();
  await new Log(access()).log('site-operator', first, 'operator', lines.stream, { follow: true });
  await expect.poll(() => lines.text(), { timeout: 60_000 }).toContain(`${first} leads`);
  await kubectl(...here, 'delete', 'pod', first, '--grace-period=0', '--force');
  await expect.poll(holder, { timeout: 120_000 }).not.toBe(first);
  await expect.poll(() => lines.stream.writableFinished, { timeout: 60_000 }).toBe(true);
  await apply('after', { text: 'after' });
  await untilReady('after', 1);
  const transitions = await kubectl(
    ...here,
    'get',
    'lease',
    'site-operator',
    '-o',
    'jsonpath={.spec.leaseTransitions}',
  );
  expect(Number(transitions)).toBeGreaterThan(0);
});

it('heals in place when its process ends', async () => {
  const leader = await holder();
  const restarts = (): Promise<string> =>
    kubectl(...here, 'get', 'pods', '-o', 'jsonpath={.items[*].status.containerStatuses[0].restartCount}');
  await kubectl(...here, 'exec', leader, '--', 'kill', '-TERM', '1');
  await expect.poll(restarts, { timeout: 60_000 }).toContain('1');
  await kubectl(...here, 'wait', '--for=condition=Ready', 'pod', '-l', 'app=site-operator', '--timeout=120s');
  await apply('healed', { text: 'healed' });
  await untilReady('healed', 1);
});

it('goes on after mendlet itself has been killed', async () => {
  await mendlet.end('SIGKILL');
  await mendlet.up();
  await apply('later', { text: 'later' });
  await untilReady('later', 1);
});

it('says farewell to an object that is deleted, and its children are collected', async () => {
  const uid = await read('site/hello', '.metadata.uid');
  await kubectl('delete', 'site', 'hello', '--timeout=120s');
  expect(await read('configmap/farewell-hello', '.data.uid')).toBe(uid);
  await expect
    .poll(
      () =>
        kubectl(
          'get',
          'deployments,services,configmaps,replicasets,pods',
          '-l',
          'sites.example.com/site=hello',
          '-o',
          'name',
        ),
      {
        timeout: 120_000,
      },
    )
    .toBe('');
});

it('leaves nothing behind', async () => {
  await kubectl('delete', 'sites', '--all', '--timeout=120s');
  await kubectl('delete', '-f', MANIFEST, '--ignore-not-found', '--timeout=240s');
  expect((await mendlet.tryKubectl(['get', 'sites'])).code).toBe(1);
  await expect.poll(() => kubectl('get', 'pods', '-A', '-o', 'name'), { timeout: 120_000 }).toBe('');
});
