import { chmod, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getuid } from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createInMemoryApi, type InMemoryApi } from '../../../test/support/in-memory-api.ts';
import { CONFIG_MAPS, type ConfigMap, type Pod, SECRETS, type Volume } from '../../api/index.ts';
import {
  createMetrics,
  encodeText,
  FileError,
  type FileSystem,
  type Process,
  seededRandom,
  silentLogger,
} from '../../lib/index.ts';
import { systemFileSystem } from '../../lib/file-system.node.ts';
import { createConfigCache } from '../env/config-cache.ts';
import type { ImageFact, VolumeManager } from '../types.ts';
import { imageVolumeProblem } from './image-volume.ts';
import { Publications } from './publications.ts';
import { createVolumeManager } from './volume-manager.ts';

let root = '';
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'mendlet-volumes-'));
});
afterEach(() => rm(root, { recursive: true, force: true }));

/** The disk is real and takes real time; the clock is not and stands still. */
async function until(condition: () => boolean | Promise<boolean>, what: string): Promise<void> {
  for (let turn = 0; turn < 5000; turn += 1) {
    if (await condition()) return;
    await sleep(1);
  }
  throw new Error(`never came: ${what}`);
}

/** An image manager that knows one image. */
function images(reference: string): ImageFact {
  if (reference === 'there') return { state: 'present', imageId: 'sha256:1' };
  return { state: 'failed', reason: 'ErrImagePull', message: 'no such image', retryAt: 0 };
}

interface World {
  readonly api: InMemoryApi;
  readonly manager: VolumeManager;
  readonly mounts: string[];
  readonly commands: string[];
  readonly events: string[];
  readonly dirty: string[];
  umountFails: boolean;
  mountHangs: boolean;
  /** Set-ups that ended so far, by their status. */
  tries(status: string): number;
}

/** The machine's mount table as a list; everything else on the real disk. */
async function world(): Promise<World> {
  const api = await createInMemoryApi();
  const registry = createMetrics();
  const { mounts, commands, events, dirty } = {
    mounts: [] as string[],
    commands: [] as string[],
    events: [] as string[],
    dirty: [] as string[],
  };
  const fs: FileSystem = {
    ...systemFileSystem,
    stat: (path, options) => (path.startsWith('/dead/') ? new Promise(() => {}) : systemFileSystem.stat(path, options)),
    readFile: async (path, options) => {
      if (path === '/proc/sys/kernel/osrelease') throw new FileError('ENOENT', path, 'an old kernel');
      return path === '/proc/self/mountinfo'
        ? encodeText(
            mounts.map((point) => `1 2 0:3 / ${point.replaceAll(' ', '\\040')} rw - tmpfs tmpfs rw\n`).join(''),
          )
        : systemFileSystem.readFile(path, options);
    },
  };
  const process: Process = {
    run: async (program, args) => {
      commands.push([program, ...args].join(' '));
      const point = args.at(-1) as string;
      while (result.mountHangs) await sleep(1);
      if (program === 'mount') mounts.push(point);
      else if (result.umountFails) return { code: 32, stdout: '', stderr: `umount: ${point}: target is busy.\n` };
      else mounts.splice(mounts.lastIndexOf(point), 1);
      return { code: 0, stdout: '', stderr: '' };
    },
  };
  const result: World = {
    api,
    mounts,
    commands,
    events,
    dirty,
    umountFails: false,
    mountHangs: false,
    tries: (status) => {
      const lines = registry.text().split('\n');
      const counts = lines.filter((line) => line.startsWith('storage_operation_duration_seconds_count'));
      const mine = counts.filter((line) => line.includes('volume_mount') && line.includes(`status="${status}"`));
      return mine.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
    },
    manager: createVolumeManager(
      {
        clock: api.clock,
        random: seededRandom(1),
        logger: silentLogger,
        metrics: registry,
        fs,
        process,
        client: api.client,
      },
      {
        nodeName: 'n',
        nodeResources: () => ({ cpuCores: 2, memoryBytes: 8 * 1024 ** 3 }),
        rootDir: root,
      },
      {
        config: createConfigCache({
          clock: api.clock,
          random: seededRandom(2),
          logger: silentLogger,
          client: api.client,
        }),
        events: {
          pod: (_, type, reason, message) => events.push(`${type} ${reason} ${message}`),
          node: () => {},
          claim: () => {},
        },
        markDirty: (uid, cause) => dirty.push(`${uid} ${cause}`),
        images: { volumeImage: async (_, { reference = '' }) => images(reference) },
        publications: new Publications(fs, root),
        imageVolumeProblem: (subPath) =>
          imageVolumeProblem({ runtimeName: 'containerd', runtimeVersion: '2.1.9' }, subPath),
      },
    ),
  };
  return result;
}

