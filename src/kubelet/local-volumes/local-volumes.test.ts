import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FileError, type FileSystem, silentLogger } from '../../lib/index.ts';
import { systemFileSystem } from '../../lib/file-system.node.ts';
import { LocalVolumes } from './local-volumes.ts';

let root = '';
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'mendlet-local-volumes-'));
});
afterEach(() => rm(root, { recursive: true, force: true }));

const GIBIBYTE = 1024 ** 3;
const REQUEST = { handle: 'claim-1', capacityBytes: GIBIBYTE };

interface Wishes {
  readonly fs?: Partial<FileSystem>;
  readonly instanceId?: string;
  readonly mounted?: readonly string[];
  readonly bytes?: number;
}

function open({ fs, instanceId = 'me', mounted = [], bytes = 10 * GIBIBYTE }: Wishes = {}): LocalVolumes {
  const statfs = async () => ({ bytes, freeBytes: bytes, usedBytes: 0, inodes: 1, freeInodes: 1 });
  return new LocalVolumes(
    { fs: { ...systemFileSystem, statfs, ...fs }, logger: silentLogger },
    { dir: join(root, 'volumes'), rootDir: join(root, 'agent'), instanceId, lifeId: `life-${(lives += 1)}` },
    {
      keepsFree: (all) => all / 10,
      mountedUnder: async (path) => mounted.filter((point) => point === path || point.startsWith(`${path}/`)),
      whileUnpublished: (_name, _path, work) => work(),
    },
  );
}

let lives = 0;
const path = (name: string): string => join(root, 'volumes', name, 'data');
const states = async (volumes: LocalVolumes): Promise<readonly string[]> =>
  (await volumes.list()).items.map(({ name, state, wasUsed }) => `${name} ${state} ${wasUsed}`);

