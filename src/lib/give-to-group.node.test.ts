import { chown, link, lstat, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getuid } from 'node:process';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { giveToGroup, groupMode } from './give-to-group.node.ts';

let root = '';
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'mendlet-group-'));
});
afterEach(() => rm(root, { recursive: true, force: true }));

const GID = 4711;

describe('a mode for a group', () => {
  it.each<[number, boolean, number]>([
    [0o600, false, 0o660],
    [0o444, false, 0o664],
    [0o4755, false, 0o4775],
    [0o700, true, 0o2770],
    [0o777, true, 0o2777],
  ])('%o, a folder: %s', (mode, isFolder, wanted) => {
    expect(groupMode(mode, isFolder).toString(8)).toBe(wanted.toString(8));
  });
});

describe.skipIf(getuid?.() !== 0)('a tree', () => {
  const shown = async (path: string): Promise<string> => {
    const { uid, gid, mode } = await lstat(join(root, path));
    return `${uid} ${gid} ${(mode & 0o7777).toString(8)}`;
  };

  it('is given to the group with all that is in it; owners stay', async () => {
    await mkdir(join(root, 'v/deep/deeper'), { recursive: true, mode: 0o755 });
    await writeFile(join(root, 'v/deep/deeper/file'), '', { mode: 0o600 });
    await chown(join(root, 'v/deep/deeper/file'), 5, 5);
    const name = Buffer.from([...Buffer.from(join(root, 'v/')), 0xff, 0xfe]);
    await writeFile(name, '', { mode: 0o640 });
    await giveToGroup(join(root, 'v'), GID);
    expect(await shown('v')).toBe(`0 ${GID} 2775`);
    expect(await shown('v/deep/deeper')).toBe(`0 ${GID} 2775`);
    expect(await shown('v/deep/deeper/file')).toBe(`5 ${GID} 660`);
    expect((await lstat(name)).gid).toBe(GID);
  });

  it('is left at no link', async () => {
    await mkdir(join(root, 'v'));
    await mkdir(join(root, 'outside'), { mode: 0o700 });
    await writeFile(join(root, 'outside/file'), '', { mode: 0o600 });
    await symlink(join(root, 'outside'), join(root, 'v/link'));
    await symlink('../outside/file', join(root, 'v/file'));
    await giveToGroup(join(root, 'v'), GID);
    expect(await shown('outside')).toBe('0 0 700');
    expect(await shown('outside/file')).toBe('0 0 600');
    expect((await lstat(join(root, 'v/link'))).gid).toBe(GID);
  });

  it('that is a link itself, or no folder, is refused', async () => {
    await mkdir(join(root, 'outside'), { mode: 0o700 });
    await symlink(join(root, 'outside'), join(root, 'v'));
    await expect(giveToGroup(join(root, 'v'), GID)).rejects.toMatchObject({ code: 'ENOTDIR' });
    await writeFile(join(root, 'f'), '');
    await expect(giveToGroup(join(root, 'f'), GID)).rejects.toMatchObject({ code: 'ENOTDIR' });
    expect(await shown('outside')).toBe('0 0 700');
  });

  it('that is deeper than can be held open is refused', async () => {
    await mkdir(join(root, 'v', ...Array.from({ length: 300 }, () => 'd')), { recursive: true });
    await expect(giveToGroup(join(root, 'v'), GID)).rejects.toMatchObject({ code: 'ELOOP' });
    // The root comes last, so the next try begins again.
    expect((await lstat(join(root, 'v'))).gid).toBe(0);
  });

  it('shares a file that has another name in it', async () => {
    await mkdir(join(root, 'v'));
    await writeFile(join(root, 'v/a'), '', { mode: 0o600 });
    await link(join(root, 'v/a'), join(root, 'v/b'));
    await giveToGroup(join(root, 'v'), GID);
    expect(await shown('v/b')).toBe(`0 ${GID} 660`);
  });
});
