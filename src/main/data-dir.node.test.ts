import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemRandom } from '../lib/random.node.ts';
import { openDataDir, openExistingDataDir } from './data-dir.node.ts';
import type { Format } from './data-dir-format.node.ts';

const holder = { pid: 4711, verb: 'up', since: '2026-01-02T03:04:05Z' };
const options = { holder, random: systemRandom };
let parent: string;
beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'mendlet-data-dir-'));
});
afterEach(() => rmSync(parent, { recursive: true, force: true }));

describe('openDataDir', () => {
  it('makes a private folder with a format number and an instance id that stays', () => {
    const path = join(parent, 'a/b');
    const first = openDataDir(path, options);
    expect(statSync(path).mode & 0o777).toBe(0o700);
    expect(readFileSync(join(path, 'format'), 'utf8')).toBe('1\n');
    expect(first.instanceId).toMatch(/^[a-z0-9]{6}$/);
    expect(readdirSync(path).sort()).toEqual(['format', 'instance', 'lock', 'lock-holder']);
    for (const name of readdirSync(path)) expect(statSync(join(path, name)).mode & 0o077).toBe(0);
    first.release();
    const second = openDataDir(path, options);
    expect(second.instanceId).toBe(first.instanceId);
    second.release();
  });

  it('refuses a folder in use with exit code 3 and says who holds it', () => {
    const path = join(parent, 'd');
    const open = openDataDir(path, options);
    const again = () => openDataDir(path, { ...options, holder: { ...holder, verb: 'down', pid: 1 } });
    expect(again).toThrow(/in use by "mendlet up", pid 4711, since 2026-01-02T03:04:05Z: end it first/);
    expect(again).toThrow(expect.objectContaining({ exitCode: 3 }));
    open.release();
    openDataDir(path, options).release();
  });

  it('takes over from a process that was killed', () => {
    const path = join(parent, 'd');
    const script = `
      import { openDataDir } from ${JSON.stringify(join(import.meta.dirname, 'data-dir.node.ts'))};
      import { systemRandom } from ${JSON.stringify(join(import.meta.dirname, '../lib/random.node.ts'))};
      openDataDir(${JSON.stringify(path)}, { holder: { pid: process.pid, verb: 'up', since: 'now' }, random: systemRandom });
      process.kill(process.pid, 'SIGKILL');`;
    const child = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
    expect(child.signal, child.stderr).toBe('SIGKILL');
    expect(existsSync(join(path, 'lock-holder'))).toBe(true);
    openDataDir(path, options).release();
  });

  it("leaves somebody else's folder alone", () => {
    const path = join(parent, 'etc');
    mkdirSync(path, { mode: 0o755 });
    writeFileSync(join(path, 'passwd'), 'x');
    expect(() => openDataDir(path, options)).toThrow('not empty and no data folder');
    expect(statSync(path).mode & 0o777).toBe(0o755);
    expect(() => openExistingDataDir(path, options)).toThrow('no data folder of mendlet');
  });

  it.each(['images', 'manifests', 'registries'])('takes a folder that only has %s yet', (name) => {
    mkdirSync(join(parent, 'd', name), { recursive: true });
    openDataDir(join(parent, 'd'), options).release();
  });

  it('refuses a newer format and changes nothing', () => {
    const path = join(parent, 'd');
    openDataDir(path, options).release();
    writeFileSync(join(path, 'format'), '2\n');
    expect(() => openDataDir(path, options)).toThrow('written by a newer mendlet (format 2; this one knows up to 1)');
    expect(readFileSync(join(path, 'format'), 'utf8')).toBe('2\n');
  });

  it('refuses a folder whose format file is damaged', () => {
    const path = join(parent, 'd');
    openDataDir(path, options).release();
    writeFileSync(join(path, 'format'), 'one\n');
    expect(() => openDataDir(path, options)).toThrow('no format number');
  });

  it('says what is wrong when the folder cannot be made', () => {
    writeFileSync(join(parent, 'file'), '');
    expect(() => openDataDir(join(parent, 'file/d'), options)).toThrow('cannot make the data folder');
    expect(() => openDataDir('/proc/none', options)).toThrow('cannot make the data folder');
    expect(() => openDataDir(join(parent, 'file'), options)).toThrow('is no folder');
    expect(() => openExistingDataDir(join(parent, 'file'), options)).toThrow('is no folder');
  });
});

describe('migration', () => {
  const steps: string[] = [];
  const step = (from: number) => ({
    from,
    run: () => {
      steps.push(`from ${from}`);
    },
  });
  const format: Format = { current: 3, migrations: [step(2), step(1)] };

  it('goes step by step after a copy without images and containers', () => {
    const path = join(parent, 'd');
    openDataDir(path, options).release();
    writeFileSync(join(path, 'kubeconfig'), 'old');
    mkdirSync(join(path, 'containerd'));
    const open = openDataDir(path, { ...options, format });
    open.release();
    expect(steps).toEqual(['from 1', 'from 2']);
    expect(readFileSync(join(path, 'format'), 'utf8')).toBe('3\n');
    const copy = open.migratedFrom ?? '';
    expect(readFileSync(join(copy, 'format'), 'utf8')).toBe('1\n');
    expect(readFileSync(join(copy, 'kubeconfig'), 'utf8')).toBe('old');
    expect(existsSync(join(copy, 'containerd'))).toBe(false);
    expect(openDataDir(path, { ...options, format }).migratedFrom).toBeUndefined();
  });

  it('goes on after a crash in its middle, and keeps the first copy', () => {
    const path = join(parent, 'd');
    openDataDir(path, options).release();
    const crashing: Format = {
      current: 3,
      migrations: [
        step(1),
        {
          from: 2,
          run: () => {
            throw new Error('crash');
          },
        },
      ],
    };
    expect(() => openDataDir(path, { ...options, format: crashing })).toThrow('crash');
    expect(readFileSync(join(path, 'format'), 'utf8')).toBe('2\n');
    openDataDir(path, { ...options, format }).release();
    expect(readFileSync(join(path, 'before-format-3/format'), 'utf8')).toBe('1\n');
  });
});

describe('openExistingDataDir', () => {
  it('makes nothing', () => {
    expect(openExistingDataDir(join(parent, 'none'), options)).toBeUndefined();
    expect(existsSync(join(parent, 'none'))).toBe(false);
  });
});
