import { chmod, lstat, mkdtemp, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getuid } from 'node:process';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { decodeText, encodeText, type FileSystem, seededRandom } from '../../lib/index.ts';
import { systemFileSystem } from '../../lib/file-system.node.ts';
import { createManualClock } from '../../lib/manual-clock.node.ts';
import { writePayload } from './atomic-writer.ts';
import { checkPayloadPath, cleanPayloadPath, type Payload } from './payload.ts';

let dir = '';
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'mendlet-volume-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

type Texts = Readonly<Record<string, string>>;

const payload = (texts: Texts): Payload =>
  new Map(Object.entries(texts).map(([path, text]) => [path, { data: encodeText(text), mode: 0o640 }]));
const random = seededRandom(1);
const write = (
  texts: Texts,
  fs: FileSystem = systemFileSystem,
  to = dir,
  mountPoints: readonly string[] = [],
): Promise<boolean> => writePayload({ fs, clock: createManualClock(), random, mountPoints }, to, payload(texts));

/** What a container sees: every file below the volume that is not bookkeeping, through the links. */
async function visible(root: string, prefix = ''): Promise<Record<string, string>> {
  const seen: Record<string, string> = {};
  for (const name of await readdir(join(root, prefix))) {
    if (name.startsWith('..')) continue;
    const path = join(prefix, name);
    try {
      seen[path] = decodeText(await readFile(join(root, path)));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EISDIR') Object.assign(seen, await visible(root, path));
      else if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }
  return seen;
}

describe('writePayload', () => {
  it('lays files out as upstream does', async () => {
    expect(await write({ 'a.txt': '1', 'sub/b': '2' })).toBe(true);
    expect(await visible(dir)).toEqual({ 'a.txt': '1', 'sub/b': '2' });
    const fs = systemFileSystem;
    expect(await fs.readlink(`${dir}/a.txt`)).toBe('..data/a.txt');
    expect(await fs.readlink(`${dir}/sub`)).toBe('..data/sub');
    expect(await fs.readlink(`${dir}/..data`)).toMatch(/^\.\.\d{4}_\d\d_\d\d_\d\d_\d\d_\d\d\.\w+$/);
    expect((await fs.stat(`${dir}/a.txt`, { follow: true }))?.mode).toBe(0o640);
  });

  it.runIf(getuid?.() === 0)('gives everything to the group of the pod, once', async () => {
    const options = { fs: systemFileSystem, clock: createManualClock(), random, fsGroup: 2000 };
    const files = new Map([['sub/deep/key', { data: encodeText('k'), mode: 0o400 }]]);
    expect(await writePayload(options, dir, files)).toBe(true);
    const of = (path: string) => systemFileSystem.stat(`${dir}/${path}`, { follow: true });
    expect(await of('sub/deep/key')).toMatchObject({ uid: 0, gid: 2000, mode: 0o440 });
    for (const folder of ['..data', 'sub', 'sub/deep']) {
      expect(await of(folder)).toMatchObject({ uid: 0, gid: 2000, mode: 0o2755 });
    }
    expect(await writePayload(options, dir, files)).toBe(false);
  });

  it('writes nothing when nothing changed', async () => {
    await write({ a: '1' });
    const before = await systemFileSystem.readlink(`${dir}/..data`);
    expect(await write({ a: '1' })).toBe(false);
    expect(await systemFileSystem.readlink(`${dir}/..data`)).toBe(before);
    expect(await write({ a: '2' })).toBe(true);
  });

  it('writes nothing at all when a path leads out', async () => {
    await expect(write({ a: '1', '../out': '2' })).rejects.toThrow("invalid path: must not contain '..': ../out");
    expect(await readdir(dir)).toEqual([]);
  });

  it('shows whatever was written last, and keeps nothing else', async () => {
    const names = fc.constantFrom('a', 'b', 'c.conf', 'd/e', 'd/f/g', 'h/i');
    const payloads = fc.array(fc.dictionary(names, fc.string({ maxLength: 8 })), { minLength: 1, maxLength: 6 });
    let run = 0;
    await fc.assert(
      fc.asyncProperty(payloads, async (sequence) => {
        const to = join(dir, String(run++));
        for (const texts of sequence) {
          await systemFileSystem.mkdir(to);
          await write(texts, systemFileSystem, to);
          expect(await visible(to)).toEqual(texts);
          expect((await readdir(to)).filter((name) => name.startsWith('..')).length).toBe(2);
        }
      }),
      { numRuns: 15 },
    );
  });

  it('never shows a mixture, wherever it is cut off, and comes right with the next write', async () => {
    const before: Texts = { a: 'old', 'd/b': 'old' };
    const after: Texts = { a: 'new', 'd/b': 'new', c: 'new' };
    for (let cut = 0, done = false; !done; cut++) {
      const to = join(dir, `cut-${cut}`);
      await systemFileSystem.mkdir(to);
      await write(before, systemFileSystem, to);
      done = await write(after, failingAfter(cut), to).then(
        () => true,
        () => false,
      );
      const values = new Set(Object.values(await visible(to)));
      expect(values.size, `cut after ${cut} calls`).toBe(1);
      await write(after, systemFileSystem, to);
      expect(await visible(to)).toEqual(after);
      expect((await readdir(to)).filter((name) => name.startsWith('..')).length).toBe(2);
      expect(cut).toBeLessThan(100);
    }
  });
});

describe('writePayload with mount points of other volumes', () => {
  const points = ['cache', 'd/deep/in', 'd/in'];
  const writeWith = (texts: Texts, mountPoints = points, fs = systemFileSystem, to = dir) =>
    write(texts, fs, to, mountPoints);
  const inode = async (path: string) => (await stat(join(dir, path))).ino;

  it('makes folders, and hides nothing of the payload beside them', async () => {
    await writeWith({ a: '1', 'd/e': '2', 'd/deep/f': '3', 'h/i': '4' });
    expect(await visible(dir)).toEqual({ a: '1', 'd/e': '2', 'd/deep/f': '3', 'h/i': '4' });
    for (const point of points) expect((await lstat(join(dir, point))).mode, point).toBe(0o40755);
    expect(await systemFileSystem.readlink(`${dir}/d/e`)).toBe('../..data/d/e');
    expect(await systemFileSystem.readlink(`${dir}/d/deep/f`)).toBe('../../..data/d/deep/f');
  });

  it('keeps them, and what is mounted there, over every change', async () => {
    const names = fc.constantFrom('a', 'cache/x', 'd/e', 'd/f/g', 'd/deep/x', 'd/in/x', 'h/i');
    const payloads = fc.array(fc.dictionary(names, fc.string({ maxLength: 8 })), { minLength: 1, maxLength: 6 });
    let run = 0;
    await fc.assert(
      fc.asyncProperty(payloads, async (sequence) => {
        const to = join(dir, String(run++));
        await systemFileSystem.mkdir(to);
        await writeWith({}, points, systemFileSystem, to);
        const mounted = { 'cache/theirs': 't', 'd/deep/in/theirs': 't', 'd/in/theirs': 't' };
        for (const [path, text] of Object.entries(mounted)) await writeFile(join(to, path), text);
        for (const texts of sequence) {
          await writeWith(texts, points, systemFileSystem, to);
          expect(await writeWith(texts, points, systemFileSystem, to)).toBe(false);
          // What the payload has at a mount point itself is behind the mount.
          const seen = Object.entries(texts).filter(([path]) => !points.some((each) => path.startsWith(`${each}/`)));
          expect(await visible(to)).toEqual({ ...Object.fromEntries(seen), ...mounted });
        }
      }),
      { numRuns: 15 },
    );
  });

  it('comes right wherever it is cut off', async () => {
    const before: Texts = { a: 'old', 'd/b': 'old' };
    const after: Texts = { a: 'new', 'd/b': 'new', 'd/deep/c': 'new' };
    for (let cut = 0, done = false; !done; cut++) {
      const to = join(dir, `cut-${cut}`);
      await systemFileSystem.mkdir(to);
      await writeWith(before, [], systemFileSystem, to);
      done = await writeWith(after, points, failingAfter(cut), to).then(
        () => true,
        () => false,
      );
      await writeWith(after, points, systemFileSystem, to);
      expect(await visible(to)).toEqual(after);
      for (const point of points) expect((await lstat(join(to, point))).isDirectory()).toBe(true);
      expect(cut).toBeLessThan(100);
    }
  });

  it('leaves a file of the payload where a single file is mounted', async () => {
    await writeWith({ 'a.conf': '1', 'x/y': '2' }, ['a.conf', 'x/y']);
    expect(await visible(dir)).toEqual({ 'a.conf': '1', 'x/y': '2' });
  });

  it('leaves a link of an earlier agent, over which a container has mounted, until its name goes', async () => {
    await write({ 'cache/x': '1' });
    await writeWith({ 'cache/x': '1' }, ['cache']);
    expect(await systemFileSystem.readlink(`${dir}/cache`)).toBe('..data/cache');
    await writeWith({ b: '1' }, ['cache']);
    expect((await lstat(join(dir, 'cache'))).isDirectory()).toBe(true);
    const made = await inode('cache');
    await writeWith({ 'cache/x': '2' }, ['cache']);
    expect(await inode('cache')).toBe(made);
  });

  it('makes those inside of a mount point, and looks at nothing else there', async () => {
    await writeWith({ 'cache/x': '1' }, ['cache']);
    await writeFile(join(dir, 'cache/theirs'), 't');
    await chmod(join(dir, 'cache'), 0o700);
    await writeWith({ 'cache/x': '1' }, ['cache', 'cache/in']);
    expect((await readdir(join(dir, 'cache'))).toSorted()).toEqual(['in', 'theirs']);
    expect((await lstat(join(dir, 'cache'))).mode).toBe(0o40700);
  });

  it.runIf(getuid?.() === 0)('gives them to the group of the pod', async () => {
    const options = { fs: systemFileSystem, clock: createManualClock(), random, fsGroup: 2000, mountPoints: points };
    await writePayload(options, dir, new Map());
    for (const folder of [...points, 'd', 'd/deep'])
      expect(await systemFileSystem.stat(`${dir}/${folder}`)).toMatchObject({ uid: 0, gid: 2000, mode: 0o2755 });
  });
});

/** The file system of a process that is killed after so many changes. */
function failingAfter(changes: number): FileSystem {
  let left = changes;
  const guard = <A extends unknown[], R>(call: (...args: A) => Promise<R>) => {
    return async (...args: A): Promise<R> => {
      if (left-- <= 0) throw new Error('killed');
      return call(...args);
    };
  };
  const fs = systemFileSystem;
  return {
    ...fs,
    writeFile: guard((...args) => fs.writeFile(...args)),
    mkdir: guard((...args) => fs.mkdir(...args)),
    remove: guard((...args) => fs.remove(...args)),
    rename: guard((...args) => fs.rename(...args)),
    symlink: guard((...args) => fs.symlink(...args)),
    chmod: guard((...args) => fs.chmod(...args)),
  };
}

describe('checkPayloadPath', () => {
  it.each(['a', 'a/b', '.hidden', 'a..b', 'a/...b', '...'.replace('...', 'x..')])('takes %s', (path) => {
    expect(() => checkPayloadPath(path)).not.toThrow();
  });
  it.each(['', '/a', '..', '../a', 'a/..', 'a/../b', '..a', './..a', '.', './', 'x'.repeat(256)])(
    'refuses %s',
    (path) => {
      expect(() => cleanPayloadPath(path)).toThrow(/^invalid path/);
    },
  );
  it.each([
    ['a//b', 'a/b'],
    ['./a', 'a'],
    ['a/', 'a'],
    ['a/./b', 'a/b'],
  ])('takes %s for %s', (path, clean) => {
    expect(cleanPayloadPath(path)).toBe(clean);
  });
});
