/**
 * Tests that mendlet's agent mounts volumes of a CSI driver below a real Kubernetes: its scheduler, its binder, its attach/detach
 * controller and its node authorizer do their parts, the agent does a kubelet's, and the sidecars of the example driver theirs.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ObservedPod, until } from '../e2e/harness.ts';
import { exampleDriverArchive } from '../support/csi-example/image.ts';
import { DRIVER, exampleText, NAMESPACE, type Variant } from '../support/csi-example/manifests.ts';
import { freePort } from '../support/free-port.ts';
import { Cluster, NODE } from './cluster.ts';

let cluster: Cluster;
let variant: Variant;

beforeAll(async () => {
  const archive = await exampleDriverArchive();
  const flags: string[] = ['--image-archive', archive];
  cluster = new Cluster('10.187.0.0/24', flags);
  const kubeletDir = join(cluster.dataDir, 'kubelet');
  variant = { kubeletDir, dataDir: join(cluster.folder, 'volumes'), attaches: true };
  flags.push('--kubelet-dir', kubeletDir);
  await cluster.start();
  await cluster.startAgent();
  await apply(await onThisNetwork(exampleText('driver', variant)));
  const driver = ['get', 'csinode', NODE, '-o', 'jsonpath={.spec.drivers[*].name}'];
  await cluster.untilPrinted(driver, new RegExp(`^${DRIVER}$`));
  await cluster.kubectl(['-n', NAMESPACE, 'rollout', 'status', 'deployment/controller', '--timeout=300s']);
});
afterAll(() => cluster?.down());

/** Nothing routes to services here: the sidecars use the machine's network, and the server's own address. */
async function onThisNetwork(text: string): Promise<string> {
  const { hostname, port } = new URL(cluster.controlPlane.server);
  const address = `- { name: KUBERNETES_SERVICE_HOST, value: "${hostname}" }
            - { name: KUBERNETES_SERVICE_PORT, value: "${port}" }
            - { name: HEALTH_PORT, value: "${await freePort()}" }`;
  const [before, controller, ...rest] = text.split('serviceAccountName: controller\n');
  if (controller === undefined || rest.length > 0) throw new Error('driver.yaml has another shape');
  const own = controller
    .replace('env: &env\n', `env: &env\n            ${address}\n`)
    .replace(/ {10}ports:\n.*containerPort.*\n {10}livenessProbe:\n(?: {12}.*\n)+/, '');
  return `${before}serviceAccountName: controller\n      hostNetwork: true\n${own}`;
}

const apply = (text: string): Promise<string> => cluster.kubectl(['apply', '--validate=false', '-f', '-'], text);

/** The pods of the example, without the claim of a pod, which this old server does not know. */
function pods(): string {
  return exampleText('pods', variant)
    .replace(
      / {6}volumeMounts:\n.*name: inline.*\n.*name: own.*\n/,
      '      volumeMounts: [{ name: inline, mountPath: /inline }]\n',
    )
    .replace(/ {4}- name: own\n(?: {6}.*\n)+/, '')
    .replace('date >/own/it; ', '');
}

const attachments = (): Promise<string> =>
  cluster.kubectl(['get', 'volumeattachments', '-o', 'jsonpath={.items[*].status.attached}']);

/** The nodes to which the storage itself has attached its volumes. */
function attachedTo(): readonly string[] {
  const folder = join(variant.dataDir, 'volumes');
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .flatMap((name) => (JSON.parse(readFileSync(join(folder, name), 'utf8')) as Stored).attachedTo);
}

interface Stored {
  readonly attachedTo: readonly string[];
}

const isReady = (pod: ObservedPod): boolean => pod.status.containerStatuses?.[0]?.ready === true;

it("mounts what that server's controllers have bound and attached", async () => {
  await apply(pods());
  for (const name of ['notes', 'raw', 'scratch']) await cluster.untilPod(name, 'ready', isReady);
  expect(await attachments()).toBe('true true');
  expect(attachedTo()).toEqual([NODE, NODE]);
  await expect.poll(() => cluster.kubectl(['exec', 'raw', '--', 'head', '-c', '3', '/dev/disk'])).toBe('raw');
  const inUse = ['get', 'node', NODE, '-o', 'jsonpath={.status.volumesInUse}'];
  await cluster.untilPrinted(inUse, new RegExp(`kubernetes.io/csi/${DRIVER}\\^disk-pvc-`));
});

it('keeps volumes over a kill of the agent, and data over a new pod', async () => {
  const before = await cluster.pod('notes');
  await cluster.killAgent();
  await cluster.startAgent();
  expect((await cluster.untilPod('notes', 'ready', isReady)).metadata.uid).toBe(before.metadata.uid);
  await cluster.kubectl(['delete', 'pod', 'notes']);
  await apply(pods());
  await cluster.untilPod('notes', 'ready', isReady);
  const starts = ['exec', 'notes', '--', 'cat', '/data/starts'];
  await until('two starts', async () => {
    const { stdout } = await cluster.tryKubectl(starts);
    return stdout.trim().split('\n').length === 2 ? { value: true } : { last: stdout };
  });
});

it('has them detached and removed when pods and claims go', async () => {
  await cluster.kubectl(['delete', '--timeout=300s', '-f', '-'], pods());
  await until('no attachments and no volumes', async () => {
    const out = await cluster.kubectl(['get', 'volumeattachments,pv', '-o', 'name']);
    const left = [out, ...attachedTo()].filter(Boolean);
    return left.length === 0 ? { value: true } : { last: left.join() };
  });
  expect(readdirSync(join(variant.dataDir, 'volumes'))).toEqual([]);
  // The routes between nodes are another matter, which this server's nodes may not read.
  const refused = cluster.agentLog
    .split('\n')
    .filter((line) => /forbidden/i.test(line) && !line.includes('component=routes'));
  expect(refused).toEqual([]);
});
