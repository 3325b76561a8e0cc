import { chown, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getegid, getuid } from 'node:process';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createInMemoryApi, type InMemoryApi } from '../../../test/support/in-memory-api.ts';
import {
  LOCAL_PROVISIONER,
  PERSISTENT_VOLUME_CLAIMS,
  PERSISTENT_VOLUMES,
  type PersistentVolumeClaim,
  type PersistentVolumeSpec,
  type Pod,
  PROVISIONED_BY,
} from '../../api/index.ts';
import type { KubeClient } from '../../client/index.ts';
import { ConnectionError, encodeText, type FileSystem, type Process, silentLogger } from '../../lib/index.ts';
import { systemFileSystem } from '../../lib/file-system.node.ts';
import { Publications } from './publications.ts';
import { type ClaimOptions, setUpClaim } from './claimed-volume.ts';
import { LocalVolumes } from '../local-volumes/local-volumes.ts';
import { Mounter } from './mounter.ts';
import { volumeDir } from './volume-paths.ts';

let root = '';
let api: InMemoryApi;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'mendlet-claims-'));
  api = await createInMemoryApi();
});
afterEach(() => rm(root, { recursive: true, force: true }));

const POD: Pod = { metadata: { name: 'p', namespace: 'default', uid: 'u' }, spec: { containers: [] } };
const NODE_AFFINITY = {
  required: { nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['n'] }] }] },
};

/** A machine with `helpers`; its mount table is a list. */
function optionsOf(client: KubeClient, { helpers = [] as readonly string[] } = {}): ClaimOptions {
  const mountTable = (): string => mounts.map((point) => `1 2 0:3 / ${point} rw - x x rw\n`).join('');
  const fs: FileSystem = {
    ...systemFileSystem,
    stat: async (path, options) => {
      if (path.includes('mount.nfs')) return helpers.includes(path) ? systemFileSystem.stat('/') : undefined;
      return await systemFileSystem.stat(path, options);
    },
    readFile: async (path, options) =>
      path === '/proc/self/mountinfo' ? encodeText(mountTable()) : systemFileSystem.readFile(path, options),
  };
  const process: Process = {
    run: async (program, args) => {
      commands.push([program, ...args].join(' '));
      mounts.push(args.at(-1) ?? '');
      return { code: 0, stdout: '', stderr: '' };
    },
  };
  const publications = new Publications(fs, root);
  const mounter = new Mounter({ fs, process, clock: api.clock });
  const localVolumes = new LocalVolumes(
    { fs, logger: silentLogger },
    { dir: join(root, 'volumes'), rootDir: root, instanceId: 'me', lifeId: 'life' },
    {
      keepsFree: () => 0,
      mountedUnder: (path) => mounter.mountedUnder(path),
      whileUnpublished: (name, path, work) => publications.whileUnpublished(name, path, work),
    },
  );
  return {
    client,
    fs,
    publications,
    mounter,
    localVolumes,
    rootDir: root,
    events: { pod: (_, type, reason, message) => void events.push(`${type} ${reason} ${message}`) },
  };
}

let mounts: string[] = [];
let commands: string[] = [];
let events: string[] = [];
beforeEach(() => {
  mounts = [];
  commands = [];
  events = [];
});

function setUp(
  client: KubeClient = api.client,
  pod: Pod = POD,
  options = optionsOf(client),
): Promise<{ path: string; problem?: string }> {
  const uid = pod.metadata?.uid ?? '';
  const dir = volumeDir(root, uid, 'local-volume', 'data');
  return setUpClaim(options, pod, { claimName: 'c', volumeName: 'data' }, dir);
}

