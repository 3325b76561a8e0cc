/**
 * Tests that volumes of a CSI driver are mounted: a real driver in a container, which registers itself as drivers do, and can be
 * told to hang, to fail, to lie and to die.
 */
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { buildDriver, driverObject, driverPod } from '../support/csi-driver/manifests.ts';
import { busyboxPod, Mendlet, type ObservedPod, until } from './harness.ts';

const NAME = 'test.csi.mendlet.dev';

let mendlet: Mendlet;
let kubeletDir: string;
let dataDir: string;

beforeAll(async () => {
  mendlet = new Mendlet({ podNetwork: 200, flags: ['--service-cidr', '10.113.0.0/16'] });
  kubeletDir = join(mendlet.folder, 'kubelet');
  dataDir = join(mendlet.folder, 'driver');
  const programDir = join(mendlet.folder, 'program');
  await Promise.all([mendlet.up(['--kubelet-dir', kubeletDir]), buildDriver(programDir)]);
  await mendlet.create(
    driverObject(NAME, { fsGroupPolicy: 'File' }),
    driverPod({ name: NAME, kubeletDir, dataDir, programDir }),
  );
});
afterAll(async () => {
  await mendlet?.down();
});

interface DriverCall {
  readonly method: string;
  readonly what: 'begin' | 'end';
  readonly request: Readonly<Record<string, unknown>> & { readonly volumeContext?: Readonly<Record<string, string>> };
}

function calls(handle?: string): readonly DriverCall[] {
  const path = join(dataDir, 'calls.log');
  if (!existsSync(path)) return [];
  const all = readFileSync(path, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as DriverCall);
  return handle === undefined ? all : all.filter(({ request }) => request['volumeId'] === handle);
}

const ended = (handle: string): readonly string[] =>
  calls(handle)
    .filter(({ what, method }) => what === 'end' && method !== 'NodeGetVolumeStats')
    .map(({ method }) => method);

const order = (orders: Readonly<Record<string, string>>): void =>
  writeFileSync(join(dataDir, 'orders.json'), JSON.stringify(orders));

const mounts = (): readonly string[] =>
  readFileSync('/proc/self/mountinfo', 'utf8')
    .split('\n')
    .map((line) => line.split(' ')[4] ?? '')
    .filter((point) => point.startsWith(`${kubeletDir}/`));

const notes = (): readonly string[] => {
  const folder = join(mendlet.dataDir, 'agent/csi');
  return existsSync(folder) ? readdirSync(folder) : [];
};

const volume = (name: string, handle: string, spec: object = {}, csi: object = {}): object => ({
  apiVersion: 'v1',
  kind: 'PersistentVolume',
  metadata: { name },
  spec: {
    capacity: { storage: '16Mi' },
    accessModes: ['ReadWriteOnce'],
    persistentVolumeReclaimPolicy: 'Retain',
    storageClassName: '',
    claimRef: { namespace: 'default', name },
    csi: { driver: NAME, volumeHandle: handle, ...csi },
    ...spec,
  },
});
const claim = (name: string, spec: object = {}): object => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name },
  spec: {
    accessModes: ['ReadWriteOnce'],
    storageClassName: '',
    volumeName: name,
    resources: { requests: { storage: '16Mi' } },
    ...spec,
  },
});
const user = (name: string, claimName: string, script: string, container: object = {}): object =>
  busyboxPod(name, script, {
    spec: {
      terminationGracePeriodSeconds: 0,
      volumes: [{ name: 'data', persistentVolumeClaim: { claimName } }],
    },
    container: { volumeMounts: [{ name: 'data', mountPath: '/data' }], ...container },
  });

const runs = (pod: ObservedPod): boolean => pod.status.containerStatuses?.[0]?.ready === true;

async function untilGone(pod: string): Promise<void> {
  await mendlet.kubectl(['delete', 'pod', pod, '--wait=false']);
  await until(`the end of pod ${pod}`, async () => {
    const { stdout, code } = await mendlet.tryKubectl(['get', 'pod', pod, '-o', 'jsonpath={.status}']);
    return code === 0
      ? { last: `${stdout}\n${await mendlet.kubectl(['events', '--for', `pod/${pod}`])}` }
      : { value: true };
  });
}

