import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { linkSync, mkdirSync, readdirSync, renameSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemFileSystem as fs } from './file-system.node.ts';

const SECRET = 'root:x:secret';
let root = '';
let secret = '';
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'mendlet-below-'));
  secret = join(root, 'secret');
  writeFileSync(secret, SECRET);
  mkdirSync(join(root, 'logs', 'pod', 'main'), { recursive: true });
  writeFileSync(join(root, 'logs', 'pod', 'main', '0.log'), 'log');
});
afterEach(() => rm(root, { recursive: true, force: true }));

const folder = (): string => join(root, 'logs');
const log = (): string => join(folder(), 'pod/main/0.log');

async function read(path = 'pod/main/0.log'): Promise<string> {
  const file = await fs.openFileBelow(folder(), path);
  if (file === undefined) return 'nothing';
  try {
    return Buffer.from(await file.readAt(0, 1000)).toString();
  } finally {
    await file.close();
  }
}

describe('openFileBelow', () => {
  it('reads a regular file, and says when there is none', async () => {
    expect(await read()).toBe('log');
    expect(await read('pod/main/1.log')).toBe('nothing');
    expect(await read('pod/none/1.log')).toBe('nothing');
    await rm(folder(), { recursive: true });
    expect(await read()).toBe('nothing');
  });

  it.each(['../secret', 'pod/../../secret', '/secret', 'pod//main', '', '.', 'pod/main/../main/0.log'])(
    'refuses the path %j',
    async (path) => {
      await expect(read(path)).rejects.toMatchObject({ code: 'EINVAL' });
    },
  );

  it.each<[string, string, () => void]>([
    ['a link', 'ELOOP', () => symlinkSync(secret, log())],
    ['a link to itself', 'ELOOP', () => symlinkSync('0.log', log())],
    ['a link within the folder', 'ELOOP', () => symlinkSync('../0.log', log())],
    ['a hard link', 'EMLINK', () => linkSync(secret, log())],
    ['a folder', 'EINVAL', () => mkdirSync(log())],
    ['a pipe that nobody writes to', 'EINVAL', () => execFileSync('mkfifo', [log()])],
    ['a device', 'EINVAL', () => execFileSync('cp', ['-a', '/dev/zero', log()])],
    ['a link to a device', 'ELOOP', () => symlinkSync('/dev/zero', log())],
  ])('refuses %s in its place', async (_, code, put) => {
    unlinkSync(log());
    put();
    await expect(read()).rejects.toMatchObject({ name: 'FileError', code });
  });

  it('refuses a socket in its place', async () => {
    unlinkSync(log());
    const server = createServer();
    await new Promise<void>((done) => server.listen(log(), done));
    try {
      await expect(read()).rejects.toMatchObject({ code: 'EINVAL' });
    } finally {
      await new Promise((done) => server.close(done));
    }
  });

  it.each(['pod', 'pod/main'])('refuses a link in place of %s', async (swapped) => {
    renameSync(join(folder(), swapped), join(root, 'aside'));
    symlinkSync(join(root, 'aside'), join(folder(), swapped));
    await expect(read()).rejects.toMatchObject({ code: 'ELOOP' });
  });

  it('never shows another file while somebody swaps it for links, and leaves nothing open', async () => {
    const open = (): number => readdirSync('/proc/self/fd').length;
    const before = open();
    const other = join(root, 'other');
    mkdirSync(other);
    symlinkSync(secret, join(other, '0.log'));
    // It ends between two rounds: a signal would leave its last command running into the folders' removal.
    const stop = join(root, 'stop');
    const script = `
      cd "$1/logs/pod" || exit 1
      while [ ! -e "$1/stop" ]; do
        ln -sf "$1/secret" main/0.log; rm -f main/0.log; printf log >main/0.log
        mv main aside; ln -s "$1/other" main; rm -f main; mv aside main
      done`;
    const swapping = once(spawn('sh', ['-c', script, 'sh', root], { stdio: 'ignore' }), 'exit');
    const seen = new Set<string>();
    for (let i = 0; i < 1500; i++) seen.add(await read().catch((error: { code: string }) => error.code));
    writeFileSync(stop, '');
    expect(await swapping).toEqual([0, null]);
    expect(seen).not.toContain(SECRET);
    expect([...seen].filter((each) => !['log', '', 'nothing', 'ELOOP', 'ENOTDIR', 'EINVAL'].includes(each))).toEqual(
      [],
    );
    expect(open()).toBeLessThanOrEqual(before + 2);
  });

  it('stays with its file when that is renamed, and knows it', async () => {
    const file = await fs.openFileBelow(folder(), 'pod/main/0.log');
    if (file === undefined) throw new Error('there is a file');
    expect(await file.isInPlace()).toBe(true);
    renameSync(log(), `${log()}.1`);
    expect(await file.isInPlace()).toBe(false);
    writeFileSync(log(), 'new');
    expect(await file.isInPlace()).toBe(false);
    expect(Buffer.from(await file.readAt(1, 10)).toString()).toBe('og');
    expect(await file.size()).toBe(3);
    await file.close();
  });
});

describe('openBelow', () => {
  it('makes no folders unless it is asked to', async () => {
    await expect(fs.openBelow(folder(), 'pod/none', {})).rejects.toMatchObject({ code: 'ENOENT' });
    expect(readdirSync(join(folder(), 'pod'))).toEqual(['main']);
    const made = await fs.openBelow(folder(), 'pod/none', { folderMode: 0o700 });
    expect(made.type).toBe('directory');
    await made.close();
  });
});
