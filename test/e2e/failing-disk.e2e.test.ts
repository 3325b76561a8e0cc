/**
 * Tests a disk of volumes whose blocks fail: a loop device that ends before its file system does, so that the kernel itself
 * answers with I/O errors.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { busyboxPod, mainContainer, Mendlet, type ObservedPod, root, run, until } from './harness.ts';

const MEBIBYTE = 1024 * 1024;

interface Conditioned {
  readonly metadata: { readonly name: string };
  readonly status?: {
    readonly conditions?: readonly {
      readonly type: string;
      readonly status: string;
      readonly reason?: string;
      readonly message?: string;
    }[];
  };
}

const disk = join(process.env['TMPDIR'] ?? '/tmp', `mendlet-e2e-failing-${process.pid}`);
const blocks = join(disk, 'blocks');
const mounted = join(disk, 'mounted');
const mendlet = new Mendlet({
  podNetwork: 237,
  flags: ['--service-cidr', '10.106.0.0/16', '--volumes-dir', join(mounted, 'volumes')],
});
let device = '';

function command(program: string, ...args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8' });
  expect([program, status, stderr]).toEqual([program, 0, '']);
  return stdout.trim();
}

beforeAll(async () => {
  mkdirSync(mounted, { recursive: true });
  writeFileSync(blocks, '');
  truncateSync(blocks, 128 * MEBIBYTE);
  // With a journal the kernel may make the file system read-only before mendlet has seen an error.
  command('mkfs.ext4', '-q', '-F', '-O', '^has_journal', blocks);
  device = command('losetup', '-f', '--show', blocks);
  command('mount', device, mounted);
  await mendlet.up();
});
/** Nothing can be removed from it while it fails. */
function unmount(): void {
  spawnSync('umount', ['-l', mounted]);
  if (device !== '') spawnSync('losetup', ['-d', device]);
  device = '';
}

afterAll(async () => {
  unmount();
  try {
    await mendlet.down();
  } finally {
    rmSync(disk, { recursive: true, force: true });
  }
});

const isReady = (pod: ObservedPod): boolean => mainContainer(pod)?.ready === true;

const untilCondition = (what: string, type: string, status: string, reason: string): Promise<string> =>
  until<string>(`${type} ${status} ${reason} of ${what}`, async () => {
    const { items } = await mendlet.read<{ readonly items: readonly Conditioned[] }>(what, {});
    const found = items[0]?.status?.conditions?.find((each) => each.type === type);
    const isIt = found?.status === status && found.reason === reason;
    return isIt ? { value: found.message ?? '' } : { last: JSON.stringify(items[0]?.status?.conditions) };
  });

it('says of node and claim that the disk fails, and other pods go on', async () => {
  const claim = {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: 'data' },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '16Mi' } } },
  };
  const writes = 'while :; do echo x >>/data/lines; sync; sleep 1; done';
  const user = busyboxPod('user', writes, {
    spec: {
      terminationGracePeriodSeconds: 0,
      volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }],
    },
    container: { volumeMounts: [{ name: 'data', mountPath: '/data' }] },
  });
  await mendlet.create(claim, user, busyboxPod('other', 'exec sleep 36000', {}));
  await mendlet.untilPod('user', 'ready', isReady);
  const before = await mendlet.untilPod('other', 'ready', isReady);
  await untilCondition('nodes', 'VolumeDiskProblem', 'False', 'VolumeDiskWorks');

  const begun = Date.now();
  truncateSync(blocks, MEBIBYTE);
  command('losetup', '-c', device);
  const message = await untilCondition('nodes', 'VolumeDiskProblem', 'True', 'VolumeDiskFailing');
  expect(message).toContain('EIO');
  const ofClaim = await untilCondition('pvc', 'mendlet.dev/VolumeProblem', 'True', 'VolumeDiskFailing');
  console.log(`a failing disk was said after ${Date.now() - begun} ms`);
  expect(ofClaim).toContain('EIO');
  const events = await mendlet.kubectl(['events', '--for', 'pvc/data']);
  expect(events).toMatch(/Warning +VolumeDiskFailing/);
  const why = await run(process.execPath, [
    join(root, 'dist/mendlet.js'),
    'why',
    'pvc/data',
    '--kubeconfig',
    mendlet.kubeconfig,
  ]);
  expect(why.stdout).toContain('the disk of the volume of claim data does not work');

  // The rest of the node works: a pod without volumes starts, and the one that was there runs on.
  await mendlet.create(busyboxPod('new', 'exec sleep 36000', {}));
  await mendlet.untilPod('new', 'ready', isReady);
  const after = await mendlet.untilPod('other', 'ready', isReady);
  expect(mainContainer(after)?.containerID).toBe(mainContainer(before)?.containerID);
  await untilCondition('nodes', 'Ready', 'True', 'KubeletReady');
});

it('says at down --purge that the disk refuses, and removes all else once it is unmounted', async () => {
  await mendlet.end('SIGTERM');
  // Without its last blocks the file system cannot be mounted anew, not even read-only.
  truncateSync(blocks, 128 * MEBIBYTE);
  command('losetup', '-c', device);
  command('mount', '-o', 'remount,ro', mounted);
  const refused = await mendlet.tryPurge();
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('cannot be removed: ')]);
  expect(refused.stderr).toContain('umount -l');
  expect(existsSync(mendlet.dataDir)).toBe(true);

  unmount();
  const removed = await mendlet.tryPurge();
  expect([removed.code, removed.stderr]).toEqual([0, expect.stringContaining('data of 1 claim may be on a disk')]);
  expect(existsSync(mendlet.dataDir)).toBe(false);
});
