import { linkSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openMachine } from './machine.node.ts';

const folder = mkdtempSync(join(tmpdir(), 'mendlet-machine-'));
const machine = openMachine({ rootDir: folder, imageDir: folder });
const unhurried = { maxEntries: 1000, signal: new AbortController().signal };

beforeAll(() => {
  mkdirSync(join(folder, 'a/b'), { recursive: true });
  writeFileSync(join(folder, 'a/one'), Buffer.alloc(100_000, 1));
  linkSync(join(folder, 'a/one'), join(folder, 'a/b/same'));
  symlinkSync('/', join(folder, 'a/b/root'));
});
afterAll(() => rmSync(folder, { recursive: true }));

describe('diskUsage', () => {
  it('counts hard links once, and follows no other', async () => {
    const found = await machine.diskUsage(folder, unhurried);
    expect(found?.inodes).toBe(5);
    expect(found?.bytes).toBeGreaterThanOrEqual(100_000);
    expect(found?.bytes).toBeLessThan(200_000);
  });

  it('stays on its file system', async () => {
    const { inodes = 0 } = (await machine.diskUsage('/sys', { ...unhurried, maxEntries: 1_000_000 })) ?? {};
    expect(inodes).toBeGreaterThan(0);
  });

  it.each([
    ['what is not there', join(folder, 'none'), 1000],
    ['what has too many entries', folder, 2],
  ])('has nothing of %s', async (_, path, maxEntries) => {
    expect(await machine.diskUsage(path, { ...unhurried, maxEntries })).toBeUndefined();
  });

  it('ends when it is told to', async () => {
    const signal = AbortSignal.abort(new Error('enough'));
    await expect(machine.diskUsage(folder, { maxEntries: 1000, signal })).rejects.toThrow('enough');
  });
});

it('tells of the machine and of our process', async () => {
  const { memory, cpu, bootedAt } = await machine.usage();
  expect(memory.workingSetBytes).toBeLessThanOrEqual(memory.usageBytes);
  expect(memory.usageBytes).toBeLessThan(memory.totalBytes);
  expect(cpu?.usageNanoseconds).toBeGreaterThan(0);
  const own = machine.process('kubelet');
  expect(own?.startedAt).toBeGreaterThan(bootedAt);
  expect(own?.residentBytes).toBeGreaterThan(1_000_000);
  expect(own?.openFiles).toBeGreaterThan(2);
  expect(machine.process('runtime')).toBeUndefined();
});

it('tells no network of a process that shares ours, or is gone', async () => {
  expect(await machine.networkOf(process.pid)).toBeUndefined();
  expect(await machine.networkOf(2 ** 30)).toBeUndefined();
});
