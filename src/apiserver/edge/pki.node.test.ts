import { X509Certificate } from 'node:crypto';
import { chmod, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemFileSystem } from '../../lib/file-system.node.ts';
import { createManualClock, type ManualClock } from '../../lib/manual-clock.node.ts';
import { formatKubeconfig } from './kubeconfig.ts';
import { ensurePki, type Pki, type PkiOptions } from './pki.node.ts';
import { systemSigner } from './signer.node.ts';

const DAY_MS = 86_400_000;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mendlet-pki-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

let dirs = 0;
function optionsFor(clock: ManualClock, more: Partial<PkiOptions> = {}): PkiOptions {
  const dir = join(folder, `pki${dirs++}`);
  return {
    dir,
    nodeName: 'node-1',
    serverNames: ['10.244.0.1', 'edge.example'],
    fs: systemFileSystem,
    clock,
    signer: systemSigner,
    ...more,
  };
}

/** Which of the pairs differ. */
function changed(before: Pki, after: Pki): string[] {
  const pairs = (['server', 'admin', 'node', 'kubelet', 'kubeletClient'] as const).filter(
    (name) => before[name].certificatePem !== after[name].certificatePem,
  );
  return before.authorityPem === after.authorityPem ? pairs : ['ca', ...pairs];
}

