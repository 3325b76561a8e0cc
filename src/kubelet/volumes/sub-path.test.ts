import { chmod, mkdir, mkdtemp, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { systemFileSystem } from '../../lib/file-system.node.ts';
import { ensureSubPath } from './sub-path.ts';

let volume = '';
beforeEach(async () => {
  volume = await mkdtemp(join(tmpdir(), 'mendlet-sub-path-'));
});
afterEach(() => rm(volume, { recursive: true, force: true }));

const ensure = (subPath: string, content = false): Promise<void> =>
  ensureSubPath(systemFileSystem, { volumePath: volume, subPath, content });

it.each([0o777, 0o2777, 0o750])('folders are made with the volume’s mode %o', async (mode) => {
  await chmod(volume, mode);
  await ensure('a/b');
  for (const path of ['a', 'a/b']) expect((await stat(join(volume, path))).mode & 0o7777).toBe(mode);
});

it('what is there stays as it is', async () => {
  await mkdir(join(volume, 'a'), { mode: 0o700 });
  await writeFile(join(volume, 'a/file'), 'x');
  await ensure('a/file');
  expect((await stat(join(volume, 'a'))).mode & 0o777).toBe(0o700);
});

it('no link is followed, and no file is walked through', async () => {
  await symlink('/etc', join(volume, 'link'));
  await writeFile(join(volume, 'file'), 'x');
  await expect(ensure('link')).rejects.toThrow('leads through a symbolic link');
  await expect(ensure('link/x')).rejects.toThrow('leads through a symbolic link');
  await expect(ensure('file/x')).rejects.toThrow('leads through something that is no folder');
});

it('in files of ours nothing is made, and our own links are fine', async () => {
  await expect(ensure('a', true)).rejects.toThrow('subPath "a" is not in its volume');
  await writeFile(join(volume, '..1'), 'x');
  await symlink('..1', join(volume, 'a'));
  await ensure('a', true);
});