describe('a volume', () => {
  it('is a folder in which every user may write, below folders of root alone', async () => {
    const volumes = open();
    expect(await volumes.make('pvc-1', REQUEST)).toEqual({ path: path('pvc-1') });
    expect((await stat(path('pvc-1'))).mode & 0o7777).toBe(0o777);
    for (const dir of ['volumes', 'volumes/pvc-1', 'agent/local-volumes'])
      expect((await stat(join(root, dir))).mode & 0o777).toBe(0o700);
    expect(await volumes.list()).toEqual({
      capacityBytes: 9 * GIBIBYTE,
      items: [
        {
          ...REQUEST,
          name: 'pvc-1',
          path: path('pvc-1'),
          state: 'ready',
          wasUsed: false,
          version: expect.any(String) as string,
        },
      ],
    });
  });

  it('is not removed by one who did not hear that it was asked for, used, or made anew meanwhile', async () => {
    const volumes = open();
    const versionOf = async (each: LocalVolumes): Promise<string | undefined> => (await each.list()).items[0]?.version;
    await volumes.make('pvc-1', REQUEST);
    const versions: (string | undefined)[] = [await versionOf(volumes)];
    await volumes.make('pvc-1', REQUEST);
    versions.push(await versionOf(volumes));
    await volumes.use('pvc-1', path('pvc-1'), async () => {});
    versions.push(await versionOf(volumes));
    await volumes.remove('pvc-1', 'claim-1', versions[2]);
    await volumes.make('pvc-1', REQUEST);
    versions.push(await versionOf(volumes));
    const later = open();
    for (const version of versions)
      await expect(later.remove('pvc-1', 'claim-1', version)).rejects.toMatchObject({ reason: 'Conflict' });
    for (const version of versions.slice(0, -1))
      await expect(volumes.remove('pvc-1', 'claim-1', version)).rejects.toMatchObject({ reason: 'Conflict' });
    await volumes.remove('pvc-1', 'claim-1', versions[3]);
    expect(await states(volumes)).toEqual([]);
  });

  it('is made once: its files stay when it is asked for again, also by a restarted agent', async () => {
    await open().make('pvc-1', REQUEST);
    await writeFile(join(path('pvc-1'), 'file'), 'data');
    const volumes = open();
    expect(await volumes.make('pvc-1', REQUEST)).toEqual({ path: path('pvc-1') });
    expect(await readFile(join(path('pvc-1'), 'file'), 'utf8')).toBe('data');
    await expect(volumes.make('pvc-1', { ...REQUEST, handle: 'claim-2' })).rejects.toMatchObject({
      reason: 'Conflict',
    });
  });

  it('is made once when it is asked for twice at the same time', async () => {
    const volumes = open({ bytes: (GIBIBYTE * 10) / 9 + 1024 });
    await Promise.all([volumes.make('pvc-1', REQUEST), volumes.make('pvc-1', REQUEST)]);
    const others = await Promise.allSettled([volumes.make('a', REQUEST), volumes.make('b', REQUEST)]);
    expect(others.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  });

  it('that does not fit is refused, and leaves nothing', async () => {
    const volumes = open();
    await volumes.make('pvc-1', { handle: 'a', capacityBytes: 8 * GIBIBYTE });
    await expect(volumes.make('pvc-2', { handle: 'b', capacityBytes: GIBIBYTE + 1 })).rejects.toMatchObject({
      reason: 'NotEnoughSpace',
      status: 507,
    });
    await volumes.make('pvc-3', { handle: 'c', capacityBytes: GIBIBYTE });
    await volumes.remove('pvc-1', 'a');
    await volumes.make('pvc-2', { handle: 'b', capacityBytes: GIBIBYTE + 1 });
    expect((await readdir(join(root, 'volumes'))).filter((name) => !name.startsWith('.'))).toEqual(['pvc-2', 'pvc-3']);
  });

  it.each(['', '.', '..', '../x', 'a/b', '.lock', 'a\0b', 'A', '-a', 'a..b', 'x'.repeat(201)])(
    'has no name like %j',
    async (name) => {
      const volumes = open();
      await expect(volumes.make(name, REQUEST)).rejects.toMatchObject({ reason: 'BadRequest' });
      await expect(volumes.remove(name, 'claim-1')).rejects.toMatchObject({ reason: 'BadRequest' });
      await expect(volumes.use(name, '/', async () => {})).rejects.toMatchObject({ reason: 'BadRequest' });
    },
  );

  it('that was lost is said, and neither made anew nor used', async () => {
    const volumes = open();
    await volumes.make('pvc-1', REQUEST);
    await volumes.use('pvc-1', path('pvc-1'), async () => {});
    await rm(path('pvc-1'), { recursive: true });
    expect(await states(volumes)).toEqual(['pvc-1 lost true']);
    const lost = {
      reason: 'VolumeLost',
      message: `volume pvc-1 is lost: its folder ${path('pvc-1')} is not there any more`,
    };
    await expect(volumes.make('pvc-1', REQUEST)).rejects.toMatchObject(lost);
    await expect(volumes.use('pvc-1', path('pvc-1'), async () => {})).rejects.toMatchObject(lost);
    await volumes.remove('pvc-1', 'claim-1');
    await volumes.make('pvc-1', REQUEST);
    expect(await states(volumes)).toEqual(['pvc-1 ready false']);
  });

  it('is lost when a link is in its place, and what the link leads to is left alone', async () => {
    const volumes = open();
    await mkdir(join(root, 'other/data'), { recursive: true });
    await volumes.make('pvc-1', REQUEST);
    await rm(join(root, 'volumes/pvc-1'), { recursive: true });
    await symlink(join(root, 'other'), join(root, 'volumes/pvc-1'));
    expect(await states(volumes)).toEqual(['pvc-1 lost false']);
    await expect(volumes.use('pvc-1', path('pvc-1'), async () => {})).rejects.toMatchObject({ reason: 'VolumeLost' });
    await expect(volumes.remove('pvc-1', 'claim-1')).rejects.toMatchObject({ reason: 'Conflict' });
    expect(await readdir(join(root, 'other'))).toEqual(['data']);
  });

  it('in which something is mounted is not removed', async () => {
    const mounted = [join(path('pvc-1'), 'deep/mount')];
    const volumes = open({ mounted });
    await volumes.make('pvc-1', REQUEST);
    await expect(volumes.remove('pvc-1', 'claim-1')).rejects.toMatchObject({ reason: 'VolumeInUse' });
    expect(await states(volumes)).toEqual(['pvc-1 ready false']);
    mounted.pop();
    await volumes.remove('pvc-1', 'claim-1');
  });

  it('is removed for its own claim alone', async () => {
    const volumes = open();
    await volumes.make('pvc-1', REQUEST);
    await expect(volumes.remove('pvc-1', 'claim-2')).rejects.toMatchObject({ reason: 'Conflict' });
    await volumes.remove('pvc-1', 'claim-1');
    await volumes.remove('pvc-1', 'claim-1');
    await volumes.remove('pvc-2', 'claim-1');
    expect(await states(volumes)).toEqual([]);
  });

  it('is known again when the agent’s own folder was lost, and counts as used', async () => {
    await open().make('pvc-1', REQUEST);
    await rm(join(root, 'agent'), { recursive: true });
    expect(await states(open())).toEqual(['pvc-1 ready true']);
  });
});

describe('the folder of the volumes', () => {
  it('that is not mounted is not taken for an empty one, and is known again when it is', async () => {
    const volumes = open();
    await volumes.make('pvc-1', REQUEST);
    const away = join(root, 'away');
    await systemFileSystem.rename(join(root, 'volumes'), away);
    await mkdir(join(root, 'volumes'));
    for (const agent of [volumes, open()]) {
      const refused = { reason: 'VolumesFolderAway', status: 503 };
      await expect(agent.make('pvc-2', REQUEST)).rejects.toMatchObject(refused);
      await expect(agent.remove('pvc-1', 'claim-1')).rejects.toMatchObject(refused);
      await expect(agent.use('pvc-1', path('pvc-1'), async () => {})).rejects.toMatchObject(refused);
      await expect(agent.look()).rejects.toMatchObject(refused);
    }
    await rm(join(root, 'volumes'), { recursive: true });
    await systemFileSystem.rename(away, join(root, 'volumes'));
    expect(await states(volumes)).toEqual(['pvc-1 ready false']);
  });

  it('that hangs keeps two calls waiting, however many pods and requests there are', async () => {
    let hanging = 0;
    const hang = async (file: string): Promise<void> => {
      if (!isDead || !file.startsWith(join(root, 'volumes'))) return;
      hanging += 1;
      await new Promise(() => {});
    };
    let isDead = false;
    const volumes = open({
      fs: {
        stat: async (file, ...rest) => (await hang(file), systemFileSystem.stat(file, ...rest)),
        readFile: async (file, ...rest) => (await hang(file), systemFileSystem.readFile(file, ...rest)),
        writeFile: async (file, ...rest) => (await hang(file), systemFileSystem.writeFile(file, ...rest)),
      },
    });
    const names = Array.from({ length: 20 }, (_, i) => `pvc-${i}`);
    for (const name of names) await volumes.make(name, { handle: name, capacityBytes: 1 });
    isDead = true;
    for (const name of names) {
      void volumes.use(name, path(name), async () => {});
      void volumes.remove(name, name);
      void volumes.make(`other-${name}`, REQUEST);
    }
    void volumes.look();
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(hanging).toBeGreaterThan(0);
    expect(hanging).toBeLessThanOrEqual(2);
  });

  it('of another mendlet is left alone', async () => {
    await open().make('pvc-1', REQUEST);
    await rm(join(root, 'agent'), { recursive: true });
    const other = open({ instanceId: 'other' });
    await expect(other.list()).rejects.toThrow('belongs to another mendlet');
  });

  it('is looked at: what is lost, how much space there is, whether it can be written to', async () => {
    const volumes = open();
    expect(await volumes.look()).toEqual({ capacityBytes: 9 * GIBIBYTE, names: [], lost: [], isFull: false });
    await volumes.make('pvc-1', REQUEST);
    await volumes.make('pvc-2', { ...REQUEST, handle: 'claim-2' });
    await rm(path('pvc-1'), { recursive: true });
    expect(await volumes.look()).toMatchObject({ names: ['pvc-1', 'pvc-2'], lost: ['pvc-1'] });
    const failing = (code: string): LocalVolumes =>
      open({
        fs: {
          writeFile: async (file, ...rest) => {
            if (file.endsWith('.trial')) throw new FileError(code, file, `${code}: ${file}`);
            await systemFileSystem.writeFile(file, ...rest);
          },
        },
      });
    expect(await failing('ENOSPC').look()).toMatchObject({ isFull: true });
    await expect(failing('EROFS').look()).rejects.toMatchObject({ code: 'EROFS' });
    await expect(failing('EIO').look()).rejects.toMatchObject({ code: 'EIO' });
  });
});

/** A file system on which the process dies before its n-th change; from then on nothing happens any more. */
function mortal(changes: number): { readonly fs: Partial<FileSystem>; readonly died: Promise<void> } {
  let left = changes;
  const { promise: died, resolve } = Promise.withResolvers<void>();
  const step = async (): Promise<void> => {
    left -= 1;
    if (left >= 0) return;
    resolve();
    await new Promise(() => {});
  };
  const real = systemFileSystem;
  const fs: Partial<FileSystem> = {
    mkdir: async (...args) => (await step(), real.mkdir(...args)),
    writeFile: async (...args) => (await step(), real.writeFile(...args)),
    rename: async (...args) => (await step(), real.rename(...args)),
    remove: async (...args) => (await step(), real.remove(...args)),
    chmod: async (...args) => (await step(), real.chmod(...args)),
  };
  return { fs, died };
}

it('a removed volume on a disk of its own is not said to be lost after a power cut', async () => {
  await open().make('pvc-1', REQUEST);
  const record = join(root, 'agent/local-volumes/made/pvc-1.json');
  // What the power cut undoes on the agent's disk is not undone on the other.
  const remove: FileSystem['remove'] = async (file, options) => {
    if (file !== record || options?.sync === true) await systemFileSystem.remove(file, options);
  };
  await open({ fs: { remove } }).remove('pvc-1', 'claim-1');
  expect(await states(open())).toEqual([]);
});

describe('an agent that dies', () => {
  it.each(Array.from({ length: 16 }, (_, changes) => changes))(
    'before change %i of making leaves nothing, or the whole volume',
    async (changes) => {
      const { fs, died } = mortal(changes);
      await Promise.race([died, open({ fs }).make('pvc-1', REQUEST)]);
      const volumes = open();
      const found = await states(volumes);
      expect([[], ['pvc-1 ready false']]).toContainEqual(found);
      const visible = (await readdir(join(root, 'volumes'))).filter((name) => !name.startsWith('.mendlet'));
      expect(visible).toEqual(found.length === 0 ? [] : ['pvc-1']);
      expect(await volumes.make('pvc-1', REQUEST)).toEqual({ path: path('pvc-1') });
      expect((await stat(path('pvc-1'))).mode & 0o7777).toBe(0o777);
    },
  );

  it.each(Array.from({ length: 6 }, (_, changes) => changes))(
    'before change %i of removing leaves the whole volume, or removes it at its next start',
    async (changes) => {
      await open().make('pvc-1', REQUEST);
      await writeFile(join(path('pvc-1'), 'file'), 'data');
      const volumes = open();
      await volumes.list();
      const { fs, died } = mortal(changes);
      const dying = open({ fs });
      await Promise.race([died, dying.remove('pvc-1', 'claim-1').catch(() => {})]);
      const next = open();
      const found = await states(next);
      if (found.includes('pvc-1 ready false')) expect(await readFile(join(path('pvc-1'), 'file'), 'utf8')).toBe('data');
      await next.remove('pvc-1', 'claim-1');
      expect(await states(next)).toEqual([]);
      expect((await readdir(join(root, 'volumes'))).filter((name) => !name.startsWith('.mendlet'))).toEqual([]);
    },
  );
});

/** A tree that a container may have left: folders, files, links to anywhere. */
const hostileTree = fc.array(
  fc.record({
    depth: fc.integer({ min: 0, max: 4 }),
    name: fc.stringMatching(/^[^/\0]{1,20}$/).filter((name) => name !== '.' && name !== '..'),
    kind: fc.constantFrom('file', 'folder', 'link out', 'link up', 'link root'),
  }),
  { maxLength: 12 },
);

describe('removal', () => {
  it('leaves everything outside as it was, whatever is in the volume', async () => {
    await fc.assert(
      fc.asyncProperty(hostileTree, async (entries) => {
        const outside = join(root, 'outside');
        await mkdir(outside, { recursive: true });
        await writeFile(join(outside, 'precious'), 'kept');
        const volumes = open();
        await volumes.make('pvc-1', REQUEST);
        await volumes.make('pvc-2', { ...REQUEST, handle: 'claim-2' });
        await writeFile(join(path('pvc-2'), 'file'), 'kept');
        const targets: Readonly<Record<string, string>> = {
          'link out': outside,
          'link up': '../../../..',
          'link root': '/',
        };
        const folders = [path('pvc-1')];
        for (const { depth, name, kind } of entries) {
          const at = join(folders[Math.min(depth, folders.length - 1)] ?? path('pvc-1'), name);
          if ((await systemFileSystem.stat(at)) !== undefined || Buffer.byteLength(name) > 255) continue;
          if (kind === 'file') await writeFile(at, '');
          else if (kind === 'folder') {
            await mkdir(at);
            folders.push(at);
          } else await symlink(targets[kind] ?? '', at);
        }
        await volumes.remove('pvc-1', 'claim-1');
        expect(await readFile(join(outside, 'precious'), 'utf8')).toBe('kept');
        expect(await readFile(join(path('pvc-2'), 'file'), 'utf8')).toBe('kept');
        expect(await states(volumes)).toEqual(['pvc-2 ready false']);
      }),
      { numRuns: 40 },
    );
  });
});
