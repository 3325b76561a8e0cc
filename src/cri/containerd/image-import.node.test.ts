/** What mendlet itself does with archives of strangers: it opens none, and what is said of them is bounded and drives no terminal. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type RunResult, silentLogger } from '../../lib/index.ts';
import type { ImageService } from '../runtime.ts';
import { ImageImporter, ImageImportError } from './image-import.node.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mendlet-import-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** An importer on a client of containerd's that answers so, and the archives that were given to that. */
function importer(answer: Partial<RunResult>): { readonly images: ImageImporter; readonly given: string[] } {
  const given: string[] = [];
  const images = new ImageImporter({
    ctr: '/usr/bin/ctr',
    socket: '/run/none.sock',
    process: {
      run: async (_, args) => {
        given.push(args.at(-1) ?? '');
        return { code: 0, stdout: '', stderr: '', ...answer };
      },
    },
    logger: silentLogger,
    images: { status: async () => ({}) } as unknown as ImageService,
    recordFile: join(folder, 'imported.json'),
    fileLock: async () => ({ release: () => {} }),
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