function pod(volumes: Volume[], uid = 'uid-1'): Pod {
  return {
    metadata: { name: 'p', namespace: 'default', uid, labels: { app: 'x' } },
    spec: {
      containers: [{ name: 'app', image: 'i', resources: { limits: { cpu: '1500m', memory: '64Mi' } } }],
      volumes,
    },
  };
}

const dirOf = (plugin: string, name: string, uid = 'uid-1'): string =>
  join(root, 'pods', uid, 'volumes', `kubernetes.io~${plugin}`, name);
const ready = (w: World, uid = 'uid-1'): Promise<void> =>
  until(() => w.manager.fact(uid)?.state === 'ready', 'ready volumes');
const failed = (w: World): Promise<void> => until(() => w.manager.fact('uid-1')?.state === 'failed', 'failed volumes');

const secret = {
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 's', namespace: 'default' },
  data: { key: Buffer.from('hidden').toString('base64') },
};

async function configMap(w: World, data: Record<string, string>): Promise<void> {
  const object: ConfigMap = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'cm', namespace: 'default' },
    data,
  };
  await w.api.client.create(CONFIG_MAPS, object);
}

describe('emptyDir', () => {
  it('is a folder for all, in upstream’s place, and keeps what is in it', async () => {
    const w = await world();
    w.manager.prepare(pod([{ name: 'data', emptyDir: {} }]));
    await ready(w);
    const dir = dirOf('empty-dir', 'data');
    expect(w.manager.fact('uid-1')).toEqual({ state: 'ready', paths: { data: dir } });
    expect((await stat(dir)).mode & 0o777).toBe(0o777);
    expect(w.dirty).toEqual(['uid-1 volume']);
    await writeFile(join(dir, 'file'), 'mine');
    const next = await world();
    next.manager.prepare(pod([{ name: 'data', emptyDir: {} }]));
    await ready(next);
    expect(await readFile(join(dir, 'file'), 'utf8')).toBe('mine');
  });

  it('keeps the mode that a container gave it, also for the next agent', async () => {
    const spec = pod([{ name: 'data', emptyDir: {} }]);
    const w = await world();
    w.manager.prepare(spec);
    await ready(w);
    await chmod(dirOf('empty-dir', 'data'), 0o700);
    const next = await world();
    next.manager.prepare(spec);
    await ready(next);
    expect((await stat(dirOf('empty-dir', 'data'))).mode & 0o7777).toBe(0o700);
  });

  it.runIf(getuid?.() === 0)('belongs to the fsGroup, and so does what is made in it', async () => {
    const w = await world();
    const spec = pod([
      { name: 'data', emptyDir: {} },
      { name: 'shm', emptyDir: { medium: 'Memory', sizeLimit: '1Mi' } },
    ]);
    w.manager.prepare({ ...spec, spec: { ...spec.spec!, securityContext: { fsGroup: 2000 } } });
    await ready(w);
    expect(await stat(dirOf('empty-dir', 'data'))).toMatchObject({ uid: 0, gid: 2000, mode: 0o42777 });
    expect(w.commands).toEqual([
      `mount -t tmpfs -o size=1048576,mode=3777,gid=2000 tmpfs ${dirOf('empty-dir', 'shm')}`,
    ]);
  });

  it('in memory is a tmpfs of the smaller size, mounted once', async () => {
    const w = await world();
    const spec = pod([{ name: 'shm', emptyDir: { medium: 'Memory', sizeLimit: '1Gi' } }]);
    w.manager.prepare(spec);
    w.manager.prepare(spec);
    await ready(w);
    const dir = dirOf('empty-dir', 'shm');
    expect(w.commands).toEqual([`mount -t tmpfs -o size=${64 * 1024 ** 2} tmpfs ${dir}`]);
    await w.manager.tearDown('uid-1');
    expect(w.commands.at(-1)).toBe(`umount ${dir}`);
    expect(await w.manager.onDisk()).toEqual([]);
  });
});

