import { execFileSync } from 'node:child_process';
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

  it('has nothing of what is not there', async () => {
    expect(await machine.diskUsage(join(folder, 'none'), unhurried)).toBeUndefined();
  });

  it('counts no more entries than it may, and forgets none of them', async () => {
    const found = await machine.diskUsage(folder, { ...unhurried, maxEntries: 3 });
    expect(found?.inodes).toBe(3);
  });

  it.each([
    ['names that are no text', `head -c 100000 /dev/zero >"$(printf 'a\\377')"; mkdir "$(printf '\\300')"`, 1, 3],
    ['a sparse file by what it takes', 'truncate -s 1T sparse', 0, 2],
    ['no pipe, no link and no device', 'mkfifo p; ln -s / l', 0, 3],
  ])('counts %s', async (_, script, files, inodes) => {
    const hostile = mkdtempSync(join(tmpdir(), 'mendlet-usage-'));
    execFileSync('sh', ['-c', script], { cwd: hostile });
    const found = await machine.diskUsage(hostile, unhurried);
    execFileSync('rm', ['-rf', hostile]);
    expect(found?.inodes).toBe(inodes);
    expect(found?.bytes).toBeGreaterThanOrEqual(files * 100_000);
    expect(found?.bytes).toBeLessThan((files + 1) * 200_000);
  });

  it('counts what lies deeper than any path', async () => {
    const hostile = mkdtempSync(join(tmpdir(), 'mendlet-usage-'));
    const script = `for (let i = 0; i < 100; i++) { fs.mkdirSync('d'.repeat(100)); process.chdir('d'.repeat(100)); }
      fs.writeFileSync('end', Buffer.alloc(500_000, 1));`;
    execFileSync(process.execPath, ['-e', script], { cwd: hostile });
    const found = await machine.diskUsage(hostile, unhurried);
    execFileSync('rm', ['-rf', hostile]);
    expect(found?.inodes).toBe(102);
    expect(found?.bytes).toBeGreaterThan(500_000);
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