/** Both sides of a binding, as the binder leaves them. */
async function bound(source: Partial<PersistentVolumeSpec>, claimUid?: string): Promise<void> {
  const asked = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, volumeName: 'v' };
  const claim: PersistentVolumeClaim = {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { namespace: 'default', name: 'c' },
    spec: asked,
  };
  const { metadata } = await api.client.create(PERSISTENT_VOLUME_CLAIMS, claim);
  const claimRef = { namespace: 'default', name: 'c', uid: claimUid ?? metadata?.uid ?? '' };
  await api.client.create(PERSISTENT_VOLUMES, {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name: 'v' },
    spec: { accessModes: ['ReadWriteOnce'], capacity: { storage: '1Gi' }, claimRef, ...source },
  });
  await phase('Bound');
}

async function phase(wanted: string): Promise<void> {
  await api.client.patch(PERSISTENT_VOLUME_CLAIMS, 'default', 'c', 'merge', { status: { phase: wanted } }, 'status');
}

describe('a claim', () => {
  it('stands for the folder of its volume', async () => {
    await bound({ hostPath: { path: root } });
    expect(await setUp()).toEqual({ path: root });
  });

  it('that is bound is so before its phase says it, and a lost one is not', async () => {
    await bound({ hostPath: { path: root } });
    const annotations = { 'pv.kubernetes.io/bind-completed': 'yes' };
    await api.client.patch(PERSISTENT_VOLUME_CLAIMS, 'default', 'c', 'merge', { metadata: { annotations } });
    await phase('Pending');
    expect(await setUp()).toEqual({ path: root });
    await phase('Lost');
    await expect(setUp()).rejects.toThrow('PVC is not bound');
  });

  it('of a local volume has a path from the root, not from where the agent was started', async () => {
    await bound({ local: { path: 'etc' }, nodeAffinity: NODE_AFFINITY });
    await expect(setUp()).rejects.toThrow('path "etc" of the local volume "v" must be absolute');
  });

  it('of a local volume, too, which must be there', async () => {
    await bound({ local: { path: join(root, 'disk') }, nodeAffinity: NODE_AFFINITY });
    await expect(setUp()).rejects.toThrow(`path "${root}/disk" does not exist`);
    await writeFile(join(root, 'disk'), '');
    await expect(setUp()).rejects.toThrow('of the local volume "v" is not a directory');
    await rm(join(root, 'disk'));
    await systemFileSystem.mkdir(join(root, 'disk'), { mode: 0o700 });
    const fsGroup = getegid?.() ?? 0;
    const grouped = { ...POD, spec: { containers: [], securityContext: { fsGroup } } };
    expect(await setUp(api.client, grouped)).toEqual({ path: join(root, 'disk') });
    expect((await stat(join(root, 'disk'))).mode & 0o7777).toBe(0o2770);
  });

  it.each<[string, () => Promise<void>, string]>([
    ['that is not there', async () => {}, 'failed to fetch PVC from API server: persistentvolumeclaims "c" not found'],
    [
      'that waits',
      async () => {
        await bound({ hostPath: { path: root } });
        await phase('Pending');
      },
      'error processing PVC default/c: PVC is not bound',
    ],
    [
      'whose volume is another’s',
      () => bound({ hostPath: { path: root } }, 'another'),
      'error processing PVC default/c: PV v is not bound to this claim',
    ],
    [
      'of a kind that a driver serves',
      () => bound({ awsElasticBlockStore: { volumeID: 'vol-1' } }),
      'no volume plugin matched: this node mounts no awsElasticBlockStore volumes; its CSI driver ebs.csi.aws.com serves them',
    ],
    ['of NFS on a machine without it', () => bound({ nfs: { server: 's', path: '/' } }), 'it has no mount.nfs'],
  ])('%s is not mounted', async (_, prepare, message) => {
    await prepare();
    await expect(setUp()).rejects.toThrow(message);
  });

  it('that is being deleted goes to no new pod, and stays with the one that has it, whose agent is restarted', async () => {
    await bound({ hostPath: { path: root } });
    await setUp();
    const metadata = { finalizers: ['kubernetes.io/pvc-protection'] };
    await api.client.patch(PERSISTENT_VOLUME_CLAIMS, 'default', 'c', 'merge', { metadata });
    await api.client.delete(PERSISTENT_VOLUME_CLAIMS, 'default', 'c');
    expect(await setUp()).toEqual({ path: root });
    const other: Pod = { ...POD, metadata: { ...POD.metadata, uid: 'other' } };
    await expect(setUp(api.client, other)).rejects.toThrow('error processing PVC default/c: PVC is being deleted');
  });

  it('is remembered while the API server is away', async () => {
    await bound({ hostPath: { path: root } });
    const away = {
      ...api.client,
      get: () => Promise.reject(new ConnectionError('connection refused')),
    } as KubeClient;
    await expect(setUp(away)).rejects.toThrow('connection refused');
    await setUp();
    expect(await setUp(away)).toEqual({ path: root, problem: 'connection refused' });
  });
});