describe('a restart of the whole pod', () => {
  const volumes: Volume[] = [
    { name: 'data', emptyDir: {} },
    { name: 'shm', emptyDir: { medium: 'Memory', sizeLimit: '1Mi' } },
    { name: 'kept', emptyDir: {} },
  ];

  it('empties the emptyDirs that it names, and they are there again', async () => {
    const w = await world();
    w.manager.prepare(pod(volumes));
    await ready(w);
    const file = (name: string) => join(dirOf('empty-dir', name), 'file');
    for (const name of ['data', 'kept']) await writeFile(file(name), 'mine');
    await chmod(dirOf('empty-dir', 'data'), 0o700);
    await w.manager.refresh(pod(volumes), ['data', 'shm', 'unknown']);
    expect(await readFile(file('kept'), 'utf8')).toBe('mine');
    await expect(readFile(file('data'))).rejects.toThrow('ENOENT');
    expect((await stat(dirOf('empty-dir', 'data'))).mode & 0o777).toBe(0o777);
    const shm = dirOf('empty-dir', 'shm');
    const mount = `mount -t tmpfs -o size=1048576 tmpfs ${shm}`;
    expect(w.commands).toEqual([mount, `umount ${shm}`, mount]);
    await w.manager.refresh(pod(volumes), ['*']);
    await expect(readFile(file('kept'))).rejects.toThrow('ENOENT');
  });

  it('removes nothing while something is mounted there', async () => {
    const w = await world();
    w.manager.prepare(pod(volumes));
    await ready(w);
    w.umountFails = true;
    await expect(w.manager.refresh(pod(volumes), ['shm'])).rejects.toThrow(dirOf('empty-dir', 'shm'));
    w.umountFails = false;
    await w.manager.refresh(pod(volumes), ['shm']);
  });

  it('is known to an agent that has not prepared the volumes yet', async () => {
    const w = await world();
    w.manager.prepare(pod(volumes));
    await ready(w);
    await writeFile(join(dirOf('empty-dir', 'data'), 'file'), 'mine');
    const next = await world();
    await next.manager.refresh(pod(volumes), ['data']);
    next.manager.prepare(pod(volumes));
    await ready(next);
    await expect(readFile(join(dirOf('empty-dir', 'data'), 'file'))).rejects.toThrow('ENOENT');
  });
});

