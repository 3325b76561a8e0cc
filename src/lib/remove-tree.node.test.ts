import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemFileSystem as fs } from './file-system.node.ts';

let folder = '';
let tree = '';
beforeEach(async () => {
  // The tests make and remove thousands of files, so memory is preferred.
  folder = await mkdtemp(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'mendlet-remove-'));
  tree = join(folder, 'tree');
  mkdirSync(tree);
});
afterEach(() => execFileSync('rm', ['-rf', folder]));

const sh = (script: string): void => void execFileSync('sh', ['-c', script], { cwd: tree });

describe('remove, of what a container left', () => {
  it.each([
    [
      'names that are no text',
      `touch "$(printf 'a\\377b')" && mkdir "$(printf '\\300')" && touch "$(printf '\\300/\\301')"`,
    ],
    ['names with newlines, escapes and dashes', `touch "$(printf 'a\\nb')" -- -rf "$(printf '\\033[31m')" ' '`],
    ['a symlink farm', 'for i in $(seq 20); do ln -s / l$i; ln -s l$((i+1)) m$i; done; mkdir d; ln -s .. d/up'],
    ['pipes, sockets and devices', 'mkfifo p; mknod c c 1 3 2>/dev/null; mkdir d; mkfifo d/p'],
    ['a sparse file of a terabyte', 'truncate -s 1T big'],
    ['folders that nobody may enter', 'mkdir -p a/b; touch a/b/c; chmod 000 a/b a'],
    ['hard links', 'touch a; for i in $(seq 20); do ln a h$i; done'],
  ])('removes %s', async (_, script) => {
    sh(script);
    await fs.remove(tree);
    expect(existsSync(tree)).toBe(false);
  });

  it('removes a tree deeper than any path, with few folders open', async () => {
    // The path is many times longer than PATH_MAX.
    const script = "for (let i = 0; i < 300; i++) { fs.mkdirSync('d'.repeat(100)); process.chdir('d'.repeat(100)); }";
    execFileSync(process.execPath, ['-e', script], { cwd: tree });
    let most = 0;
    const timer = setInterval(() => (most = Math.max(most, readdirSync('/proc/self/fd').length)), 1);
    const before = readdirSync('/proc/self/fd').length;
    await fs.remove(tree);
    clearInterval(timer);
    expect(existsSync(tree)).toBe(false);
    expect(most - before).toBeLessThan(60);
  });

  it('removes more than it takes at once from a folder', async () => {
    for (let i = 0; i < 1100; i++) writeFileSync(join(tree, `file${i}`), '');
    await fs.remove(tree);
    expect(existsSync(tree)).toBe(false);
  });

  it('removes all but what is immutable, and says what that is', async () => {
    tree = await mkdtemp(join(tmpdir(), 'mendlet-remove-'));
    writeFileSync(join(tree, 'kept'), '');
    mkdirSync(join(tree, 'a'));
    for (const name of ['b', 'z', 'a/c']) writeFileSync(join(tree, name), '');
    try {
      execFileSync('chattr', ['+i', join(tree, 'kept')], { stdio: 'ignore' });
    } catch {
      rmSync(tree, { recursive: true });
      return; // This file system has no such attribute.
    }
    try {
      await expect(fs.remove(tree)).rejects.toThrow(/"kept" could not be removed: EPERM \(it may be immutable/);
      expect(readdirSync(tree)).toEqual(['kept']);
    } finally {
      execFileSync('chattr', ['-i', join(tree, 'kept')]);
    }
    await fs.remove(tree);
    expect(existsSync(tree)).toBe(false);
  });

  it('never leaves its tree while somebody swaps folders for links', async () => {
    const precious = join(folder, 'precious');
    mkdirSync(join(precious, 'deep'), { recursive: true });
    for (let i = 0; i < 20; i++) writeFileSync(join(precious, `file${i}`), '');
    const end = new AbortController();
    const swapping = (async () => {
      for (let turn = 0; !end.signal.aborted; turn += 1) {
        for (let i = 0; i < 10; i++) {
          const path = join(tree, `d${i}`);
          try {
            rmSync(path, { recursive: true, force: true });
            if (turn % 2 === 0) mkdirSync(join(path, 'deep'), { recursive: true });
            else symlinkSync(precious, path);
          } catch {
            // The removal was quicker.
          }
        }
        await new Promise((resolve) => setTimeout(resolve, 1));
      }
    })();
    for (let i = 0; i < 10; i++)
      await fs.remove(tree).then(
        () => mkdirSync(tree, { recursive: true }),
        () => {},
      );
    end.abort();
    await swapping;
    expect(readdirSync(precious)).toHaveLength(21);
  });
});
