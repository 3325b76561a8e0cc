import { spawnSync } from 'node:child_process';
import { link, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemFileSystem } from '../../lib/file-system.node.ts';
import { silentLogger } from '../../lib/index.ts';
import { createManualClock, settle } from '../../lib/manual-clock.node.ts';
import { systemProcess } from '../../lib/process.node.ts';
import { LogRotation } from './log-rotation.ts';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rotation-'));
});
afterEach(async () => {
  await rm(folder, { recursive: true });
});

/** Runs one look at the log; `reopen` is the runtime's part. */
async function lookOnce(reopen: (path: string) => Promise<void>): Promise<void> {
  const path = join(folder, '0.log');
  const work: Promise<unknown>[] = [];
  const rotation = new LogRotation({
    clock: createManualClock(),
    logger: silentLogger,
    fs: systemFileSystem,
    process: {
      run: (...args) => {
        const run = systemProcess.run(...args);
        work.push(run);
        return run;
      },
    },
    runtime: { reopenContainerLog: () => reopen(path) },
    settings: { maxSizeBytes: 10, maxFiles: 3, monitorIntervalMs: 1000 },
    runningContainers: () => [{ id: 'c1', logPath: path }],
  });
  const end = new AbortController();
  void rotation.run(end.signal);
  for (let turn = 0; turn < 200; turn++) {
    await settle();
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  await Promise.all(work);
  end.abort();
}

describe('LogRotation', () => {
  it('leaves a short log alone', async () => {
    await writeFile(join(folder, '0.log'), 'short\n');
    await lookOnce(async () => expect.unreachable());
    expect(await readdir(folder)).toEqual(['0.log']);
  });

  it('moves a long log aside, compresses the one before and removes the oldest', async () => {
    await writeFile(join(folder, '0.log'), 'a line that is too long\n');
    await writeFile(join(folder, '0.log.20200101-000000.gz'), 'oldest');
    await writeFile(join(folder, '0.log.20200102-000000'), 'older');
    await lookOnce((path) => writeFile(path, ''));
    const names = (await readdir(folder)).toSorted();
    expect(names[0]).toBe('0.log');
    expect(names[1]).toBe('0.log.20200102-000000.gz');
    expect(names[2]).toMatch(/^0\.log\.\d{8}-\d{6}$/);
    expect(names).toHaveLength(3);
    expect(await readFile(join(folder, names[2] ?? ''), 'utf8')).toBe('a line that is too long\n');
  });

  it('moves it back when the runtime does not open a new one', async () => {
    await writeFile(join(folder, '0.log'), 'a line that is too long\n');
    await lookOnce(() => Promise.reject(new Error('the runtime is away')));
    expect(await readdir(folder)).toEqual(['0.log']);
  });

  describe('in a folder that a pod writes to', () => {
    let secret = '';
    beforeEach(async () => {
      secret = join(folder, '..', `${folder.split('/').at(-1)}-secret`);
      await writeFile(secret, 'root:x:secret');
    });
    afterEach(() => rm(secret));
    const logText = 'a line that is too long\n';
    const everything = async (): Promise<string> => {
      const texts = (await readdir(folder)).map((name) => {
        const run = spawnSync('sh', ['-c', 'zcat -f <"$1"', 'sh', join(folder, name)], { encoding: 'utf8' });
        return run.stdout;
      });
      return texts.join('');
    };

    it.each<[string, (old: string) => Promise<void>]>([
      ['a link', (old) => symlink(secret, old)],
      ['a hard link', (old) => link(secret, old)],
      ['a folder', (old) => mkdir(old).then(() => writeFile(join(old, 'x'), ''))],
      ['a pipe', async (old) => void spawnSync('mkfifo', [old])],
    ])('compresses no %s that is called like a rotated log', async (_, put) => {
      await writeFile(join(folder, '0.log'), logText);
      await put(join(folder, '0.log.20200102-000000'));
      await lookOnce((path) => writeFile(path, ''));
      await rm(join(folder, '0.log.20200102-000000'), { recursive: true, force: true });
      expect(await everything()).toBe(logText);
      expect(await readFile(secret, 'utf8')).toBe('root:x:secret');
    });

    it('writes its compression to no file that was there', async () => {
      await writeFile(join(folder, '0.log'), logText);
      await writeFile(join(folder, '0.log.20200102-000000'), 'older');
      for (const end of ['.gz', '.tmp', '.gz.tmp']) await symlink(secret, join(folder, `0.log.20200102-000000${end}`));
      await lookOnce((path) => writeFile(path, ''));
      expect(await readFile(secret, 'utf8')).toBe('root:x:secret');
      expect(await everything()).toContain(logText);
    });

    it.each<[string, (log: string) => Promise<void>]>([
      ['a link to a large file', (log) => symlink(secret, log)],
      ['a folder', (log) => mkdir(log).then(() => undefined)],
      ['a pipe', async (log) => void spawnSync('mkfifo', [log])],
    ])('leaves %s in the place of the log alone', async (_, put) => {
      await put(join(folder, '0.log'));
      await lookOnce(async () => expect.unreachable());
      expect(await readdir(folder)).toEqual(['0.log']);
    });

    it('is not led away by a link in place of the folder', async () => {
      const elsewhere = await mkdtemp(join(tmpdir(), 'elsewhere-'));
      await writeFile(join(elsewhere, '0.log'), logText);
      await rm(folder, { recursive: true });
      await symlink(elsewhere, folder);
      await lookOnce(async () => expect.unreachable());
      expect(await readdir(elsewhere)).toEqual(['0.log']);
      await rm(folder);
      await mkdir(folder);
      await rm(elsewhere, { recursive: true });
    });
  });

  it('asks for a log that has vanished', async () => {
    let asked = 0;
    await lookOnce(async (path) => {
      asked += 1;
      await writeFile(path, '');
    });
    expect(asked).toBe(1);
  });
});