describe('hostPath', () => {
  it.each([
    ['DirectoryOrCreate', 'new', ''],
    ['FileOrCreate', 'new-file', ''],
    ['Directory', 'dir', ''],
    ['File', 'file', ''],
    ['', 'whatever', ''],
    ['Directory', 'missing', 'is not a directory'],
    ['Directory', 'file', 'is not a directory'],
    ['DirectoryOrCreate', 'file', 'is not a directory'],
    ['File', 'dir', 'is not a file'],
    ['File', 'missing', 'is not a file'],
    ['Socket', 'file', 'is not a socket file'],
    ['CharDevice', 'file', 'is not a character device'],
    ['BlockDevice', 'missing', 'is not a block device'],
  ])('%s of %s: %s', async (type, name, problem) => {
    const w = await world();
    await systemFileSystem.mkdir(join(root, 'host/dir'));
    await writeFile(join(root, 'host/file'), 'x');
    const path = join(root, 'host', name);
    w.manager.prepare(pod([{ name: 'v', hostPath: { path, type } }]));
    if (problem === '') {
      await ready(w);
      expect(w.manager.fact('uid-1')).toMatchObject({ paths: { v: path } });
      expect((await systemFileSystem.stat(path)) !== undefined).toBe(type !== '');
      return;
    }
    await failed(w);
    expect(w.events[0]).toBe(
      `Warning FailedMount MountVolume.SetUp failed for volume "v" : hostPath type check failed: ${path} ${problem}`,
    );
    await w.manager.tearDown('uid-1');
  });

  it('that is not there yet is looked for again as soon as somebody says so', async () => {
    const w = await world();
    const path = join(root, 'later');
    w.manager.prepare(pod([{ name: 'v', hostPath: { path, type: 'Directory' } }]));
    await failed(w);
    const waits = (): boolean => {
      const fact = w.manager.fact('uid-1');
      return fact?.state === 'failed' && fact.retryAt > w.api.clock.now().mono;
    };
    for (let second = 0; second < 40; second++) {
      await w.api.clock.advance(1000);
      // A try that is due takes real time.
      await expect.poll(waits, { interval: 1 }).toBe(true);
    }
    const tries = w.tries('fail-unknown');
    await systemFileSystem.mkdir(path);
    w.manager.retry('uid-1');
    w.manager.retry('uid-2');
    for (let turn = 0; turn < 1000 && w.manager.fact('uid-1')?.state !== 'ready'; turn++) await sleep(1);
    expect(w.manager.fact('uid-1')?.state).toBe('ready');
    expect(w.tries('fail-unknown')).toBe(tries);
    w.manager.retry('uid-1');
  });

  it('is never removed', async () => {
    const w = await world();
    await systemFileSystem.mkdir(join(root, 'host'));
    await writeFile(join(root, 'host/file'), 'x');
    w.manager.prepare(
      pod([
        { name: 'v', hostPath: { path: join(root, 'host') } },
        { name: 'd', emptyDir: {} },
      ]),
    );
    await ready(w);
    await symlink(join(root, 'host'), join(dirOf('empty-dir', 'd'), 'link'));
    await w.manager.tearDown('uid-1');
    expect(await readFile(join(root, 'host/file'), 'utf8')).toBe('x');
  });
});

