/**
 * Tests that volumes of a CSI driver are mounted: a real driver in a container, which registers itself as drivers do, and can be
 * told to hang, to fail, to lie and to die.
 */
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { buildDriver, driverObject, driverPod } from '../support/csi-driver/manifests.ts';
import { provision, type WaitingClaim, waitsFor } from '../support/csi-driver/provisioner.ts';
import { itInWhole } from './extent.ts';
import { busyboxPod, Mendlet, type ObservedPod, until } from './harness.ts';

const NAME = 'test.csi.mendlet.dev';

let mendlet: Mendlet;
let kubeletDir: string;
let dataDir: string;

beforeAll(async () => {
  mendlet = new Mendlet({ podNetwork: 200, flags: ['--service-cidr', '10.113.0.0/16'] });
  kubeletDir = join(mendlet.dataDir, 'kubelet');
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

interface PodStats {
  readonly podRef: { readonly name: string };
  readonly volume?: readonly {
    readonly name: string;
    readonly capacityBytes?: number;
    readonly pvcRef?: { readonly name: string };
  }[];
}

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

/** An object of a pod that is deleted without a grace period goes before its volumes do. */
async function untilClean(): Promise<void> {
  await until('the end of all volumes', async () => {
    const left = [...mounts(), ...notes(), ...readdirSync(join(kubeletDir, 'pods'))];
    return left.length === 0 ? { value: true } : { last: `${left.join()}\n${mendlet.log.slice(-2000)}` };
  });
}

/** What a resizer does in the cluster: the volume has the size, and the claim waits for its node. */
async function expandByCluster(name: string, storage: string, pv = name): Promise<void> {
  const patch = (what: readonly string[], change: object): Promise<string> =>
    mendlet.kubectl(['patch', ...what, '--type', 'merge', '-p', JSON.stringify(change)]);
  await patch(['pv', pv], { spec: { capacity: { storage } } });
  const status = {
    allocatedResources: { storage },
    allocatedResourceStatuses: { storage: 'NodeResizePending' },
    conditions: [{ type: 'FileSystemResizePending', status: 'True' }],
  };
  await patch(['pvc', name, '--subresource', 'status'], { status });
}

async function untilSize(name: string, storage: string): Promise<void> {
  interface Sized {
    readonly status: { readonly conditions?: readonly object[] };
  }
  const { status } = await until<Sized>(`claim ${name} of ${storage}`, async () => {
    const found = await mendlet.read<Sized>(`persistentvolumeclaims/${name}`, { namespace: 'default' });
    const last = JSON.stringify(found.status);
    return last.includes(`"capacity":{"storage":"${storage}"}`) ? { value: found } : { last };
  });
  expect(status.conditions ?? []).toEqual([]);
}

it('registers the driver, and says so on CSINode and Node', async () => {
  const found = await until('the driver on the CSINode', async () => {
    try {
      const { spec } = await mendlet.read<{ spec: { drivers: readonly object[] } }>('csinodes/e2e');
      return spec.drivers.length > 0 ? { value: spec.drivers } : { last: JSON.stringify(spec) };
    } catch (error) {
      return {
        last: `${String(error)}\n${mendlet.log.slice(-2000)}\n${await mendlet.kubectl(['get', 'pods', '-o', 'wide'])}`,
      };
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
  const driverVolumes = join(dataDir, 'volumes');
  mkdirSync(join(driverVolumes, 'v1'), { recursive: true });
  order({ condition: 'the disk is dying' });
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
  await until('what the driver says of its volumes', async () => {
    const text = await mendlet.kubectl(['get', '--raw', '/api/v1/nodes/e2e/proxy/stats/summary']);
    const { pods } = JSON.parse(text) as { pods: readonly PodStats[] };
    const found = pods.find(({ podRef }) => podRef.name === 'user')?.volume ?? [];
    const data = found.find(({ name }) => name === 'data');
    return data?.pvcRef?.name === 'claimed' && (data.capacityBytes ?? 0) > 0 ? { value: true } : { last: text };
  });
  await until('the event of a condition', async () => {
    const last = await mendlet.kubectl(['events', '--for', 'pod/user']);
    return last.includes('Volume data: the disk is dying') ? { value: true } : { last };
  });
  order({});
  await untilGone('user');
  await untilClean();
  expect(ended('v1')).toEqual(['NodeStageVolume', 'NodePublishVolume', 'NodeUnpublishVolume', 'NodeUnstageVolume']);
  await untilClean();
  expect(readFileSync(join(driverVolumes, 'v1', 'it'), 'utf8')).toBe('hello\n');
});

it('goes on with a volume whose driver hung when the agent was killed; other pods do not wait', async () => {
  mkdirSync(join(dataDir, 'volumes', 'v2'), { recursive: true });
  order({ NodePublishVolume: 'hang' });
  await mendlet.create(volume('hung', 'v2'), claim('hung'), user('hung', 'hung', 'date > /data/it; sleep 36000'));
  await until('the call that hangs', async () =>
    calls('v2').some(({ method }) => method === 'NodePublishVolume')
      ? { value: true }
      : { last: JSON.stringify(calls('v2')) },
  );
  await mendlet.create(busyboxPod('plain', 'sleep 36000', { spec: { terminationGracePeriodSeconds: 0 } }));
  await mendlet.untilPod('plain', 'runs', runs);
  await mendlet.end('SIGKILL');
  order({});
  await mendlet.up(['--kubelet-dir', kubeletDir]);
  await mendlet.untilPod('hung', 'runs', runs);
  expect(ended('v2')).toEqual(['NodeStageVolume', 'NodePublishVolume']);
  // The driver dies when it has unpublished, before it can say so.
  order({ NodeUnpublishVolume: 'die-after' });
  await untilGone('hung');
  await until('the death of the driver', async () => {
    const last = await mendlet.pod('driver-test');
    const restarts = last.status.containerStatuses?.map(({ restartCount }) => restartCount) ?? [];
    return restarts.some((count) => count > 0) ? { value: true } : { last: JSON.stringify(restarts) };
  });
  order({});
  await untilClean();
  expect(ended('v2').at(-1)).toBe('NodeUnstageVolume');
  await untilGone('plain');
});

it('names a driver that says that it published, and did not', async () => {
  mkdirSync(join(dataDir, 'volumes', 'v3'), { recursive: true });
  order({ NodePublishVolume: 'lie' });
  await mendlet.create(volume('lied', 'v3'), claim('lied'), user('lied', 'lied', 'sleep 36000'));
  await until('the event', async () => {
    const last = await mendlet.kubectl(['events', '--for', 'pod/lied']);
    const said = `MountVolume.SetUp failed for volume "data" : CSI driver ${NAME} says that it has published volume v3`;
    return last.includes(said) ? { value: true } : { last };
  });
  order({});
  await mendlet.untilPod('lied', 'runs', runs);
  await untilGone('lied');
  await untilClean();
});

it('expands the volume of a pod that runs, and of one that starts', async () => {
  mkdirSync(join(dataDir, 'volumes', 'v4'), { recursive: true });
  await mendlet.create(volume('growing', 'v4'), claim('growing'), user('growing', 'growing', 'sleep 36000'));
  await mendlet.untilPod('growing', 'runs', runs);
  order({ NodeExpandVolume: 'fail' });
  await expandByCluster('growing', '32Mi');
  // An agent looks at once when it starts.
  await mendlet.end('SIGKILL');
  await mendlet.up(['--kubelet-dir', kubeletDir]);
  await until('the failure', async () => {
    const last = await mendlet.kubectl(['events', '--for', 'pod/growing']);
    return last.includes('NodeExpandVolume.NodeExpandVolume failed') ? { value: true } : { last };
  });
  expect(calls('v4').find(({ method }) => method === 'NodeExpandVolume')?.request).toMatchObject({
    volumePath: expect.stringContaining('/volumes/kubernetes.io~csi/growing/mount'),
    stagingTargetPath: expect.stringContaining('/globalmount'),
    capacityRange: { requiredBytes: String(32 << 20) },
  });
  order({});
  await untilSize('growing', '32Mi');
  expect(ended('v4')).toEqual(['NodeStageVolume', 'NodePublishVolume', 'NodeExpandVolume']);
  expect(await mendlet.kubectl(['events', '--for', 'pod/growing'])).toContain('FileSystemResizeSuccessful');
  await untilGone('growing');
  await untilClean();
  await expandByCluster('growing', '48Mi');
  await mendlet.create(user('growing', 'growing', 'sleep 36000'));
  await mendlet.untilPod('growing', 'runs', runs);
  await untilSize('growing', '48Mi');
  expect(ended('v4').slice(-3)).toEqual(['NodeStageVolume', 'NodeExpandVolume', 'NodePublishVolume']);
  await untilGone('growing');
  await untilClean();
});

itInWhole('mounts what a provisioner makes: a file system on a disk, and the disk itself', async () => {
  const socket = join(kubeletDir, 'plugins', NAME, 'csi.sock');
  const parameters = { kind: 'disk' };
  await mendlet.create({
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: { name: 'disks' },
    provisioner: NAME,
    parameters,
    volumeBindingMode: 'WaitForFirstConsumer',
  });
  const spec = { storageClassName: 'disks', volumeName: undefined };
  await mendlet.create(
    claim('files', spec),
    claim('device', { ...spec, volumeMode: 'Block' }),
    user('files', 'files', 'echo kept > /data/it; sleep 36000'),
    user('device', 'device', 'echo raw | dd of=/dev/disk conv=fsync; sleep 36000', {
      volumeMounts: [],
      volumeDevices: [{ name: 'data', devicePath: '/dev/disk' }],
    }),
  );
  for (const name of ['files', 'device']) {
    const waiting = await until<WaitingClaim>(`claim ${name} waits for its provisioner`, async () => {
      const found = await mendlet.read<WaitingClaim>(`persistentvolumeclaims/${name}`, { namespace: 'default' });
      return waitsFor(NAME, found) ? { value: found } : { last: JSON.stringify(found) };
    });
    await mendlet.create(await provision(socket, NAME, waiting, parameters));
    await mendlet.untilPod(name, 'runs', runs);
  }
  expect((await mendlet.kubectl(['exec', 'files', '--', 'df', '-T', '/data'])).includes('ext2')).toBe(true);
  const { spec: bound } = await mendlet.read<{ spec: { volumeName: string } }>('persistentvolumeclaims/device', {
    namespace: 'default',
  });
  await expandByCluster('device', '64Mi', bound.volumeName);
  await mendlet.end('SIGKILL');
  await mendlet.up(['--kubelet-dir', kubeletDir]);
  await untilSize('device', '64Mi');
  const bytes = await mendlet.kubectl(['exec', 'device', '--', 'blockdev', '--getsize64', '/dev/disk']);
  expect(Number(bytes)).toBe(64 << 20);
  await until('what was written to the device', async () => {
    const last = await mendlet.kubectl(['exec', 'device', '--', 'head', '-c', '3', '/dev/disk']);
    return last === 'raw' ? { value: true } : { last };
  });
  await untilGone('files');
  await untilGone('device');
  await untilClean();
});
