/** Tests the program `mendlet` itself: the demo, wrong calls, and the package as npm packs it. */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { kubectl136, Mendlet, root, run } from './harness.ts';
import { describeInWhole } from './extent.ts';

const mendlet = (...args: string[]) => run(process.execPath, [join(root, 'dist/mendlet.js'), ...args]);
const demoFolders = () => readdirSync(tmpdir()).filter((name) => name.startsWith('mendlet-demo-'));

describe('up --demo', () => {
  it('shows deaths of every kind and their healing, and leaves nothing', async () => {
    const before = demoFolders();
    const { code, stdout, stderr } = await mendlet('up', '--demo', '--demo-seconds', '25');
    expect(code, stderr).toBe(0);
    expect(stdout).toMatch(/^mendlet ready: kubeconfig \/\S+\/kubeconfig\n/);
    for (const line of [
      /crasher +died, exit code 1: "cannot open \/etc\/app\.conf: no such file"/,
      /crasher +(healed in|healed at once|restarted)/,
      /greedy +died, OOMKilled at its memory limit of 24Mi \(exit code 137\)/,
      /greedy +(healed in|healed at once|restarted)/,
      /hanger +Liveness probe failed/,
      /hanger +died, killed as its liveness probe kept failing/,
      /hanger +(healed in|healed at once|restarted)/,
    ]) {
      expect(stdout).toMatch(line);
    }
    expect(stdout).not.toMatch(/web +died/);
    expect(demoFolders()).toEqual(before);
  });
});

describe('one clear message, and nothing half-done', () => {
  const host = new Mendlet({ podNetwork: 208 });
  let folder: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'mendlet-cli-'));
    writeFileSync(join(folder, 'broken.yaml'), 'apiVersion: v1\nkind: Pod\nmetadata:\n  name: a\n name: b\n');
    writeFileSync(
      join(folder, 'wrong.yaml'),
      'apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {containers: []}\n',
    );
    writeFileSync(join(folder, 'broken.tar'), 'this is no archive');
    mkdirSync(join(folder, 'newer'));
    writeFileSync(join(folder, 'newer/format'), '99\n');
    await host.up();
  });
  afterAll(async () => {
    rmSync(folder, { recursive: true, force: true });
    await host.down();
  });

  /** A call of `up` on a folder that does not exist. */
  const up = (...args: string[]) =>
    mendlet('up', '--data-dir', join(folder, 'new'), '--listen', '127.0.0.1:0', ...args);

  it.each([
    ['an unknown flag', ['--lisen', ':1'], 2, /unknown option '--lisen'[\s\S]*--listen/],
    ['a wrong value', ['--pod-cidr', '10.0.0.1/8'], 2, /the network is 10\.0\.0\.0\/8/],
    ['a missing file', ['-f', 'none.yaml'], 1, /none\.yaml: there is no such file/],
    ['a broken manifest', ['-f', 'FOLDER/broken.yaml'], 1, /broken\.yaml: line 5: /],
    [
      'an invalid manifest',
      ['-f', 'FOLDER/wrong.yaml'],
      1,
      /wrong\.yaml: line 1: Pod a: spec\.containers: Required value/,
    ],
    ['a missing archive', ['--image-archive', 'none.tar'], 1, /--image-archive none\.tar: there is no such file/],
    ['the process runtime', ['--runtime', 'process'], 1, /not there yet/],
  ])('%s', async (_name, args, code, message) => {
    const result = await up(...args.map((arg) => arg.replace('FOLDER', folder)));
    expect(result).toMatchObject({ code, stdout: '' });
    expect(result.stderr).toMatch(message);
    expect(existsSync(join(folder, 'new'))).toBe(false);
  });

  it('a verb that runs for long behind something else: the program that short calls load has none of them', async () => {
    expect(await mendlet('--', 'up')).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(/verb first/),
    });
  });

  it('a runtime that does not answer', async () => {
    const result = await up('--runtime', `unix://${folder}/none.sock`);
    expect(result).toMatchObject({ code: 1, stdout: '' });
    expect(result.stderr).toMatch(/no container runtime answers at unix:\/\/.*none\.sock/);
    expect(existsSync(join(folder, 'new'))).toBe(false);
  });

  it('an archive that is none: the containerd that was begun ends again', async () => {
    const result = await up('--pod-cidr', '10.209.0.0/16', '--image-archive', join(folder, 'broken.tar'));
    expect(result).toMatchObject({ code: 1, stdout: '' });
    expect(result.stderr).toMatch(/broken\.tar/);
    const left = await run('pgrep', ['-f', `containerd --config ${folder}`]);
    expect(left.stdout).toBe('');
    expect(await mendlet('down', '--data-dir', join(folder, 'new'), '--purge')).toMatchObject({ code: 0 });
  });

  it('a newer data folder', async () => {
    const result = await mendlet('up', '--data-dir', join(folder, 'newer'));
    expect(result).toMatchObject({ code: 1, stderr: expect.stringContaining('written by a newer mendlet (format 99') });
    expect(readdirSync(join(folder, 'newer'))).toEqual(['format']);
  });

  it('a data folder in use, by up and by down', async () => {
    const again = await mendlet('up', '--data-dir', host.dataDir, '--listen', '127.0.0.1:0');
    expect(again).toMatchObject({ code: 3, stdout: '' });
    expect(again.stderr).toContain(`in use by "mendlet up", pid ${host.pid}`);
    const down = await mendlet('down', '--data-dir', host.dataDir);
    expect(down).toMatchObject({ code: 3, stdout: '' });
    expect(down.stderr).toContain(`kill ${host.pid}`);
  });

  it('a taken port', async () => {
    const server = /server: https:\/\/(\S+)/.exec(await host.kubectl(['config', 'view']))?.[1] ?? '';
    const result = await mendlet('up', '--data-dir', join(folder, 'new'), '--listen', server);
    expect(result).toMatchObject({ code: 3, stdout: '' });
    expect(result.stderr).toContain(`cannot listen on ${server}: the port is taken`);
    expect(existsSync(join(folder, 'new'))).toBe(false);
  });
});