describe('ensurePki', () => {
  it('makes certificates that say who and what they are for', async () => {
    const options = optionsFor(createManualClock());
    const pki = await ensurePki(options);
    const ca = new X509Certificate(pki.authorityPem);
    const server = new X509Certificate(pki.server.certificatePem);
    const admin = new X509Certificate(pki.admin.certificatePem);
    const node = new X509Certificate(pki.node.certificatePem);
    expect(ca.ca).toBe(true);
    const kubelet = new X509Certificate(pki.kubelet.certificatePem);
    const kubeletClient = new X509Certificate(pki.kubeletClient.certificatePem);
    expect(kubelet.checkHost('node-1')).toBe('node-1');
    expect(kubelet.checkIP('127.0.0.1')).toBe('127.0.0.1');
    expect(kubelet.keyUsage).toEqual(['1.3.6.1.5.5.7.3.1']);
    expect(kubeletClient.subject).toBe('CN=kube-apiserver-kubelet-client');
    for (const certificate of [server, admin, node, kubelet, kubeletClient]) {
      expect(certificate.checkIssued(ca)).toBe(true);
      expect(certificate.verify(ca.publicKey)).toBe(true);
      expect(certificate.ca).toBe(false);
    }
    for (const name of ['localhost', 'kubernetes.default.svc.cluster.local', 'node-1', 'edge.example']) {
      expect(server.checkHost(name)).toBe(name);
    }
    for (const address of ['127.0.0.1', '::1', '10.244.0.1']) expect(server.checkIP(address)).toBe(address);
    expect(server.keyUsage).toEqual(['1.3.6.1.5.5.7.3.1']);
    expect(admin.keyUsage).toEqual(['1.3.6.1.5.5.7.3.2']);
    expect(admin.subject).toBe('O=system:masters\nCN=kubernetes-admin');
    expect(node.subject).toBe('O=system:nodes\nCN=system:node:node-1');
    for (const file of ['ca.key', 'ca.crt', 'server.key', 'admin.key', 'node.key']) {
      expect((await stat(join(options.dir, file))).mode & 0o777).toBe(0o600);
    }
    expect((await stat(options.dir)).mode & 0o777).toBe(0o700);
  });

  it('keeps what is good, and renews what is old, not yet valid, or for other names', async () => {
    const clock = createManualClock();
    const options = optionsFor(clock);
    const first = await ensurePki(options);
    expect(changed(first, await ensurePki(options))).toEqual([]);
    clock.stepWall(250 * DAY_MS);
    expect(changed(first, await ensurePki(options))).toEqual([]);
    clock.stepWall(10 * DAY_MS);
    const second = await ensurePki(options);
    expect(changed(first, second)).toEqual(['server', 'admin', 'node', 'kubelet', 'kubeletClient']);
    const third = await ensurePki({ ...options, serverNames: ['10.9.9.9'] });
    expect(changed(second, third)).toEqual(['server']);
    const fourth = await ensurePki({ ...options, serverNames: ['10.9.9.9'], nodeName: 'node-2' });
    expect(changed(third, fourth)).toEqual(['server', 'node', 'kubelet']);
    const more = { serverNames: ['10.9.9.9'], nodeName: 'node-2', kubeletNames: ['192.0.2.7'] };
    expect(changed(fourth, await ensurePki({ ...options, ...more }))).toEqual(['kubelet']);
    clock.stepWall(-1000 * DAY_MS);
    expect(changed(fourth, await ensurePki(options))).toEqual([
      'ca',
      'server',
      'admin',
      'node',
      'kubelet',
      'kubeletClient',
    ]);
  });

  it('renews the authority with its key, so that old certificates stay good', async () => {
    const clock = createManualClock();
    const options = optionsFor(clock);
    const first = await ensurePki(options);
    clock.stepWall(2700 * DAY_MS);
    const second = await ensurePki(options);
    expect(changed(first, second)[0]).toBe('ca');
    const renewed = new X509Certificate(second.authorityPem);
    expect(new X509Certificate(first.admin.certificatePem).verify(renewed.publicKey)).toBe(true);
    expect(
      new X509Certificate(second.admin.certificatePem).verify(new X509Certificate(first.authorityPem).publicKey),
    ).toBe(true);
  });

  it.each([
    ['ca.crt', 'not a certificate', (path: string) => writeFile(path, 'garbage')],
    ['server.crt', 'not a certificate', (path: string) => writeFile(path, '')],
    [
      'admin.key',
      'not a private key',
      (path: string) => writeFile(path, '-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----'),
    ],
    ['ca.key', 'missing', (path: string) => rm(path)],
    ['node.crt', 'cannot be read', (path: string) => rm(path).then(() => systemFileSystem.mkdir(path))],
  ])('names a broken %s (%s)', async (file, what, breakIt) => {
    const options = optionsFor(createManualClock());
    await ensurePki(options);
    await breakIt(join(options.dir, file));
    await expect(ensurePki(options)).rejects.toMatchObject({
      name: 'PkiError',
      message: expect.stringMatching(new RegExp(`${options.dir}/${file}: ${what}`)),
    });
  });

  it('goes on where it was stopped between key and certificate', async () => {
    const options = optionsFor(createManualClock());
    const first = await ensurePki(options);
    await rm(join(options.dir, 'ca.crt'));
    await rm(join(options.dir, 'server.crt'));
    const second = await ensurePki(options);
    expect(changed(first, second)).toEqual(['ca', 'server']);
    expect(
      new X509Certificate(first.admin.certificatePem).verify(new X509Certificate(second.authorityPem).publicKey),
    ).toBe(true);
    expect(second.server.keyPem).toBe(first.server.keyPem);
  });

  it('refuses a key of another certificate', async () => {
    const options = optionsFor(createManualClock());
    const pki = await ensurePki(options);
    await writeFile(join(options.dir, 'admin.key'), pki.node.keyPem);
    await chmod(join(options.dir, 'admin.key'), 0o600);
    await expect(ensurePki(options)).rejects.toThrow(/admin\.key: not the key of .*admin\.crt/);
  });
});

describe('formatKubeconfig', () => {
  it('holds all that a client needs', () => {
    const client = { certificatePem: 'CERT ü', keyPem: 'KEY' };
    const text = formatKubeconfig({ server: 'https://127.0.0.1:6443', authorityPem: 'CA', client });
    expect(load(text)).toEqual({
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [
        { name: 'mendlet', cluster: { server: 'https://127.0.0.1:6443', 'certificate-authority-data': 'Q0E=' } },
      ],
      users: [
        {
          name: 'kubernetes-admin',
          user: { 'client-certificate-data': Buffer.from('CERT ü').toString('base64'), 'client-key-data': 'S0VZ' },
        },
      ],
      contexts: [{ name: 'kubernetes-admin@mendlet', context: { cluster: 'mendlet', user: 'kubernetes-admin' } }],
      'current-context': 'kubernetes-admin@mendlet',
    });
  });
});
