/** Tests images from a real registry: pulls with time and size, pull secrets, and pull policies. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeBusyboxArchive } from './busybox-archive.ts';
import { busyboxArchive, busyboxPod, mainContainer, Mendlet, root, run, until } from './harness.ts';

describe('images from a registry', () => {
  const mendlet = new Mendlet({ podNetwork: 206 });
  const registries: ChildProcess[] = [];
  const open = 5801;
  const locked = 5802;

  const startRegistry = async (port: number, auth?: string): Promise<void> => {
    const folder = join(mendlet.folder, `registry-${port}`);
    mkdirSync(folder, { recursive: true });
    const config = join(folder, 'config.yml');
    const access = auth === undefined ? '' : `auth:\n  htpasswd:\n    realm: test\n    path: ${auth}\n`;
    writeFileSync(
      config,
      `version: 0.1\nlog:\n  level: error\nstorage:\n  filesystem:\n    rootdirectory: ${folder}/data\nhttp:\n  addr: 127.0.0.1:${port}\n${access}`,
    );
    registries.push(spawn('docker-registry', ['serve', config], { stdio: 'ignore' }));
    await until(`the registry on ${port}`, async () => {
      const answer = await fetch(`http://127.0.0.1:${port}/v2/`).catch((error: Error) => error);
      return answer instanceof Response ? { value: true } : { last: answer.message };
    });
  };

  beforeAll(async () => {
    const passwords = join(mendlet.folder, 'htpasswd');
    // bcrypt by the C library, through perl, which every Debian has.
    const hash = spawnSync('perl', ['-e', 'print crypt("open-sesame", \'$2y$05$abcdefghijklmnopqrstuu\')'], {
      encoding: 'utf8',
    }).stdout;
    writeFileSync(passwords, `ann:${hash}\n`);
    await startRegistry(open);
    await startRegistry(locked, passwords);
    for (const [port, creds] of [
      [open, []],
      [locked, ['--dest-creds', 'ann:open-sesame']],
    ] as const) {
      const copied = await run('skopeo', [
        '--insecure-policy',
        'copy',
        '--dest-tls-verify=false',
        ...creds,
        `oci-archive:${busyboxArchive}`,
        `docker://127.0.0.1:${port}/tools/busybox:1`,
      ]);
      if (copied.stderr !== '') throw new Error(copied.stderr);
    }
    await mendlet.up();
  });
  afterAll(async () => {
    for (const registry of registries) registry.kill('SIGKILL');
    await mendlet.down();
  });

  const pod = (name: string, image: string, policy: string, spec: object = {}) =>
    busyboxPod(name, 'exec sleep 36000', { spec, container: { image, imagePullPolicy: policy } });

  it('is pulled, with time and size in the event; again only under Always', async () => {
    const image = `127.0.0.1:${open}/tools/busybox:1`;
    await mendlet.create(pod('first', image, 'IfNotPresent'));
    await mendlet.untilPod('first', 'ready', (p) => mainContainer(p)?.ready === true);
    expect(await mendlet.kubectl(['events', '--for', 'pod/first'])).toMatch(
      /Successfully pulled image ".*" in [\d.]+m?s \([\d.]+m?s including waiting\)\. Image size: \d+ bytes\./,
    );
    await mendlet.create(pod('second', image, 'IfNotPresent'), pod('third', image, 'Always'));
    for (const name of ['second', 'third'])
      await mendlet.untilPod(name, 'ready', (p) => mainContainer(p)?.ready === true);
    expect(await mendlet.kubectl(['events', '--for', 'pod/second'])).toContain('already present on machine');
    expect(await mendlet.kubectl(['events', '--for', 'pod/third'])).toContain('Successfully pulled');
  });

  it('Never pulls nothing', async () => {
    await mendlet.create(pod('never', `127.0.0.1:${open}/tools/other:1`, 'Never'));
    await mendlet.untilPod(
      'never',
      'ErrImageNeverPull',
      (p) => mainContainer(p)?.state.waiting?.reason === 'ErrImageNeverPull',
    );
  });

  it('a pull secret opens a locked registry; without it the pod says so', async () => {
    const image = `127.0.0.1:${locked}/tools/busybox:1`;
    await mendlet.kubectl([
      'create',
      'secret',
      'docker-registry',
      'ann',
      `--docker-server=127.0.0.1:${locked}`,
      '--docker-username=ann',
      '--docker-password=open-sesame',
    ]);
    await mendlet.create(pod('keyless', image, 'Always'));
    await mendlet.untilPod('keyless', 'refused', (p) =>
      ['ErrImagePull', 'ImagePullBackOff'].includes(mainContainer(p)?.state.waiting?.reason ?? ''),
    );
    await mendlet.create(pod('keyed', image, 'Always', { imagePullSecrets: [{ name: 'ann' }] }));
    await mendlet.untilPod('keyed', 'ready', (p) => mainContainer(p)?.ready === true);
    const everything = `${mendlet.log}${await mendlet.kubectl(['get', 'events', '-A', '-o', 'json'])}`;
    expect(everything).not.toContain('open-sesame');
  });

  it('comes from archives while it runs: by a command, and from the folder; what is no archive is said', async () => {
    const cli = (...args: string[]) =>
      run(process.execPath, [join(root, 'dist/mendlet.js'), 'image', ...args, '--data-dir', mendlet.dataDir]);
    const busybox = spawnSync('sh', ['-c', 'command -v busybox'], { encoding: 'utf8' }).stdout.trim();
    const given = join(mendlet.folder, 'given.tar');
    writeBusyboxArchive(given, busybox, 'example.com/given:1');
    expect(await cli('import', given)).toMatchObject({ code: 0, stdout: 'imported example.com/given:1\n' });
    expect((await cli('import', given)).stdout).toContain('nothing new in it');
    mkdirSync(join(mendlet.dataDir, 'images'), { recursive: true });
    writeFileSync(join(mendlet.dataDir, 'images/broken.tar'), 'no archive');
    writeBusyboxArchive(join(mendlet.dataDir, 'images/found.tar'), busybox, 'example.com/found:1');
    const listed = await until('both are listed', async () => {
      const { stdout } = await cli('ls');
      return stdout.includes('example.com/found:1') ? { value: stdout } : { last: stdout };
    });
    expect(listed).toMatch(/example\.com\/given:1 +[0-9a-f]{12} +[\d.]+ MiB +archive/);
    expect(listed).toMatch(new RegExp(`127.0.0.1:${open}/tools/busybox:1 .*registry`));
    await mendlet.create(
      pod('from-command', 'example.com/given:1', 'Never'),
      pod('from-folder', 'example.com/found:1', 'Never'),
    );
    for (const name of ['from-command', 'from-folder'])
      await mendlet.untilPod(name, 'ready', (p) => mainContainer(p)?.ready === true);
    await until('the broken one is said', async () =>
      mendlet.log.includes('broken.tar') ? { value: true } : { last: mendlet.log.slice(-500) },
    );
    expect(await cli('import', join(mendlet.folder, 'none.tar'))).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('there is no such file or folder'),
    });
    expect((await cli('import', join(mendlet.dataDir, 'images/broken.tar'))).stderr).toContain('image archive');
  });
});