describe('a network that another instance has', () => {
  const host = new Mendlet({ podNetwork: 210 });
  beforeAll(async () => await host.up());
  afterAll(async () => await host.down());

  it('is refused before anything is made', async () => {
    const folder = `${host.folder}/other`;
    const result = await mendlet('up', '--data-dir', folder, '--listen', '127.0.0.1:0', '--pod-cidr', '10.210.7.0/24');
    expect(result).toMatchObject({ code: 1, stdout: '' });
    expect(result.stderr).toMatch(/^mendlet: --pod-cidr 10\.210\.7\.0\/24 overlaps the route to 10\.210\.0\.0\/16/);
    expect(existsSync(folder)).toBe(false);
  });
});

describeInWhole('the package', () => {
  it('installs as one file of its own, without scripts, and runs without the repository', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'mendlet-package-'));
    try {
      // The bundle exists, and packing must not rebuild it while other suites run it.
      const packed = await run('npm', ['pack', root, '--ignore-scripts', '--pack-destination', folder]);
      expect(packed.code, packed.stderr).toBe(0);
      const tarball = readdirSync(folder).find((name) => name.endsWith('.tgz')) ?? '';
      const prefix = join(folder, 'prefix');
      const installed = await run('npm', ['install', '--global', '--prefix', prefix, join(folder, tarball)]);
      expect(installed.code, installed.stderr).toBe(0);
      expect(readdirSync(join(prefix, 'lib/node_modules'))).toEqual(['mendlet']);
      expect(existsSync(join(prefix, 'lib/node_modules/mendlet/node_modules'))).toBe(false);
      const version = await run(process.execPath, [join(prefix, 'bin/mendlet'), 'version']);
      expect(version).toMatchObject({ code: 0, stdout: expect.stringMatching(/^mendlet \d/) });
      await expectPlugins(join(prefix, 'bin'));
      const demo = await run(process.execPath, [join(prefix, 'bin/mendlet'), 'up', '--demo', '--demo-seconds', '1']);
      expect(demo.code, demo.stderr).toBe(0);
      expect(demo.stdout).toContain('mendlet ready');
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

/** Checks that kubectl finds its plugins, and starts them by their names. */
async function expectPlugins(bin: string): Promise<void> {
  const env = { ...process.env, PATH: `${bin}:${dirname(process.execPath)}:${process.env['PATH']}` };
  const listed = await run(kubectl136, ['plugin', 'list'], { env });
  for (const verb of ['restart', 'why', 'history', 'watch', 'try-now', 'pause', 'resume']) {
    expect(listed.stdout).toContain(join(bin, `kubectl-${verb.replace('-', '_')}`));
    const help = await run(kubectl136, [verb, '--help'], { env });
    expect(help, verb).toMatchObject({ code: 0, stdout: expect.stringContaining(`Usage: kubectl ${verb} `) });
  }
  const noCluster = await run(kubectl136, ['restart', 'pod/web', '--kubeconfig', '/nowhere/kubeconfig'], { env });
  expect(noCluster).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('/nowhere/kubeconfig') });
}