describe('an NFS volume', () => {
  it('is mounted by the machine’s own program, once, with what its volume asks for', async () => {
    const options = optionsOf(api.client, { helpers: ['/sbin/mount.nfs'] });
    await bound({ nfs: { server: 'fd00::1', path: '/export', readOnly: true }, mountOptions: ['nfsvers=4.1', 'hard'] });
    const path = volumeDir(root, 'u', 'nfs', 'data');
    expect(await setUp(api.client, POD, options)).toEqual({ path });
    expect(await setUp(api.client, POD, options)).toEqual({ path });
    expect(commands).toEqual([`mount -t nfs -o hard,nfsvers=4.1,ro -- [fd00::1]:/export ${path}`]);
  });

  it('is remembered while the API server is away only as long as it is mounted', async () => {
    const helpers = ['/sbin/mount.nfs'];
    await bound({ nfs: { server: 's', path: '/export' } });
    const { path } = await setUp(api.client, POD, optionsOf(api.client, { helpers }));
    const away = { ...api.client, get: () => Promise.reject(new ConnectionError('connection refused')) } as KubeClient;
    const options = optionsOf(away, { helpers });
    expect(await setUp(away, POD, options)).toEqual({ path, problem: 'connection refused' });
    // After a boot, what the pod would write there would be on this machine's own disk.
    mounts = [];
    await expect(setUp(away, POD, options)).rejects.toThrow('connection refused');
  });
});