describe('ConfigMap, Secret, downward API, projected', () => {
  it('are files', async () => {
    const w = await world();
    await configMap(w, { 'a.conf': 'A', b: 'B' });
    await w.api.client.create(SECRETS, secret);
    w.manager.prepare(
      pod([
        { name: 'cm', configMap: { name: 'cm' } },
        { name: 'picked', configMap: { name: 'cm', items: [{ key: 'b', path: 'sub/x', mode: 0o400 }] } },
        { name: 'secret', secret: { secretName: 's', defaultMode: 0o600 } },
        { name: 'none', secret: { secretName: 'nope', optional: true } },
        {
          name: 'all',
          projected: {
            sources: [
              { configMap: { name: 'cm', items: [{ key: 'b', path: 'b' }] } },
              { secret: { name: 's' } },
              {
                downwardAPI: {
                  items: [
                    { path: 'labels', fieldRef: { fieldPath: 'metadata.labels' } },
                    { path: 'cpu', resourceFieldRef: { containerName: 'app', resource: 'limits.cpu' } },
                  ],
                },
              },
            ],
          },
        },
      ]),
    );
    await ready(w);
    const read = (plugin: string, name: string, file: string): Promise<string> =>
      readFile(join(dirOf(plugin, name), file), 'utf8');
    expect(await read('configmap', 'cm', 'a.conf')).toBe('A');
    expect(await read('configmap', 'picked', 'sub/x')).toBe('B');
    expect((await stat(join(dirOf('configmap', 'picked'), 'sub/x'))).mode & 0o777).toBe(0o400);
    expect(await read('secret', 'secret', 'key')).toBe('hidden');
    expect((await stat(join(dirOf('secret', 'secret'), 'key'))).mode & 0o777).toBe(0o600);
    expect(await read('projected', 'all', 'labels')).toBe('app="x"');
    expect(await read('projected', 'all', 'cpu')).toBe('2');
    const mounted = [dirOf('projected', 'all'), dirOf('secret', 'none'), dirOf('secret', 'secret')];
    expect(w.mounts.toSorted()).toEqual(mounted);
    await w.manager.tearDown('uid-1');
    expect([w.mounts, await w.manager.onDisk()]).toEqual([[], []]);
  });

  it('have folders for volumes that are mounted inside of them, also after an update', async () => {
    const w = await world();
    await configMap(w, { 'a.conf': 'A' });
    const { spec, ...rest } = pod([
      { name: 'site', configMap: { name: 'cm' } },
      { name: 'all', projected: { sources: [{ configMap: { name: 'cm' } }] } },
      { name: 'data', emptyDir: {} },
    ]);
    const volumeMounts = [
      { name: 'site', mountPath: '/site' },
      { name: 'all', mountPath: '/site/all' },
      { name: 'data', mountPath: '/site/all/deep/data' },
      { name: 'site', mountPath: '/data/site' },
      { name: 'data', mountPath: '/data' },
    ];
    const containers = spec!.containers.map((container) => ({ ...container, volumeMounts }));
    w.manager.prepare({ ...rest, spec: { ...spec!, containers } });
    await ready(w);
    const site = dirOf('configmap', 'site');
    const shown = async (dir: string) => (await readdir(dir)).filter((name) => !name.startsWith('..')).toSorted();
    expect(await shown(site)).toEqual(['a.conf', 'all']);
    expect((await stat(join(site, 'all'))).mode).toBe(0o40755);
    expect((await stat(join(dirOf('projected', 'all'), 'deep/data'))).mode).toBe(0o40755);
    // The runtime makes those in volumes that may be written to, as upstream.
    expect(await readdir(dirOf('empty-dir', 'data'))).toEqual([]);
    const before = (await stat(join(site, 'all'))).ino;
    await w.api.client.update(CONFIG_MAPS, {
      ...(await w.api.client.get(CONFIG_MAPS, 'default', 'cm')),
      data: { 'b.conf': 'B' },
    });
    await until(async () => {
      await w.api.clock.advance(1000);
      return (await shown(site)).includes('b.conf');
    }, 'the update');
    await until(async () => (await shown(site)).join() === 'all,b.conf', 'the end of the old file');
    expect((await stat(join(site, 'all'))).ino).toBe(before);
  });

  it('wait for what is missing, with back-off and upstream’s event', async () => {
    const w = await world();
    w.manager.prepare(pod([{ name: 'config', configMap: { name: 'cm' } }]));
    await failed(w);
    expect(w.events).toEqual([
      'Warning FailedMount MountVolume.SetUp failed for volume "config" : configmap "cm" not found',
    ]);
    for (let second = 0; second < 130; second++) {
      await w.api.clock.advance(1000);
      await sleep(2);
    }
    expect(w.tries('fail-unknown')).toBeGreaterThan(7);
    expect(w.tries('fail-unknown')).toBeLessThan(14);
    expect(w.events.slice(1)).toEqual([
      'Warning FailedMount Unable to attach or mount volumes: unmounted volumes=[config], unattached volumes=[], failed to process volumes=[]: timed out waiting for the condition',
    ]);
    // Its watch tells: nobody waits for the next try.
    await configMap(w, { a: '1' });
    await until(async () => {
      await w.api.clock.advance(10);
      return w.manager.fact('uid-1')?.state === 'ready';
    }, 'ready volumes');
    expect(await readFile(join(dirOf('configmap', 'config'), 'a'), 'utf8')).toBe('1');
  });

  it('name the key that is missing', async () => {
    const w = await world();
    await configMap(w, { a: '1' });
    w.manager.prepare(pod([{ name: 'config', configMap: { name: 'cm', items: [{ key: 'z', path: 'z' }] } }]));
    await failed(w);
    expect(w.manager.fact('uid-1')).toMatchObject({
      message: 'MountVolume.SetUp failed for volume "config" : configmap references non-existent config key: z',
    });
  });

  it('follow their source while the pod runs, and stay when it goes', async () => {
    const w = await world();
    await configMap(w, { a: '1' });
    w.manager.prepare(pod([{ name: 'config', configMap: { name: 'cm' } }]));
    await ready(w);
    const file = join(dirOf('configmap', 'config'), 'a');
    await w.api.client.patch(CONFIG_MAPS, 'default', 'cm', 'merge', { data: { a: '2' } });
    await until(async () => {
      await w.api.clock.advance(10);
      return (await readFile(file, 'utf8')) === '2';
    }, 'the new content');
    await w.api.client.delete(CONFIG_MAPS, 'default', 'cm');
    await until(async () => {
      await w.api.clock.advance(10);
      return w.events.length > 0;
    }, 'the event');
    expect(w.events).toEqual([
      'Warning FailedMount MountVolume.SetUp failed for volume "config" : configmap "cm" not found',
    ]);
    expect([w.manager.fact('uid-1')?.state, await readFile(file, 'utf8')]).toEqual(['ready', '2']);
    await w.manager.tearDown('uid-1');
    expect(w.api.clock.pendingTimers).toBeLessThan(5);
  });
});

