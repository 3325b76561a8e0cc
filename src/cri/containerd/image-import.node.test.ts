/** What mendlet itself does with archives of strangers: it opens none, and what is said of them is bounded and drives no terminal. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemProcess } from '../../lib/process.node.ts';
import { type RunResult, silentLogger } from '../../lib/index.ts';
import type { ImageService } from '../runtime.ts';
import { ImageImporter, ImageImportError } from './image-import.node.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mendlet-import-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const plain = () => ({
  socket: '/run/none.sock',
  logger: silentLogger,
  images: { status: async () => ({}) } as unknown as ImageService,
  recordFile: join(folder, 'imported.json'),
  fileLock: async () => ({ release: () => {} }),
});

/** An importer on a client of containerd's that answers so, and the archives that were given to that. */
function importer(answer: Partial<RunResult>): { readonly images: ImageImporter; readonly given: string[] } {
  const given: string[] = [];
  const images = new ImageImporter({
    ...plain(),
    ctr: '/usr/bin/ctr',
    process: {
      run: async (_, args) => {
        given.push(args.at(-1) ?? '');
        return { code: 0, stdout: '', stderr: '', ...answer };
      },
    },
  });
  return { images, given };
}

async function refusal(importing: Promise<unknown>): Promise<string> {
  const error = await importing.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(ImageImportError);
  return (error as Error).message;
}

describe('an archive', () => {
  it.each<[string, (path: string) => void, string]>([
    ['a pipe', (path) => spawnSync('mkfifo', [path]), 'is no regular file'],
    ['a device behind a link', (path) => symlinkSync('/dev/zero', path), 'is no regular file'],
    ['a link to nothing', (path) => symlinkSync('/nonexistent/x', path), 'no such file'],
    ['a link to itself', (path) => symlinkSync(path, path), 'ELOOP'],
    ['nothing at all', () => {}, 'no such file'],
  ])('that is %s is refused, and nobody waits for it', async (kind, make, what) => {
    const path = join(folder, 'image.tar');
    make(path);
    const { images, given } = importer({});
    expect(await refusal(images.importArchives([path]))).toMatch(new RegExp(`^image archive ${path}: .*${what}`));
    // Nor is it passed over in a folder.
    if (kind !== 'nothing at all') await refusal(images.importArchives([folder]));
    expect(given).toEqual([]);
  });

  it('may be a link to a file, or one of a folder, in which folders are none', async () => {
    mkdirSync(join(folder, 'many/sub.tar'), { recursive: true });
    writeFileSync(join(folder, 'real'), 'x');
    symlinkSync(join(folder, 'real'), join(folder, 'many/linked.tar'));
    const { images, given } = importer({ stdout: 'unpacking docker.io/library/a:1 (sha256:00)...done' });
    expect(await images.importArchives([join(folder, 'many')])).toEqual(['docker.io/library/a:1']);
    expect(given).toEqual([join(folder, 'many/linked.tar')]);
  });

  it('that is larger than the disk is refused before a byte of it is read', async () => {
    const path = join(folder, 'image.tar');
    writeFileSync(path, 'x');
    // A file with a hole of a terabyte and more: nothing is written.
    truncateSync(path, 2 ** 43 - 4096);
    const { images, given } = importer({});
    expect(await refusal(images.importArchives([path]))).toMatch(
      /is of 8388608 MiB, and the disk has room for \d+ MiB$/,
    );
    expect(given).toEqual([]);
  });

  it.each([
    ['ulimit -d', '786432'],
    [
      'echo "fatal error: runtime: out of memory"; yes "goroutine 1 [running]:" | head -n 9999',
      'its index or manifest is too large to be read (768 MiB)',
    ],
  ])('is read by a client that has so much memory, and few words are made of its end: %s', async (script, said) => {
    const path = join(folder, 'image.tar');
    writeFileSync(path, 'x');
    const ctr = join(folder, 'ctr');
    writeFileSync(ctr, `#!/bin/sh\n(${script}) >&2\nexit 2\n`, { mode: 0o755 });
    const images = new ImageImporter({ ...plain(), ctr, process: systemProcess });
    expect(await refusal(images.importArchives([path]))).toBe(`image archive ${path}: ${said}`);
  });

  const HOSTILE = '\u001b[31mred\u001b]0;title\u0007\u009b2J\u202e';

  it('is refused with a short line that drives no terminal, whatever is said of it', async () => {
    const path = join(folder, 'image.tar');
    writeFileSync(path, 'x');
    for (const stderr of [
      `ctr: ${HOSTILE}`,
      `ctr: ${'x'.repeat(1_000_000)} at the end`,
      `${'y\n'.repeat(100_000)}z`,
      '',
    ]) {
      const message = await refusal(importer({ code: 1, stderr }).images.importArchives([path]));
      expect(message.length).toBeLessThan(2000);
      // oxlint-disable-next-line no-control-regex
      expect(message).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202e]/);
    }
  });

  it('whose names could drive a terminal, or are too long to be names, is refused', async () => {
    const path = join(folder, 'image.tar');
    writeFileSync(path, 'x');
    for (const name of [HOSTILE, 'x'.repeat(100_000), `docker.io/a:1${HOSTILE}`]) {
      const stdout = `unpacking ${name} (sha256:00)...done`;
      const message = await refusal(importer({ stdout }).images.importArchives([path]));
      expect(message).toContain('no name of an image');
      expect(message.length).toBeLessThan(2000);
    }
  });
});
