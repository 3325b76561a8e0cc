import { mkdirSync, renameSync, symlinkSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { encodeText, type FileSystem, type Process } from '../../lib/index.ts';
import { systemFileSystem } from '../../lib/file-system.node.ts';
import { createManualClock } from '../../lib/manual-clock.node.ts';
import { Mounter } from './mounter.ts';
import { pinSubPath } from './sub-path.ts';

let [root, volume] = ['', ''];
/** Of what was mounted, in order: where, and what was there at that moment. */
let mounted: { point: string; names: string[]; text: string }[] = [];
let mounts: string[] = [];
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'mendlet-sub-path-'));
  volume = join(root, 'volume');
  await mkdir(volume);
  mounted = [];
  mounts = [];
});
afterEach(() => rm(root, { recursive: true, force: true }));

const fs: FileSystem = {
  ...systemFileSystem,
  readFile: async (path, options) =>
    path === '/proc/self/mountinfo'
      ? encodeText(mounts.map((at) => `1 2 0:3 / ${at} rw - x x rw`).join('\n'))
      : await systemFileSystem.readFile(path, options),
};

const pin = (
  subPath: string,
  { content = false, isOptional = false, before = (): void => {} } = {},
): Promise<string> => {
  const process: Process = {
    run: async (program, args) => {
      const point = args.at(-1) as string;
      if (program === 'umount') mounts.splice(mounts.indexOf(point), 1);
      else {
        before();
        const source = args.at(-2) as string;
        const names = await systemFileSystem.readdir(source).catch(() => []);
        const text = await readFile(source, 'utf8').catch(() => '');
        mounted.push({ point, names: [...names], text });
        mounts.push(point);
      }
      return { code: 0, stdout: '', stderr: '' };
    },
  };
  const mounter = new Mounter({ fs, process, clock: createManualClock() });
  const wish = { volume: 'v', container: 'c', index: 2, volumePath: volume, subPath, content, isOptional };
  return pinSubPath({ fs, mounter, rootDir: root }, 'uid', wish);
};

it.each([0o777, 0o2777, 0o750])('folders are made with the volume’s mode %o', async (mode) => {
  await chmod(volume, mode);
  expect(await pin('a/b')).toBe(join(root, 'pods/uid/volume-subpaths/v/c/2'));
  for (const path of ['a', 'a/b']) expect((await stat(join(volume, path))).mode & 0o7777).toBe(mode);
});

it('what is there stays as it is, and is mounted, each time anew', async () => {
  await mkdir(join(volume, 'a'), { mode: 0o700 });
  await writeFile(join(volume, 'a/file'), 'x');
  expect(await pin('a/file')).toBe(join(root, 'pods/uid/volume-subpaths/v/c/2-file'));
  await writeFile(join(volume, 'a/file'), 'y');
  await pin('a/file');
  expect((await stat(join(volume, 'a'))).mode & 0o777).toBe(0o700);
  expect(mounted.map(({ text }) => text)).toEqual(['x', 'y']);
  expect(mounts).toHaveLength(1);
});

it('no link is followed, and no file is walked through', async () => {
  await symlink('/etc', join(volume, 'link'));
  await writeFile(join(volume, 'file'), 'x');
  await expect(pin('link')).rejects.toThrow('subPath "link" leads through a symbolic link');
  await expect(pin('link/x')).rejects.toThrow('leads through a symbolic link');
  await expect(pin('file/x')).rejects.toThrow('leads through something that is no folder');
  expect(mounted).toEqual([]);
});

it('a folder that becomes a link between look and mount leads nowhere else', async () => {
  mkdirSync(join(root, 'host'));
  await writeFile(join(root, 'host/secret'), '');
  await mkdir(join(volume, 'a/b'), { recursive: true });
  await writeFile(join(volume, 'a/b/mine'), '');
  const swap = (): void => {
    renameSync(join(volume, 'a'), join(volume, 'old'));
    mkdirSync(join(volume, 'a'));
    symlinkSync(join(root, 'host'), join(volume, 'a/b'));
  };
  await pin('a/b', { before: swap });
  expect(mounted.map(({ names }) => names)).toEqual([['mine']]);
});

it('in files of ours nothing is made or mounted, and our own links are fine', async () => {
  await expect(pin('a', { content: true })).rejects.toThrow('subPath "a" is not in its volume');
  await writeFile(join(volume, '..1'), 'x');
  await symlink('..1', join(volume, 'a'));
  expect(await pin('a', { content: true })).toBe(join(volume, 'a'));
  expect(mounted).toEqual([]);
});

it('what may be absent of files of ours is an empty folder beside them, until it is there', async () => {
  const point = await pin('a', { content: true, isOptional: true });
  expect(point).toBe(join(root, 'pods/uid/volume-subpaths/v/c/2'));
  expect((await stat(point)).isDirectory()).toBe(true);
  await expect(stat(join(volume, 'a'))).rejects.toThrow('ENOENT');
  await writeFile(join(volume, 'a'), 'x');
  expect(await pin('a', { content: true, isOptional: true })).toBe(join(volume, 'a'));
  expect(mounted).toEqual([]);
});