describe('what changes under a running pod', () => {
  it('labels and resources: at once; nothing else of the pod', async () => {
    const w = await world();
    const spec = pod([
      {
        name: 'd',
        downwardAPI: {
          items: [
            { path: 'labels', fieldRef: { fieldPath: 'metadata.labels' } },
            { path: 'cpu', resourceFieldRef: { containerName: 'app', resource: 'limits.cpu', divisor: '1m' } },
          ],
        },
      },
    ]);
    w.manager.prepare(spec);
    await ready(w);
    const read = (file: string): Promise<string> => readFile(join(dirOf('downward-api', 'd'), file), 'utf8');
    const before = w.tries('success');
    w.manager.prepare({ ...spec, status: { phase: 'Running' } });
    w.manager.prepare({
      ...spec,
      metadata: { ...spec.metadata, labels: { app: 'y' } },
      spec: { containers: [{ name: 'app', resources: { limits: { cpu: '2' } } }], volumes: spec.spec?.volumes ?? [] },
    });
    await until(async () => {
      await w.api.clock.advance(10);
      return (await read('cpu')) === '2000';
    }, 'the new files');
    expect(await read('labels')).toBe('app="y"');
    await until(() => w.tries('success') - before === 1, 'one set-up');
    await w.manager.tearDown('uid-1');
  });

  it('optional objects that come and go, and keys that go', async () => {
    const w = await world();
    w.manager.prepare(pod([{ name: 'v', configMap: { name: 'cm', optional: true } }]));
    await ready(w);
    const shows = (wanted: string[]): Promise<void> =>
      until(async () => {
        await w.api.clock.advance(10);
        const names = await systemFileSystem.readdir(dirOf('configmap', 'v'));
        return names.filter((name) => !name.startsWith('..')).join() === wanted.join();
      }, `files ${wanted.join()}`);
    await shows([]);
    await configMap(w, { a: '1', b: '2' });
    await shows(['a', 'b']);
    await w.api.client.patch(CONFIG_MAPS, 'default', 'cm', 'merge', { data: { a: null, c: '3' } });
    await shows(['b', 'c']);
    await w.api.client.delete(CONFIG_MAPS, 'default', 'cm');
    await shows([]);
    expect(w.events).toEqual([]);
    await w.manager.tearDown('uid-1');
  });
});

describe('another agent', () => {
  it('goes on with what is written when nobody tells what it should be', async () => {
    const spec = pod([
      { name: 'c', configMap: { name: 'cm' } },
      { name: 's', secret: { secretName: 's' } },
    ]);
    const first = await world();
    await configMap(first, { a: '1' });
    await first.api.client.create(SECRETS, secret);
    first.manager.prepare(spec);
    await ready(first);
    // Another server, too, that has neither.
    const next = await world();
    next.mounts.push(...first.mounts);
    next.manager.prepare(spec);
    await ready(next);
    expect(next.events.toSorted()).toEqual([
      'Warning FailedMount MountVolume.SetUp failed for volume "c" : configmap "cm" not found',
      'Warning FailedMount MountVolume.SetUp failed for volume "s" : secret "s" not found',
    ]);
    // After a reboot memory is empty, and a secret is not there until it is written again.
    const rebooted = await world();
    rebooted.manager.prepare(spec);
    const set = (): string =>
      rebooted.manager
        .volumes('uid-1')
        .map(({ path, problem }) => `${path !== undefined} ${problem !== undefined}`)
        .join();
    await until(() => set() === 'true true,false true', 'the ConfigMap alone');
    expect(rebooted.manager.fact('uid-1')?.state).toBe('failed');
  });
});

