/**
 * Tests examples/csi as users install it: a driver in the shape in which projects ship theirs, with sidecars that follow the
 * protocols of the standard ones over the API, each with the rights that its job needs.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { exampleDriverArchive } from '../support/csi-example/image.ts';
import { DRIVER, exampleText, NAMESPACE, type Variant } from '../support/csi-example/manifests.ts';
import { describeInWhole } from './extent.ts';
import { busyboxPod, type CommandResult, Mendlet, type ObservedPod, until } from './harness.ts';

describeInWhole('a driver as projects ship theirs', () => {
  let mendlet: Mendlet;
  let variant: Variant;

  beforeAll(async () => {
    const archive = await exampleDriverArchive();
    mendlet = new Mendlet({
      podNetwork: 185,
      flags: ['--service-cidr', '10.119.0.0/16', '--image-archive', archive],
    });
    variant = { kubeletDir: join(mendlet.dataDir, 'kubelet'), dataDir: join(mendlet.folder, 'volumes') };
    await mendlet.up(['--kubelet-dir', variant.kubeletDir]);
  });
  afterAll(async () => {
    await mendlet?.down();
  });

  const kubectl = (...args: readonly string[]): Promise<string> => mendlet.kubectl(args);
  const apply = (name: string): Promise<string> =>
    mendlet.kubectl(['apply', '--server-side', '-f', '-'], exampleText(name, variant));
  const remove = (name: string): Promise<string> =>
    mendlet.kubectl(['delete', '--timeout=300s', '-f', '-'], exampleText(name, variant));
  const ready = (pod: string): Promise<string> =>
    kubectl('wait', '--for=condition=Ready', `pod/${pod}`, '--timeout=300s');
  const log = async (container: string): Promise<CommandResult> =>
    mendlet.tryKubectl(['-n', NAMESPACE, 'logs', 'deploy/controller', '-c', container]);

  const stored = (kind: 'volumes' | 'snapshots'): readonly string[] => {
    const folder = join(variant.dataDir, kind);
    return existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.json')) : [];
  };
  const mounts = (): readonly string[] =>
    readFileSync('/proc/self/mountinfo', 'utf8')
      .split('\n')
      .map((line) => line.split(' ')[4] ?? '')
      .filter((point) => point.startsWith(`${variant.kubeletDir}/`));
  const read = (what: string, path: string): Promise<string> => kubectl('get', what, '-o', `jsonpath={${path}}`);

  async function untilGone(): Promise<void> {
    await until('nothing left', async () => {
      const left = [
        await kubectl('get', 'pv,volumeattachments', '-o', 'name'),
        ...stored('volumes'),
        ...mounts(),
        ...readdirSync(join(variant.kubeletDir, 'pods')),
      ].filter(Boolean);
      if (left.length === 0) return { value: true };
      return { last: `${left.join('\n')}\n${(await log('csi-provisioner')).stdout.slice(-2000)}` };
    });
  }

  it('goes in with one command, registers itself, and is alive', async () => {
    await apply('driver');
    await kubectl('-n', NAMESPACE, 'rollout', 'status', 'daemonset/node', '--timeout=300s');
    await kubectl('-n', NAMESPACE, 'rollout', 'status', 'deployment/controller', '--timeout=300s');
    await expect.poll(() => read('csinode/e2e', '.spec.drivers[*].name'), { timeout: 120_000 }).toBe(DRIVER);
    expect(await read('csinode/e2e', '.spec.drivers[0].nodeID')).toBe('e2e');
    const holder = ['-n', NAMESPACE, 'get', 'leases', '-o', 'jsonpath={.items[*].metadata.name}'] as const;
    await expect
      .poll(async () => (await kubectl(...holder)).split(' ').toSorted(), { timeout: 120_000 })
      .toEqual([
        'example-csi-mendlet-dev',
        'external-attacher-leader-example-csi-mendlet-dev',
        'external-resizer-example-csi-mendlet-dev',
        'external-snapshotter-leader-example-csi-mendlet-dev',
      ]);
  });

  it('serves claims by class, block devices, and volumes that live as long as their pods', async () => {
    await apply('pods');
    await Promise.all(['notes', 'raw', 'scratch'].map(ready));
    expect(await kubectl('exec', 'notes', '--', 'stat', '-f', '-c', '%T', '/data')).toContain('ext');
    expect((await kubectl('exec', 'notes', '--', 'stat', '-c', '%g', '/data')).trim()).toBe('2000');
    await expect.poll(() => kubectl('exec', 'raw', '--', 'head', '-c', '3', '/dev/disk')).toBe('raw');
    expect(await kubectl('exec', 'scratch', '--', 'ls', '/inline/it', '/own/it')).toBe('/inline/it\n/own/it\n');
    expect(await read('pvc/scratch-own', '.metadata.ownerReferences[0].name')).toBe('scratch');
    const volume = await read('pvc/notes', '.spec.volumeName');
    expect(await read(`pv/${volume}`, '.metadata.finalizers')).toContain('external-provisioner.volume.kubernetes.io');
    expect(await kubectl('events', '--for', 'pvc/notes')).toMatch(/ProvisioningSucceeded/);
  });

  it('keeps data over restarts of container and pod', async () => {
    const starts = async (): Promise<number> =>
      (await kubectl('exec', 'notes', '--', 'cat', '/data/starts')).trim().split('\n').length;
    await expect.poll(starts).toBe(1);
    // The command may end with the container that it ends.
    await mendlet.tryKubectl(['exec', 'notes', '--', 'kill', '1']);
    await mendlet.untilPod('notes', 'started again', (pod) => restartsOf(pod) === 1 && isReady(pod));
    await expect.poll(starts).toBe(2);
    await kubectl('delete', 'pod', 'notes');
    await apply('pods');
    await ready('notes');
    await expect.poll(starts).toBe(3);
  });

  it('goes on when the driver is rolled out under running pods', async () => {
    const before = await mendlet.pod('notes');
    const uid = (): Promise<string> =>
      kubectl('-n', NAMESPACE, 'get', 'pods', '-l', 'app=csi-example-node', '-o', 'jsonpath={.items[*].metadata.uid}');
    const old = await uid();
    await kubectl('-n', NAMESPACE, 'rollout', 'restart', 'daemonset/node');
    await kubectl('-n', NAMESPACE, 'rollout', 'status', 'daemonset/node', '--timeout=300s');
    expect(await uid()).not.toBe(old);
    await expect.poll(() => read('csinode/e2e', '.spec.drivers[*].name'), { timeout: 120_000 }).toBe(DRIVER);
    const after = await mendlet.pod('notes');
    expect(after.status.containerStatuses?.[0]?.containerID).toBe(before.status.containerStatuses?.[0]?.containerID);
    await kubectl('exec', 'notes', '--', 'sh', '-c', 'echo after >/data/after && sync');
    // The new driver unmounts what the old one mounted, and mounts it again.
    await kubectl('delete', 'pod', 'notes');
    await apply('pods');
    await ready('notes');
    expect(await kubectl('exec', 'notes', '--', 'cat', '/data/after')).toBe('after\n');
  });

  it('grows a claim under its running pod', async () => {
    // ext4 grows while it is mounted only for who has CAP_SYS_RESOURCE, which not every machine gives its root.
    const parameters = { kind: 'disk', 'csi.storage.k8s.io/fstype': 'xfs' };
    const size = (Mi: number): object => ({ resources: { requests: { storage: `${Mi}Mi` } } });
    await mendlet.create(
      {
        apiVersion: 'storage.k8s.io/v1',
        kind: 'StorageClass',
        metadata: { name: 'csi-xfs' },
        provisioner: DRIVER,
        parameters,
        volumeBindingMode: 'WaitForFirstConsumer',
        allowVolumeExpansion: true,
      },
      {
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        metadata: { name: 'grows' },
        spec: { storageClassName: 'csi-xfs', accessModes: ['ReadWriteOnce'], ...size(320) },
      },
      busyboxPod('grows', 'echo kept >/data/it; sleep 36000', {
        spec: {
          terminationGracePeriodSeconds: 0,
          volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'grows' } }],
        },
        container: { volumeMounts: [{ name: 'data', mountPath: '/data' }] },
      }),
    );
    await ready('grows');
    const room = async (): Promise<number> =>
      Number((await kubectl('exec', 'grows', '--', 'stat', '-f', '-c', '%b', '/data')).trim()) * 4096;
    const before = await room();
    const { metadata } = await mendlet.pod('grows');
    await kubectl('patch', 'pvc', 'grows', '-p', JSON.stringify({ spec: size(640) }));
    await kubectl('wait', '--for=jsonpath={.status.capacity.storage}=640Mi', 'pvc/grows', '--timeout=300s');
    expect(await room()).toBeGreaterThan(before + 200 * 2 ** 20);
    expect(await read('pvc/grows', '.status.conditions')).toBe('');
    expect(await read('pvc/grows', '.status.allocatedResourceStatuses')).toBe('');
    expect((await mendlet.pod('grows')).metadata.uid).toBe(metadata.uid);
    expect(await kubectl('exec', 'grows', '--', 'cat', '/data/it')).toBe('kept\n');
    expect(await kubectl('events', '--for', 'pvc/grows')).toMatch(/FileSystemResizeRequired/);
    await kubectl('delete', 'pod/grows', 'pvc/grows', 'sc/csi-xfs');
  });

  it('takes a snapshot by definitions, and makes a claim of it', async () => {
    await apply('snapshots');
    await kubectl('wait', '--for=condition=Established', 'crd/volumesnapshots.snapshot.storage.k8s.io');
    await kubectl('exec', 'notes', '--', 'sync');
    await apply('restore');
    await kubectl('wait', '--for=jsonpath={.status.readyToUse}=true', 'volumesnapshot/notes', '--timeout=300s');
    await ready('restored');
    expect(await kubectl('exec', 'restored', '--', 'cat', '/data/after')).toBe('after\n');
    await kubectl('exec', 'restored', '--', 'rm', '/data/after');
    expect(await kubectl('exec', 'notes', '--', 'cat', '/data/after')).toBe('after\n');
    await remove('restore');
    await expect.poll(() => stored('snapshots'), { timeout: 120_000 }).toEqual([]);
  });

  it('has given its sidecars all rights that they need', async () => {
    for (const container of ['csi-provisioner', 'csi-attacher', 'csi-resizer', 'csi-snapshotter']) {
      const { stdout } = await log(container);
      // Before the definitions of snapshots are there, their lists are not.
      expect(stdout, container).not.toMatch(/forbidden|cannot (get|list|watch|create|update|patch|delete)/i);
    }
  });

  it('leaves nothing behind', async () => {
    await remove('pods');
    await untilGone();
    await remove('snapshots');
    await remove('driver');
    await expect.poll(() => read('csinode/e2e', '.spec.drivers[*].name'), { timeout: 120_000 }).toBe('');
    await expect.poll(() => kubectl('get', 'pods', '-A', '-o', 'name'), { timeout: 120_000 }).toBe('');
  });
});

const restartsOf = (pod: ObservedPod): number => pod.status.containerStatuses?.[0]?.restartCount ?? 0;
const isReady = (pod: ObservedPod): boolean => pod.status.containerStatuses?.[0]?.ready === true;