describe('a volume that this node made', () => {
  const own = (name: string): Partial<PersistentVolumeSpec> => ({
    local: { path: join(root, 'volumes', name, 'data') },
    nodeAffinity: NODE_AFFINITY,
  });
  const mark = (): Promise<unknown> =>
    api.client.patch(PERSISTENT_VOLUMES, undefined, 'v', 'merge', {
      metadata: { annotations: { [PROVISIONED_BY]: LOCAL_PROVISIONER } },
    });
  const made = async (options: ClaimOptions): Promise<void> => {
    await (options.localVolumes as LocalVolumes).make('v', { handle: 'h', capacityBytes: 1 });
    await bound(own('v'));
    await mark();
  };

  it('counts as used as soon as a pod gets it, and is not removed while the pod’s folder is there', async () => {
    const options = optionsOf(api.client);
    await made(options);
    const volumes = options.localVolumes as LocalVolumes;
    expect((await volumes.list()).items).toMatchObject([{ name: 'v', state: 'ready', wasUsed: false }]);
    await setUp(api.client, POD, options);
    expect((await volumes.list()).items).toMatchObject([{ name: 'v', state: 'ready', wasUsed: true }]);
    await expect(volumes.remove('v', 'h')).rejects.toMatchObject({ reason: 'VolumeInUse' });
    await rm(join(root, 'pods'), { recursive: true });
    await volumes.remove('v', 'h');
    expect((await volumes.list()).items).toEqual([]);
  });

  it.each(['/', '/etc', 'etc', '/volumes/v/data'])(
    'that names %s instead of its folder is not given to a pod',
    async (path) => {
      const options = optionsOf(api.client);
      await (options.localVolumes as LocalVolumes).make('v', { handle: 'h', capacityBytes: 1 });
      await bound({ local: { path }, nodeAffinity: NODE_AFFINITY });
      await mark();
      const why = `volume v is lost: this node has it at ${root}/volumes/v/data, not at ${path}`;
      await expect(setUp(api.client, POD, options)).rejects.toThrow(why);
      expect((await (options.localVolumes as LocalVolumes).list()).items).toMatchObject([
        { name: 'v', wasUsed: false },
      ]);
    },
  );

  it('that is not there any more is not made anew', async () => {
    const options = optionsOf(api.client);
    await made(options);
    await rm(join(root, 'volumes/v'), { recursive: true });
    const lost = `volume v is lost: its folder ${root}/volumes/v/data is not there any more`;
    await expect(setUp(api.client, POD, options)).rejects.toMatchObject({ eventReason: 'VolumeLost', message: lost });
  });

  it('is lost for a restarted agent, too, while the API server is away', async () => {
    const options = optionsOf(api.client);
    await made(options);
    await setUp(api.client, POD, options);
    const away = { ...api.client, get: () => Promise.reject(new ConnectionError('connection refused')) } as KubeClient;
    expect(await setUp(away)).toEqual({ path: `${root}/volumes/v/data`, problem: 'connection refused' });
    await rm(join(root, 'volumes/v'), { recursive: true });
    await expect(setUp(away)).rejects.toMatchObject({ eventReason: 'VolumeLost' });
  });

  const withUid = (uid: string, fsGroup?: number): Pod => ({
    metadata: { ...POD.metadata, uid },
    spec: { containers: [], ...(fsGroup !== undefined && { securityContext: { fsGroup } }) },
  });

  it('of mode ReadWriteOncePod has one pod at a time', async () => {
    const options = optionsOf(api.client);
    await made(options);
    await api.client.patch(PERSISTENT_VOLUMES, undefined, 'v', 'merge', {
      spec: { accessModes: ['ReadWriteOncePod'] },
    });
    await setUp(api.client, withUid('a'), options);
    await expect(setUp(api.client, withUid('b'), options)).rejects.toThrow(
      'volume uses the ReadWriteOncePod access mode and is already in use by another pod',
    );
    await setUp(api.client, withUid('a'), options);
    await rm(join(root, 'pods/a'), { recursive: true });
    await setUp(api.client, withUid('b'), options);
  });

  it.skipIf(getuid?.() !== 0)('belongs with all its files to the group of its first pod', async () => {
    const options = optionsOf(api.client);
    await made(options);
    const file = join(root, 'volumes/v/data/file');
    await writeFile(file, '', { mode: 0o600 });
    await setUp(api.client, withUid('a', 4711), options);
    expect(await stat(file)).toMatchObject({ gid: 4711, mode: 0o100660 });
    await writeFile(file, '');
    await chown(file, 5, 5);
    // A restarted agent leaves the files of a pod that runs alone.
    await setUp(api.client, withUid('a', 4711), options);
    expect(await stat(file)).toMatchObject({ gid: 5 });
    await setUp(api.client, withUid('b', 4712), options);
    const path = join(root, 'volumes/v/data');
    expect(events).toEqual([
      `Warning AlreadyMountedVolume The requested fsGroup is 4712, but the volume ${path} has GID 4711. The volume may not be shareable.`,
    ]);
    await rm(join(root, 'pods'), { recursive: true });
    const onMismatch: Pod = {
      ...POD,
      spec: { containers: [], securityContext: { fsGroup: 4711, fsGroupChangePolicy: 'OnRootMismatch' } },
    };
    await setUp(api.client, onMismatch, options);
    expect(await stat(file)).toMatchObject({ gid: 5 });
    await rm(join(root, 'pods'), { recursive: true });
    await setUp(api.client, withUid('c', 4711), options);
    expect(await stat(file)).toMatchObject({ gid: 4711 });
  });
});
