import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { FileError, type FileSystem } from '../../lib/index.ts';
import { systemFileSystem } from '../../lib/file-system.node.ts';
import { sha256Hex } from '../../lib/sha256.node.ts';
import { MAX_NOTE_BYTES } from './limits.ts';
import { NoteStore } from './note-store.ts';
import type { VolumeNote } from './volume-note.ts';

let root = '';
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'mendlet-csi-notes-'));
});
afterEach(() => rm(root, { recursive: true, force: true }));

const store = (fs: FileSystem = systemFileSystem): NoteStore => new NoteStore(fs, root, sha256Hex);
const note = (handle: string): VolumeNote => ({ driver: 'd', handle, boot: 'b', publications: [] });
const key = (handle: string): string => store().key(note(handle));

it('refuses a note that it would not read again, and keeps what is there', async () => {
  const notes = store();
  const big = note('h'.repeat(MAX_NOTE_BYTES));
  await expect(notes.put(big)).rejects.toThrow(
    /^the note of volume h{256}… of CSI driver d would have \d+ bytes; the limit is 262144$/,
  );
  expect(await notes.get(big)).toBeUndefined();
  await notes.put(note('one'));
  expect(await readdir(join(root, 'csi'))).toEqual([`${key('one')}.json`]);
  expect(await store().list()).toEqual([note('one')]);
});

it.each([
  ['is too large', 'x'.repeat(MAX_NOTE_BYTES + 1)],
  ['is no JSON', '{'],
  ['is another volume’s', JSON.stringify(note('other'))],
  ['was cut by a power failure', JSON.stringify(note('bad')).slice(0, 40)],
  ['has a step of a version to come', JSON.stringify({ ...note('bad'), staging: { path: '/s', step: 'migrating' } })],
])('a note that %s costs its own volume alone', async (_, text) => {
  await store().put(note('one'));
  await writeFile(join(root, 'csi', `${key('bad')}.json`), text);
  const notes = store();
  expect(await notes.list()).toEqual([note('one')]);
  await expect(notes.get(note('bad'))).rejects.toThrow(
    `the note ${root}/csi/${key('bad')}.json of a volume is damaged`,
  );
  expect(await notes.damaged()).toEqual([`${root}/csi/${key('bad')}.json`]);
});

it('a note that the disk does not give is damaged alone, and read again when its volume is asked for', async () => {
  await store().put(note('one'));
  await store().put(note('two'));
  let fails = true;
  const fs: FileSystem = {
    ...systemFileSystem,
    readFile: async (path, options) => {
      if (fails && path.includes(key('two'))) throw new FileError('EIO', path, `EIO: i/o error, read ${path}`);
      return await systemFileSystem.readFile(path, options);
    },
  };
  const notes = store(fs);
  expect(await notes.list()).toEqual([note('one')]);
  await expect(notes.get(note('two'))).rejects.toThrow('EIO: i/o error');
  fails = false;
  expect(await notes.get(note('two'))).toEqual(note('two'));
  expect(await notes.damaged()).toEqual([]);
});

it('a folder in the place of a note costs its own volume alone', async () => {
  await mkdir(join(root, 'csi', `${key('bad')}.json`), { recursive: true });
  expect(await store().list()).toEqual([]);
});

it('always has room for the words of undoing', async () => {
  const notes = store();
  const full = (pods: number, step: 'planned' | 'unpublishing'): VolumeNote => ({
    ...note('full'),
    staging: { path: '/s', step: step === 'planned' ? 'staged' : 'unstaging', isMount: false },
    size: { bytes: Number.MAX_SAFE_INTEGER, step: 'expanded' },
    publications: Array.from({ length: pods }, (__, at) => ({ pod: `${at}`, volume: 'v', target: `/${at}`, step })),
  });
  const isKept = async (pods: number): Promise<boolean> => {
    const { size: _, ...wanted } = full(pods, 'planned');
    try {
      await notes.put(wanted);
      await notes.remove(wanted);
      return true;
    } catch {
      return false;
    }
  };
  let fits = 1;
  for (let more = 4096; more >= 1; more /= 2) if (await isKept(fits + more)) fits += more;
  expect(fits).toBeGreaterThan(3000);
  const { size: _, ...wanted } = full(fits, 'planned');
  await notes.put(wanted);
  await notes.put(full(fits, 'unpublishing'));
  expect(await store().list()).toHaveLength(1);
});
