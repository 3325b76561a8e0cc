import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { holdInStat, openHeldProcesses } from './held-processes.node.ts';

const mayUnshare = spawnSync('unshare', ['-p', '-f', 'true']).status === 0;

const spawned: ChildProcess[] = [];
afterEach(() => {
  for (const child of spawned.splice(0)) child.kill('SIGKILL');
});

function statusOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/status`, 'utf8');
  } catch {
    return '';
  }
}

describe('held processes', () => {
  it('are those that somebody stopped, until they go on', async () => {
    const child = spawn('sleep', ['600']);
    spawned.push(child);
    const held = openHeldProcesses();
    const pid = child.pid ?? 0;
    expect(await held.of([pid])).toBeUndefined();
    child.kill('SIGSTOP');
    await expect.poll(() => held.of([pid + 100_000, pid])).toBe('stopped');
    child.kill('SIGCONT');
    await expect.poll(() => held.of([pid])).toBeUndefined();
  });

  it('may be another one than the main one', async () => {
    const children = [spawn('sleep', ['600']), spawn('sleep', ['600'])];
    spawned.push(...children);
    const [main = 0, other = 0] = children.map(({ pid }) => pid);
    const held = openHeldProcesses();
    expect(await held.stopped([other, main, 2 ** 30])).toBeUndefined();
    children[1]?.kill('SIGSTOP');
    await expect.poll(() => held.stopped([other, main, 2 ** 30])).toEqual({ process: 'sleep', pid: other });
    expect(await held.of([other, main])).toBeUndefined();
    children[0]?.kill('SIGSTOP');
    await expect.poll(() => held.stopped([other, main])).toEqual({ process: 'sleep', pid: main });
  });

  it.skipIf(!mayUnshare)(
    'has the number that its container sees (skipped where nobody may unshare: needs root)',
    async () => {
      // The shell is number 1, and kills its own child.
      const script = 'sleep 600 & kill -STOP $!; echo $!; wait';
      const outer = spawn('unshare', ['-p', '-f', '--kill-child', 'sh', '-c', script]);
      spawned.push(outer);
      const inner = await new Promise<number>((resolve) => outer.stdout.once('data', (text) => resolve(Number(text))));
      const pids = readdirSync('/proc').flatMap((name) => {
        const status = /^\d+$/.test(name) && Number(name) > (outer.pid ?? 0) ? statusOf(name) : '';
        return new RegExp(String.raw`^NSpid:\t.*\t${inner}$`, 'm').test(status) ? [Number(name)] : [];
      });
      expect(inner).toBeLessThan(100);
      await expect.poll(() => openHeldProcesses().stopped(pids)).toMatchObject({ pid: inner });
    },
  );

  it.each([
    ['7 (sleep) S 1 7 7', undefined],
    ['7 (a) T) T 1 7 7', 'stopped'],
    ['7 (T (x)) t 1 7 7', 'traced'],
  ])('%s', (stat, hold) => {
    expect(holdInStat(stat)).toBe(hold);
  });

  it('are none that have ended', async () => {
    expect(await openHeldProcesses().of([])).toBeUndefined();
    expect(await openHeldProcesses().of([2 ** 22 + 7])).toBeUndefined();
    expect(await openHeldProcesses().stopped([2 ** 22 + 7])).toBeUndefined();
  });
});
