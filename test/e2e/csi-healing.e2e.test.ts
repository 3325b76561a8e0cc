/**
 * Tests that the node knows when a volume of a CSI driver stops working, says so, and mounts it anew: by itself for containers that
 * start, and with the whole pod where its policy asks for that.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { buildDriver, driverObject, driverPod } from '../support/csi-driver/manifests.ts';
import { busyboxPod, Mendlet, type ObservedPod, until } from './harness.ts';

const NAME = 'healing.csi.mendlet.dev';

let mendlet: Mendlet;
let kubeletDir: string;
let dataDir: string;
let programDir: string;

beforeAll(async () => {
  mendlet = new Mendlet({ podNetwork: 194, flags: ['--service-cidr', '10.116.0.0/16'] });
  kubeletDir = join(mendlet.dataDir, 'kubelet');
  dataDir = join(mendlet.folder, 'driver');
  programDir = join(mendlet.folder, 'program');
  await Promise.all([mendlet.up(['--kubelet-dir', kubeletDir]), buildDriver(programDir)]);
  await mendlet.create(driverObject(NAME), driver());
});
afterAll(async () => {
  await mendlet?.down();
});

const driver = (): object => driverPod({ name: NAME, kubeletDir, dataDir, programDir });

const order = (orders: Readonly<Record<string, string>>): void =>
  writeFileSync(join(dataDir, 'orders.json'), JSON.stringify(orders));

/** A claim with a volume of the driver, and a pod that counts its starts there. */
function user(name: string, policy?: object): readonly object[] {
  mkdirSync(join(dataDir, 'volumes', name), { recursive: true });
  const size = { storage: '16Mi' };
  const spec = { accessModes: ['ReadWriteOnce'], storageClassName: '' };
  return [
    {
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: { name },
      spec: {
        ...spec,
        capacity: size,
        persistentVolumeReclaimPolicy: 'Retain',
        claimRef: { namespace: 'default', name },
        csi: { driver: NAME, volumeHandle: name },
      },
    },
    {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name },
      spec: { ...spec, volumeName: name, resources: { requests: size } },
    },
    busyboxPod(name, 'echo started >> /data/starts; exec sleep 36000', {
      metadata: policy === undefined ? {} : { annotations: { 'mendlet.dev/healing-policy': JSON.stringify(policy) } },
      spec: {
        terminationGracePeriodSeconds: 0,
        volumes: [{ name: 'data', persistentVolumeClaim: { claimName: name } }],
      },
      container: { volumeMounts: [{ name: 'data', mountPath: '/data' }] },
    }),
  ];
}

const runs = (pod: ObservedPod): boolean => pod.status.containerStatuses?.[0]?.ready === true;
const starts = (name: string): number =>
  readFileSync(join(dataDir, 'volumes', name, 'starts'), 'utf8')
    .split('\n')
    .filter(Boolean).length;

const targets = (volume: string): readonly string[] =>
  readFileSync('/proc/self/mountinfo', 'utf8')
    .split('\n')
    .map((line) => line.split(' ')[4] ?? '')
    .filter((point) => point.startsWith(`${kubeletDir}/pods/`) && point.includes(`/${volume}/`));

/** As when the driver's daemon dies: the mount of the pod is not there any more. */
function loseMount(volume: string): void {
  const [target = ''] = targets(volume);
  expect(spawnSync('umount', ['-l', target]).status).toBe(0);
}

async function said(object: string, ...texts: readonly string[]): Promise<void> {
  await until(`${texts.join(', ')} of ${object}`, async () => {
    const last = await mendlet.kubectl(['events', '--for', object]);
    return texts.every((text) => last.includes(text)) ? { value: true } : { last };
  });
}

async function condition(pod: string, status: string): Promise<void> {
  await until(`the condition of ${pod} is ${status}`, async () => {
    const path = '{.status.conditions[?(@.type=="mendlet.dev/VolumeProblem")]}';
    const last = await mendlet.kubectl(['get', 'pod', pod, '-o', `jsonpath=${path}`]);
    return last.includes(`"status":"${status}"`) ? { value: true } : { last };
  });
}

it('restarts a pod by its policy when the mount of its volume vanishes; the pod has its data again', async () => {
  await mendlet.create(...user('healed', { volumes: { restartPodOn: ['MountLost', 'Abnormal'] } }));
  await mendlet.untilPod('healed', 'runs', runs);
  const { metadata } = await mendlet.pod('healed');
  loseMount('healed');
  await mendlet.untilPod(
    'healed',
    'was restarted',
    (pod) => runs(pod) && (pod.status.containerStatuses?.[0]?.restartCount ?? 0) > 0,
  );
  expect((await mendlet.pod('healed')).metadata.uid).toBe(metadata.uid);
  expect(starts('healed')).toBe(2);
  expect(targets('healed')).toHaveLength(1);
  await said('pod/healed', 'VolumeMountLost', 'PodRestarted', 'VolumeWorks');
  await said('pvc/healed', 'VolumeMountLost', 'VolumeWorks');
  await condition('healed', 'False');
});

it('leaves a pod without such a policy as it is, and says so; a container that starts anew has the volume', async () => {
  await mendlet.create(...user('plain'));
  await mendlet.untilPod('plain', 'runs', runs);
  loseMount('plain');
  await condition('plain', 'True');
  await until('the mount is there again', async () =>
    targets('plain').length === 1 ? { value: true } : { last: targets('plain').join() },
  );
  expect((await mendlet.pod('plain')).status.containerStatuses?.[0]?.restartCount).toBe(0);
  const request = JSON.stringify({ id: 'anew', scope: 'container', container: 'main' });
  await mendlet.kubectl(['annotate', 'pod', 'plain', `mendlet.dev/restart-request=${request}`]);
  await until('the start of the container', async () =>
    starts('plain') === 2 ? { value: true } : { last: `${starts('plain')}` },
  );
  await condition('plain', 'False');
});

it('restarts a pod by its policy for a condition that its driver tells', async () => {
  order({ condition: 'the disk is dying' });
  await said('pod/healed', 'Volume data: the disk is dying');
  await until('the second restart', async () =>
    starts('healed') === 3 ? { value: true } : { last: `${starts('healed')}` },
  );
  order({});
  await condition('healed', 'False');
});

it('says for which driver a pod that ends waits, and ends it once the driver is back', async () => {
  const pod = `driver-${NAME.split('.')[0]}`;
  await mendlet.kubectl(['delete', 'pod', pod]);
  await until('the driver is gone from the CSINode', async () => {
    const last = await mendlet.kubectl(['get', 'csinode', 'e2e', '-o', 'jsonpath={.spec.drivers}']);
    return ['', 'null', '[]'].includes(last) ? { value: true } : { last };
  });
  await mendlet.kubectl(['delete', 'pod', 'healed', '--wait=false', '--grace-period=1']);
  await said('pod/healed', 'FailedUnMount', NAME);
  await mendlet.create(driver());
  await until('the end of the pod', async () => {
    const { code, stdout } = await mendlet.tryKubectl(['get', 'pod', 'healed']);
    return code === 0 ? { last: stdout } : { value: true };
  });
});