describe('what is not offered', () => {
  it.each<[Omit<Volume, 'name'>, string]>([
    [
      { emptyDir: { medium: 'HugePages-2Mi' } },
      'storage medium "HugePages-2Mi" is not supported: this node offers no huge pages',
    ],
    [{ emptyDir: { medium: 'Tape' } }, 'unknown storage medium "Tape"'],
    [
      { persistentVolumeClaim: { claimName: 'x' } },
      'error processing PVC default/x: failed to fetch PVC from API server: persistentvolumeclaims "x" not found',
    ],
    [
      { csi: { driver: 'x' } },
      'no volume plugin matched: the CSI driver x serves this volume, and this node runs no CSI drivers, for it has no folder for them (--kubelet-dir)',
    ],
    [
      { projected: { sources: [{ clusterTrustBundle: { path: 'x' } }] } },
      'projected volume source clusterTrustBundle is not supported',
    ],
    [
      { projected: { sources: [{ podCertificate: { signerName: 'x', keyType: 'ED25519' } }] } },
      'projected volume source podCertificate is not supported',
    ],
  ])('%j', async (source, problem) => {
    const w = await world();
    w.manager.prepare(pod([{ name: 'v', ...source }]));
    await failed(w);
    expect(w.events).toEqual([`Warning FailedMount MountVolume.SetUp failed for volume "v" : ${problem}`]);
  });
});

describe('what hangs', () => {
  const hanging = pod([{ name: 'h', hostPath: { path: '/dead/server', type: 'Directory' } }]);

  it('keeps neither other pods nor its own end waiting, and is told', async () => {
    const w = await world();
    for (let i = 0; i < 30; i += 1) w.manager.prepare({ ...hanging, metadata: { ...hanging.metadata, uid: `h-${i}` } });
    w.manager.prepare(pod([{ name: 'd', emptyDir: {} }]));
    await until(async () => {
      await w.api.clock.advance(100);
      return w.manager.fact('uid-1')?.state === 'ready';
    }, 'the other pod');
    expect(w.manager.fact('h-0')).toEqual({ state: 'preparing' });
    await w.api.clock.advance(40_000);
    const message = 'MountVolume.SetUp failed for volume "h" : no answer within 35s, still waiting';
    expect(w.manager.fact('h-0')).toMatchObject({ state: 'failed', message });
    await w.manager.tearDown('h-0');
    expect(w.manager.fact('h-0')).toBeUndefined();
  });

  it('is awaited before its folder is removed, and forgotten only then', async () => {
    const w = await world();
    w.mountHangs = true;
    w.manager.prepare(pod([{ name: 'shm', emptyDir: { medium: 'Memory' } }]));
    await until(() => w.commands.length === 1, 'the mount');
    const torn = w.manager.tearDown('uid-1').catch((error: Error) => error.message);
    await w.api.clock.advance(10_000);
    expect(await torn).toBe('volumes ["shm"] are still being set up');
    expect(await w.manager.onDisk()).toEqual(['uid-1']);
    w.mountHangs = false;
    await w.manager.tearDown('uid-1');
    expect([await w.manager.onDisk(), w.mounts]).toEqual([[], []]);
  });

  it('on its way out keeps nobody else waiting, and is told once', async () => {
    const w = await world();
    const shm = pod([{ name: 'shm', emptyDir: { medium: 'Memory' } }]);
    w.manager.prepare(shm);
    await ready(w);
    w.umountFails = true;
    for (let i = 0; i < 3; i += 1) await w.manager.tearDown('uid-1', shm).catch(() => {});
    const [busy] = w.mounts;
    expect(w.events).toEqual([
      `Warning FailedUnMount UnmountVolume.TearDown failed for volume "shm" : umount failed: umount: ${busy}: target is busy.`,
    ]);
    const other = pod([{ name: 'd', emptyDir: {} }], 'uid-2');
    w.manager.prepare(other);
    await ready(w, 'uid-2');
    await w.manager.tearDown('uid-2', other);
    expect(await w.manager.onDisk()).toEqual(['uid-1']);
  });
});

