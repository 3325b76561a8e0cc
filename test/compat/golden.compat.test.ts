/**
 * Tests kubectl's ways of writing against what a real server stored: each golden minimal object as both kubectls apply it on the
 * client and on the server, and each rich object applied twice.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { askDefaults } from '../../tools/golden/ask-defaults.ts';
import { type Base, type Call, type Json } from '../../tools/golden/call.ts';
import { defaultsDifference } from '../../tools/golden/compare.ts';
import { isServed, prepareNamespace, readBases, readGolden } from '../../tools/golden/own-server.ts';
import { changes, everything, everythingAtRest } from './everything.ts';
import { CompatServer, type Kubectl, NEWEST, OLDEST } from './server.ts';

const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

/** A server with the namespace of the golden objects. */
async function started(): Promise<CompatServer> {
  const made = new CompatServer();
  await made.start();
  const call: Call = async (method, path, body) => {
    const { code } = await made.api.send(method, path, body);
    return { status: code, text: '' };
  };
  await prepareNamespace(call);
  return made;
}

let server: CompatServer;
beforeAll(async () => {
  server = await started();
});
afterAll(() => server.remove());

interface Stored {
  readonly metadata: { readonly name: string; readonly annotations?: Record<string, string> };
}

function list(objects: readonly object[]): string {
  return JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects });
}

/** What kubectl shows of objects that it applies in a dry run on the server. */
async function dryRun(kubectl: Kubectl, bases: readonly Base[], flags: readonly string[]): Promise<readonly Stored[]> {
  const file = server.file('golden.json', list(bases.map(({ object }) => object)));
  const text = await kubectl('apply', '--dry-run=server', ...flags, '-f', file, '-o', 'json');
  const shown = JSON.parse(text) as { readonly items: readonly Stored[] };
  for (const { metadata } of shown.items) {
    delete metadata.annotations?.[LAST_APPLIED];
    if (Object.keys(metadata.annotations ?? {}).length === 0) delete (metadata as Json)['annotations'];
  }
  return shown.items;
}

const golden = new Map(readGolden('defaults').map((row) => [row.kind, row]));
const minimal = readBases('minimal').filter(
  (base) =>
    isServed(base.object) && golden.get(base.name)?.status === 201 && base.object.metadata['name'] !== undefined,
);

describe.each([
  ['1.36', 'client', NEWEST, []],
  ['1.36', 'server', NEWEST, ['--server-side']],
  ['1.20', 'client', OLDEST, []],
  ['1.20', 'server', OLDEST, ['--server-side']],
] as const)('kubectl %s, apply on the %s', (_, __, version, flags) => {
  it('stores what a real server stored', async () => {
    const shown = await dryRun(server.kubectl(version), minimal, flags);
    expect(shown).toHaveLength(minimal.length);
    for (const [at, base] of minimal.entries()) {
      const row = await askDefaults(base, async () => ({ status: 201, text: JSON.stringify(shown[at]) }));
      const other = golden.get(base.name);
      if (other === undefined || defaultsDifference(row, other) !== undefined) expect(row).toEqual(other);
    }
  });
});

/** Kinds of which the controllers write again what the second apply has written: taints, adoption, aggregated rules. */
const CONTESTED = new Set(['Node', 'ReplicaSet', 'ClusterRole']);

describe('rich objects', () => {
  // Variants of a kind have the same name.
  const rich = readBases('rich').filter(
    (base) => isServed(base.object) && !base.name.includes('#') && !CONTESTED.has(base.name),
  );

  it.each([
    ['client', []],
    ['server', ['--server-side']],
  ] as const)('applied twice on the %s are written once', async (where, flags) => {
    const own = await started();
    try {
      const kubectl = own.kubectl(NEWEST);
      const file = own.file(`rich-${where}.json`, list(rich.map(({ object }) => object)));
      const first = await kubectl.ask(['apply', ...flags, '-f', file]);
      expect(first.stderr.split('\n').filter((line) => line !== '' && !line.startsWith('Warning: '))).toEqual([]);
      const atRest = await everythingAtRest(own);
      await kubectl('apply', ...flags, '-f', file);
      expect(changes(atRest, await everything(own))).toEqual([]);
    } finally {
      // Finalizers of the objects are nobody's here: they go with their server.
      await own.remove();
    }
  });
});
