/** Tests the server with Kubernetes' client library for Python, from Debian's package, which is installed nowhere. */
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { debianPackages } from '../../tools/debian.ts';
import { root, run } from '../e2e/harness.ts';
import { CompatServer } from './server.ts';

const MODULES =
  `certifi chardet cachetools charset-normalizer dateutil google-auth idna oauthlib pkg-resources pyasn1 pyasn1-modules
  requests requests-oauthlib rsa setuptools six urllib3 websocket yaml kubernetes`
    .split(/\s+/)
    .map((name) => `python3-${name}`);
const RUNTIME = ['python3.11-minimal', 'libpython3.11-minimal', 'libpython3.11-stdlib'];
const LIBRARIES = ['libexpat1', 'libyaml-0-2', 'libssl3', 'libffi8', 'zlib1g', 'libbz2-1.0', 'liblzma5', 'libuuid1'];

const server = new CompatServer();
let program = '';
let env: NodeJS.ProcessEnv = {};

beforeAll(async () => {
  const folders = debianPackages('bookworm', [...MODULES, ...RUNTIME, ...LIBRARIES]);
  const folder = (name: string): string => folders[name] ?? '';
  const [minimal, standard] = RUNTIME.slice(1).map((name) => join(folder(name), 'usr/lib/python3.11'));
  const machine = process.arch === 'x64' ? 'x86_64-linux-gnu' : 'aarch64-linux-gnu';
  program = join(folder('python3.11-minimal'), 'usr/bin/python3.11');
  env = {
    ...process.env,
    PYTHONHOME: join(folder('libpython3.11-minimal'), 'usr'),
    PYTHONPATH: [
      minimal,
      standard,
      join(standard ?? '', 'lib-dynload'),
      ...MODULES.map((name) => join(folder(name), 'usr/lib/python3/dist-packages')),
    ].join(':'),
    LD_LIBRARY_PATH: LIBRARIES.flatMap((name) =>
      ['usr/lib', 'lib'].map((lib) => join(folder(name), lib, machine)),
    ).join(':'),
    // Thousands of modules take seconds to compile.
    PYTHONPYCACHEPREFIX: join(root, '.cache/python'),
    PYTHONWARNINGS: 'ignore',
  };
  await server.start();
});
afterAll(() => server.remove());

async function outcome(scenario: string): Promise<unknown> {
  const script = join(import.meta.dirname, 'python', 'client.py');
  const { code, stdout, stderr } = await run(program, [script, server.kubeconfig, scenario], { env });
  if (code !== 0) throw new Error(`${scenario}: exit ${code}\n${stderr}`);
  return JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '') as unknown;
}

it('creates, reads, changes, lists and deletes with typed clients', async () => {
  expect(await outcome('typed')).toEqual({
    patched: 2,
    scaled: 3,
    default: 'Always',
    created: true,
    stale: [409, 'Conflict'],
    listed: ['web'],
    deleted: 'Success',
    missing: [404, 'NotFound'],
    version: '36',
  });
});

it('lists in pages', async () => {
  expect(await outcome('pages')).toEqual(['m-0', 'm-1', 'm-2', 'm-3', 'm-4']);
});

it('watches, and again from a revision of before', async () => {
  const events = [
    ['ADDED', { a: '1' }],
    ['MODIFIED', { a: '2' }],
    ['DELETED', { a: '2' }],
  ];
  expect(await outcome('watches')).toEqual({ live: events, again: events });
});

it('defines a kind, and works with its objects', async () => {
  expect(await outcome('custom')).toEqual({
    defaults: { size: 1 },
    status: { seen: 1 },
    bad: [422, 'Invalid'],
    listed: ['a'],
  });
});

it('finds kinds by discovery, applies on the server, and watches', async () => {
  expect(await outcome('dynamic')).toEqual({
    unchanged: true,
    conflict: ['Apply failed with 1 conflict: conflict with "one": .data.a', '.data.a'],
    forced: { a: '2', b: '1' },
    pruned: { a: '2' },
    events: [['ADDED', 'm']],
    namespaced: true,
    merged: { size: 3, name: 'x' },
    gone: true,
  });
});

it('creates all documents of a file', async () => {
  expect(await outcome('yaml')).toEqual([['ConfigMap', 'NetworkPolicy'], ['CronJob']]);
});

it('elects one leader at a time', async () => {
  expect(await outcome('election')).toEqual({ before: ['first'], after: ['first', 'second'] });
});

it('applies a definition of a megabyte of YAML', async () => {
  expect(await outcome('large')).toEqual({ isLarge: true, fields: 900, generation: 1 });
});