describe('image volumes', () => {
  it('are the image’s id, for the runtime to mount', async () => {
    const w = await world();
    w.manager.prepare(
      pod([
        { name: 'i', image: { reference: 'there' } },
        { name: 'd', emptyDir: {} },
      ]),
    );
    await ready(w);
    const paths = { d: dirOf('empty-dir', 'd') };
    expect(w.manager.fact('uid-1')).toEqual({ state: 'ready', paths, images: { i: 'sha256:1' } });
    await w.manager.tearDown('uid-1');
  });

  it('that cannot be had are told as such', async () => {
    const w = await world();
    w.manager.prepare(pod([{ name: 'i', image: { reference: 'nope' } }]));
    await failed(w);
    const message = 'MountVolume.SetUp failed for volume "i" : ErrImagePull: no such image';
    expect(w.manager.fact('uid-1')).toMatchObject({ reason: 'ErrImagePull', message });
  });

  it.each([
    ['containerd', '1.6.20~ds1', true, true],
    ['containerd', '2.0.4', true, true],
    ['containerd', 'v2.1.0', false, true],
    ['containerd', '2.2.1', false, false],
    ['containerd', '3.0', false, false],
    ['cri-o', '1.20', false, false],
  ])('need a runtime that has them: %s %s', (runtimeName, runtimeVersion, refused, subPathRefused) => {
    const runtime = { runtimeName, runtimeVersion };
    const whole = `image volumes need containerd 2.1 or newer; this node has ${runtimeVersion}`;
    const part = `a subPath of an image volume needs containerd 2.2 or newer; this node has ${runtimeVersion}`;
    expect(imageVolumeProblem(runtime, false)).toBe(refused ? whole : undefined);
    expect(imageVolumeProblem(runtime, true)).toBe(subPathRefused ? part : undefined);
  });

  it('are refused with a subPath where the runtime would mount the whole image', async () => {
    const w = await world();
    const spec = pod([{ name: 'i', image: { reference: 'there' } }]);
    const volumeMounts = [{ name: 'i', mountPath: '/i', subPath: 'bin' }];
    w.manager.prepare({ ...spec, spec: { ...spec.spec, containers: [{ name: 'app', image: 'i', volumeMounts }] } });
    await failed(w);
    expect(w.manager.fact('uid-1')).toMatchObject({ message: expect.stringContaining('containerd 2.2 or newer') });
  });
});

describe('tear-down', () => {
  it('finds what an earlier agent left, removes it, and is idempotent', async () => {
    const first = await world();
    first.manager.prepare(pod([{ name: 'shm', emptyDir: { medium: 'Memory' } }]));
    await ready(first);
    const w = await world();
    w.mounts.push(...first.mounts, join(root, 'elsewhere'));
    expect(await w.manager.onDisk()).toEqual(['uid-1']);
    await w.manager.tearDown('uid-1');
    await w.manager.tearDown('uid-1');
    expect([w.mounts, await w.manager.onDisk()]).toEqual([[join(root, 'elsewhere')], []]);
  });

  it('removes nothing that is still mounted', async () => {
    const w = await world();
    w.manager.prepare(pod([{ name: 'shm', emptyDir: { medium: 'Memory' } }]));
    await ready(w);
    const file = join(dirOf('empty-dir', 'shm'), 'file');
    await writeFile(file, 'x');
    w.umountFails = true;
    await expect(w.manager.tearDown('uid-1')).rejects.toThrow('target is busy');
    expect(await readFile(file, 'utf8')).toBe('x');
    w.umountFails = false;
    await w.manager.tearDown('uid-1');
    expect(await w.manager.onDisk()).toEqual([]);
  });

  it.each(['..', '../..', 'a/b', '', 'a\0b'])('takes no UID like %j for a path', async (uid) => {
    const w = await world();
    await expect(w.manager.tearDown(uid)).rejects.toThrow('invalid pod UID');
    w.manager.prepare(pod([{ name: 'd', emptyDir: {} }], uid));
    await until(() => w.manager.fact(uid)?.state === 'failed', 'refused');
  });

  it('takes no volume name that leads out', async () => {
    const w = await world();
    w.manager.prepare(pod([{ name: '../../x', emptyDir: {} }]));
    await failed(w);
  });
});
