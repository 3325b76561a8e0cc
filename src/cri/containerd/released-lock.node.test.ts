import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { lockHolder } from './proc.node.ts';
import { untilReleased } from './released-lock.node.ts';

const FOREVER_MS = 3_600_000;

describe('a lock on a file', () => {
  let folder = '';
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'mendlet-lock-'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  /** Holds a lock on a new file, taken by a process that has ended, for as long as the child's input is open. */
  const heldByTheDead = async (name: string) => {
    const path = join(folder, name);
    writeFileSync(path, '');
    // The program `flock` takes the lock for the shell's descriptor and ends; the shell holds it on.
    const script = `exec 9>${path}; flock 9; echo taken; exec cat`;
    const child = spawn('sh', ['-c', script], { stdio: ['pipe', 'pipe', 'inherit'] });
    await new Promise((resolve) => child.stdout.once('data', resolve));
    return { path, child };
  };

  it('that nobody holds is free, and so is one on no file', async () => {
    expect(await untilReleased(join(folder, 'none'), FOREVER_MS)).toBeUndefined();
  });

  it('of a living process is told at once', async () => {
    const path = join(folder, 'living');
    const child = spawn('flock', [path, 'cat'], { stdio: ['pipe', 'ignore', 'inherit'] });
    await expect.poll(() => lockHolder(path)).toBe(child.pid);
    expect(await untilReleased(path, FOREVER_MS)).toBe(child.pid);
    child.stdin.end();
  });

  it('of a dead process is waited for', async () => {
    const { path, child } = await heldByTheDead('dead');
    const dead = lockHolder(path);
    expect(dead).toBeGreaterThan(0);
    expect(dead).not.toBe(child.pid);
    setTimeout(() => child.stdin.end(), 50);
    expect(await untilReleased(path, FOREVER_MS)).toBeUndefined();
    expect(execFileSync('flock', ['--nonblock', path, 'echo', 'free'], { encoding: 'utf8' })).toBe('free\n');
  });

  it('of a dead process is told when it stays', async () => {
    const { path, child } = await heldByTheDead('stays');
    expect(await untilReleased(path, 100)).toBe(lockHolder(path));
    child.stdin.end();
  });
});