it('registers the driver, and says so on CSINode and Node', async () => {
  const found = await until('the driver on the CSINode', async () => {
    try {
      const { spec } = await mendlet.read<{ spec: { drivers: readonly object[] } }>('csinodes/e2e');
      return spec.drivers.length > 0 ? { value: spec.drivers } : { last: JSON.stringify(spec) };
    } catch (error) {
      return { last: `${error}\n${mendlet.log.slice(-2000)}\n${await mendlet.kubectl(['get', 'pods', '-o', 'wide'])}` };
    }
  });
  expect(found).toEqual([
    {
      name: NAME,
      nodeID: 'node-of-driver',
      topologyKeys: [`topology.${NAME}/node`],
      allocatable: { count: 17 },
    },
  ]);
  const { metadata } = await mendlet.read<{
    metadata: { labels: Record<string, string>; annotations: Record<string, string> };
  }>('nodes/e2e');
  expect(metadata.labels[`topology.${NAME}/node`]).toBe('node-of-driver');
  expect(metadata.annotations['csi.volume.kubernetes.io/nodeid']).toBe(JSON.stringify({ [NAME]: 'node-of-driver' }));
});

it('mounts the volume of a claim, and takes it back when the pod goes', async () => {
  await mendlet.create({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'key' }, stringData: { key: 'open' } });
  await mendlet.kubectl(['get', 'csidrivers']);
  const driverVolumes = join(dataDir, 'volumes');
  await mendlet.kubectl(['exec', 'driver-test', '-c', 'driver', '--', 'mkdir', '-p', join(driverVolumes, 'v1')]);
  const secret = { nodeStageSecretRef: { namespace: 'default', name: 'key' } };
  const attributes = { volumeAttributes: { color: 'blue' } };
  await mendlet.create(volume('claimed', 'v1', {}, { ...secret, ...attributes }), claim('claimed'));
  await mendlet.create(
    busyboxPod('user', 'echo hello > /data/it; echo below > /below/too; exec sleep 36000', {
      spec: {
        terminationGracePeriodSeconds: 0,
        securityContext: { fsGroup: 4711 },
        volumes: [
          { name: 'data', persistentVolumeClaim: { claimName: 'claimed' } },
          { name: 'scratch', csi: { driver: NAME, volumeAttributes: { size: 'small' } } },
        ],
      },
      container: {
        volumeMounts: [
          { name: 'data', mountPath: '/data' },
          { name: 'data', mountPath: '/below', subPath: 'a/b' },
          { name: 'scratch', mountPath: '/scratch' },
        ],
      },
    }),
  );
  await mendlet.untilPod('user', 'runs', runs);
  await until('what the pod wrote', async () => {
    const there = ['it', 'a/b/too'].filter((file) => existsSync(join(driverVolumes, 'v1', file)));
    return there.length === 2 ? { value: true } : { last: there.join() };
  });
  expect(readFileSync(join(driverVolumes, 'v1', 'it'), 'utf8')).toBe('hello\n');
  expect(ended('v1')).toEqual(['NodeStageVolume', 'NodePublishVolume']);
  const [stage] = calls('v1');
  expect(stage?.request['secrets']).toEqual({ key: 'open' });
  expect(stage?.request.volumeContext).toEqual({ color: 'blue' });
  const inline = calls().find(({ method, request }) => method === 'NodePublishVolume' && request['volumeId'] !== 'v1');
  expect(inline?.request.volumeContext).toMatchObject({
    size: 'small',
    'csi.storage.k8s.io/pod.name': 'user',
    'csi.storage.k8s.io/ephemeral': 'true',
  });
  expect((await mendlet.kubectl(['exec', 'user', '--', 'stat', '-c', '%g', '/data', '/scratch'])).trim()).toBe(
    '4711\n4711',
  );
  expect(mounts().filter((point) => point.includes('kubernetes.io~csi'))).toHaveLength(2);
  await untilGone('user');
  expect(ended('v1')).toEqual(['NodeStageVolume', 'NodePublishVolume', 'NodeUnpublishVolume', 'NodeUnstageVolume']);
  expect(mounts()).toEqual([]);
  expect(notes()).toEqual([]);
  expect(readdirSync(join(kubeletDir, 'pods'))).toEqual([]);
  expect(readFileSync(join(driverVolumes, 'v1', 'it'), 'utf8')).toBe('hello\n');
});
