import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemFileSystem as fs } from './file-system.node.ts';
import { systemProcess } from './process.node.ts';
import { parseMountPoints } from './remove-tree.node.ts';

const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString();
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mendlet-fs-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe('FileSystem', () => {
  it.each([{}, { atomic: true }, { sync: true }, { atomic: true, sync: true, mode: 0o600 }])(
    'writes and reads: %o',
    async (options) => {
      const path = join(folder, 'file');
      await fs.writeFile(path, 'first, longer', options);
      await fs.writeFile(path, 'second', options);
      expect(text(await fs.readFile(path))).toBe('second');
      expect(text(await fs.readAt(path, 3, 100))).toBe('ond');
      expect((await fs.stat(path))?.mode).toBe('mode' in options ? 0o600 : 0o644);
      expect(await fs.readdir(folder)).toEqual(['file']);
    },
  );

  it('rejects with the code of the system', async () => {
    const missing = join(folder, 'none', 'file');
    await expect(fs.readFile(missing)).rejects.toMatchObject({ name: 'FileError', code: 'ENOENT', path: missing });
    await expect(fs.writeFile(missing, '', { atomic: true })).rejects.toMatchObject({ code: 'ENOENT' });
    await expect(fs.readdir(missing)).rejects.toMatchObject({ code: 'ENOENT' });
    await expect(fs.readFile(folder)).rejects.toMatchObject({ code: 'EISDIR' });
    expect(() => fs.watch(missing, () => {})).toThrow(expect.objectContaining({ code: 'ENOENT' }));
    expect(await fs.stat(missing)).toBeUndefined();
    await fs.writeFile(join(folder, 'big'), 'x'.repeat(100));
    await expect(fs.readFile(join(folder, 'big'), { maxBytes: 99 })).rejects.toMatchObject({ code: 'EFBIG' });
    expect((await fs.readFile(join(folder, 'big'), { maxBytes: 100 })).length).toBe(100);
  });

  it('knows types, links and the file system', async () => {
    const link = join(folder, 'link');
    await fs.symlink('/proc/self', link);
    expect((await fs.stat(link))?.type).toBe('symlink');
    expect((await fs.stat(link, { follow: true }))?.type).toBe('directory');
    expect(await fs.readlink(link)).toBe('/proc/self');
    const space = await fs.statfs(folder);
    expect(space.freeBytes).toBeGreaterThan(0);
    expect(space.bytes).toBeGreaterThanOrEqual(space.freeBytes);
    expect(text(await fs.readFile('/proc/self/comm'))).not.toBe('');
  });

  it('removes a tree but nothing behind its links, and nothing there is no error', async () => {
    await fs.mkdir(join(folder, 'tree', 'a', 'b'));
    await fs.writeFile(join(folder, 'kept'), 'kept');
    await symlink(folder, join(folder, 'tree', 'a', 'out'));
    await fs.writeFile(join(folder, 'tree', 'a', 'b', 'file'), '');
    await Promise.all([fs.remove(join(folder, 'tree')), fs.remove(join(folder, 'tree'))]);
    await fs.remove(join(folder, 'tree'));
    expect(await fs.readdir(folder)).toEqual(['kept']);
    await fs.remove(join(folder, 'kept'));
    expect(await fs.readdir(folder)).toEqual([]);
  });

  it.each(['tmpfs', 'bind'])('refuses to remove what is mounted inside (%s)', async (kind) => {
    const inside = join(folder, 'tree', 'a mount');
    const source = join(folder, 'source');
    await fs.mkdir(inside);
    await fs.mkdir(source);
    const args = kind === 'bind' ? ['--bind', source, inside] : ['-t', 'tmpfs', 'tmpfs', inside];
    if ((await systemProcess.run('mount', args)).code !== 0) return; // Not allowed to mount here.
    try {
      await writeFile(join(inside, 'precious'), '');
      await expect(fs.remove(join(folder, 'tree'))).rejects.toMatchObject({ code: 'EBUSY', path: inside });
      expect(await fs.readdir(inside)).toEqual(['precious']);
    } finally {
      await systemProcess.run('umount', [inside]);
    }
  });

  it('tells changes, many at once as few', async () => {
    let told = 0;
    const changed = Promise.withResolvers<void>();
    const watcher = fs.watch(folder, () => {
      told++;
      changed.resolve();
    });
    for (let index = 0; index < 20; index++) await writeFile(join(folder, `file${index}`), '');
    await changed.promise;
    watcher.close();
    expect(told).toBeLessThan(20);
  });
});

describe('parseMountPoints', () => {
  it('reads mountinfo', () => {
    const lines = '36 35 98:0 /mnt1 /mnt/a\\040b rw - ext3 /dev/root rw\n37 35 0:5 / /proc rw - proc proc rw\n';
    expect(parseMountPoints(lines)).toEqual(['/mnt/a b', '/proc']);
  });
});
