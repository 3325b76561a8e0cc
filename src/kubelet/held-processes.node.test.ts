import { type ChildProcess, spawn } from 'node:child_process';
import { afterEach, describe, expect, it } from 'vitest';
import { holdInStat, openHeldProcesses } from './held-processes.node.ts';

const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

describe('held processes', () => {
  it('are those that somebody stopped, until they go on', async () => {
    const child = spawn('sleep', ['600']);
    children.push(child);
    const held = openHeldProcesses();
    const pid = child.pid ?? 0;
    expect(await held.of([pid])).toBeUndefined();
    child.kill('SIGSTOP');
    await expect.poll(() => held.of([pid + 100_000, pid])).toBe('stopped');
    child.kill('SIGCONT');
    await expect.poll(() => held.of([pid])).toBeUndefined();
  });

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
  });
});
