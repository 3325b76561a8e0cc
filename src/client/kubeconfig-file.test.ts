import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dump } from 'js-yaml';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { formatKubeconfig } from '../apiserver/edge/kubeconfig.ts';
import { systemFileSystem as fs } from '../lib/file-system.node.ts';
import { readKubeconfig } from './kubeconfig-file.ts';

const PEM = '-----BEGIN X-----\nAAAA\n-----END X-----\n';
const base64 = (text: string): string => Buffer.from(text).toString('base64');
let folder: string;
let path: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mendlet-kubeconfig-'));
  path = join(folder, 'config');
  await writeFile(join(folder, 'ca.pem'), PEM);
  await writeFile(join(folder, 'token'), 'from-file\n');
});
afterAll(() => rm(folder, { recursive: true, force: true }));

type Part = Record<string, unknown>;
function config(cluster: Part, user: Part = {}, more: Part = {}): string {
  return dump({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'main',
    contexts: [
      { name: 'other', context: { cluster: 'gone' } },
      { name: 'main', context: { cluster: 'c', user: 'u' } },
    ],
    clusters: [{ name: 'c', cluster: { server: 'https://10.0.0.1:6443', ...cluster } }],
    users: [{ name: 'u', user }],
    ...more,
  });
}

async function read(text: string, context?: string): ReturnType<typeof readKubeconfig> {
  await writeFile(path, text);
  return readKubeconfig({ path, fs, ...(context === undefined ? {} : { context }) });
}

describe('readKubeconfig', () => {
  it('reads what formatKubeconfig writes', async () => {
    const client = { certificatePem: `${PEM}cert`, keyPem: `${PEM}key` };
    const text = formatKubeconfig({ server: 'https://127.0.0.1:6443', authorityPem: PEM, client });
    expect(await read(text)).toEqual({ server: 'https://127.0.0.1:6443', authorityPem: PEM, client });
  });

  it.each<[string, Part, Part, Part]>([
    [
      'files beside it',
      { 'certificate-authority': 'ca.pem' },
      { tokenFile: 'token' },
      { authorityPem: PEM, token: 'from-file', tokenPath: expect.stringMatching(/\/token$/) },
    ],
    ['a token', {}, { token: 'abc' }, { token: 'abc' }],
    [
      'TLS options',
      { 'insecure-skip-tls-verify': true, 'tls-server-name': 'api' },
      {},
      { insecureSkipTlsVerify: true, tlsServerName: 'api' },
    ],
    [
      'certificates inside',
      {},
      { 'client-certificate-data': base64(PEM), 'client-key-data': base64(PEM) },
      { client: { certificatePem: PEM, keyPem: PEM } },
    ],
  ])('knows %s', async (_, cluster, user, expected) => {
    expect(await read(config(cluster, user))).toEqual({ server: 'https://10.0.0.1:6443', ...expected });
  });

  it.each<[string, string, string]>([
    ['not YAML', 'a: [1\nb', 'not YAML: line '],
    ['a list', '- a', 'not a kubeconfig'],
    ['another kind', 'kind: Pod', 'kind: must be Config'],
    ['no context', 'kind: Config', 'current-context: is missing'],
    ['an unknown cluster', config({}, {}, { clusters: [] }), 'clusters: has no entry called "c"'],
    ['no server', config({ server: '' }), 'clusters[0].cluster.server: is missing'],
    [
      'a bad server',
      config({ server: 'ftp://x' }),
      'clusters[0].cluster.server: must be an http or https URL, not "ftp://x"',
    ],
    ['a number for a string', config({ server: 5 }), 'clusters[0].cluster.server: must be a string'],
    [
      'bad base64',
      config({ 'certificate-authority-data': '%%' }),
      'clusters[0].cluster.certificate-authority-data: is not base64',
    ],
    [
      'no PEM',
      config({ 'certificate-authority-data': base64('x') }),
      'clusters[0].cluster.certificate-authority-data: holds no PEM block',
    ],
    ['a missing file', config({ 'certificate-authority': 'none.pem' }), 'clusters[0].cluster.certificate-authority: '],
    [
      'half a pair',
      config({}, { 'client-key-data': base64(PEM) }),
      'users[0].user.client-certificate: is missing beside the key',
    ],
    ['a plugin', config({}, { exec: { command: 'aws' } }), 'users[0].user.exec: is not supported'],
    ['a proxy', config({ 'proxy-url': 'http://p' }), 'clusters[0].cluster.proxy-url: is not supported'],
  ])('names file and field of %s', async (_, text, message) => {
    await expect(read(text)).rejects.toMatchObject({
      name: 'KubeconfigError',
      message: expect.stringContaining(`${path}: ${message}`),
    });
  });

  it('says so when there is no file, or no such context', async () => {
    const missing = join(folder, 'none');
    await expect(readKubeconfig({ path: missing, fs })).rejects.toThrow(`${missing}: cannot be read: `);
    await expect(read(config({}), 'other')).rejects.toThrow('clusters: has no entry called "gone"');
    await expect(read(config({}), 'third')).rejects.toThrow('contexts: has no entry called "third"');
  });
});
