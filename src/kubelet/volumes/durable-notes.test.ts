/**
 * Tests what agents have written about volumes so far, byte for byte. Data of users is behind these files, so every later agent
 * reads all of them: a new form is a new entry here, and an entry never changes.
 */
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { silentLogger } from '../../lib/index.ts';
import { systemFileSystem } from '../../lib/file-system.node.ts';
import { LocalVolumes } from '../local-volumes/local-volumes.ts';
import { type Publication, Publications } from './publications.ts';
import { volumeDir } from './volume-paths.ts';

let root = '';
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'mendlet-notes-'));
});
afterEach(() => rm(root, { recursive: true, force: true }));

const GIBIBYTE = 1024 ** 3;

/** Path below the root → content, in which ROOT stands for the root. */
type Tree = Readonly<Record<string, string>>;

/** A claim's volume that a pod has. */
const KEPT: Tree = {
  'agent/local-volumes/folder.json': '{"dir":"ROOT/volumes"}',
  'agent/local-volumes/made/pvc-kept.json':
    '{"handle":"claim-kept","capacityBytes":1073741824,"state":"ready","used":true}',
  'agent/pods/u/volumes/kubernetes.io~local-volume/data/volume.json':
    '{"volume":"pvc-kept","path":"ROOT/volumes/pvc-kept/data","claim":"default/kept"}',
  'volumes/.mendlet-volumes': 'me\n',
  'volumes/pvc-kept/note.json': '{"name":"pvc-kept","handle":"claim-kept","capacityBytes":1073741824}',
};

/** What is there when an agent is killed half-way. */
const HALF_WAY: Tree = {
  ...KEPT,
  'volumes/pvc-kept/data/file': 'data',
  'agent/local-volumes/made/pvc-fresh.json':
    '{"handle":"claim-fresh","capacityBytes":1024,"state":"ready","used":false}',
  'volumes/pvc-fresh/note.json': '{"name":"pvc-fresh","handle":"claim-fresh","capacityBytes":1024}',
  'volumes/pvc-fresh/data/.keep': '',
  // It was being made.
  'agent/local-volumes/made/pvc-begun.json':
    '{"handle":"claim-begun","capacityBytes":1024,"state":"making","used":false}',
  'volumes/.making~pvc-begun/data/.keep': '',
  // It was made, and its record does not say so yet.
  'agent/local-volumes/made/pvc-named.json':
    '{"handle":"claim-named","capacityBytes":1024,"state":"making","used":false}',
  'volumes/pvc-named/note.json': '{"name":"pvc-named","handle":"claim-named","capacityBytes":1024}',
  'volumes/pvc-named/data/.keep': '',
  // It was being removed, and its record was not deleted yet.
  'agent/local-volumes/made/pvc-going.json':
    '{"handle":"claim-going","capacityBytes":1024,"state":"ready","used":true}',
  'volumes/.removing~pvc-going/note.json': '{"name":"pvc-going","handle":"claim-going","capacityBytes":1024}',
  'volumes/.removing~pvc-going/data/file': 'data',
  // Its record was lost with the agent's own folder.
  'volumes/pvc-found/note.json': '{"name":"pvc-found","handle":"claim-found","capacityBytes":1024}',
  'volumes/pvc-found/data/file': 'data',
  // The folder was lost, and the record was not.
  'agent/local-volumes/made/pvc-lost.json': '{"handle":"claim-lost","capacityBytes":1024,"state":"ready","used":true}',
};

async function write(tree: Tree): Promise<void> {
  for (const [path, text] of Object.entries(tree)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text.replaceAll('ROOT', root));
  }
}

async function read(): Promise<Tree> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const files = entries.filter((each) => each.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  const texts = files.map(async (file) => {
    return [file.slice(root.length + 1), (await readFile(file, 'utf8')).replaceAll(root, 'ROOT')] as const;
  });
  return Object.fromEntries(await Promise.all(texts));
}

function open(): { readonly volumes: LocalVolumes; readonly publications: Publications } {
  const rootDir = join(root, 'agent');
  const publications = new Publications(systemFileSystem, rootDir);
  const volumes = new LocalVolumes(
    { fs: systemFileSystem, logger: silentLogger },
    { dir: join(root, 'volumes'), rootDir, instanceId: 'me', lifeId: 'life' },
    {
      keepsFree: () => 0,
      mountedUnder: async () => [],
      whileUnpublished: (name, path, work) => publications.whileUnpublished(name, path, work),
    },
  );
  return { volumes, publications };
}

const pathOf = (name: string): string => join(root, 'volumes', name, 'data');

it('are those that are written today', async () => {
  const { volumes, publications } = open();
  const { path } = await volumes.make('pvc-kept', { handle: 'claim-kept', capacityBytes: GIBIBYTE });
  const wish = { volume: 'pvc-kept', path, claim: 'default/kept', podUid: 'u', isExclusive: false, isSettled: true };
  const dir = volumeDir(join(root, 'agent'), 'u', 'local-volume', 'data');
  await volumes.use('pvc-kept', path, () => publications.publish({ ...wish, dir }));
  expect(await read()).toEqual(KEPT);
});

it('are read, and what was half-done is finished or undone', async () => {
  await write(HALF_WAY);
  const { volumes } = open();
  const ready = (await volumes.list()).items.filter(({ state }) => state !== 'removing');
  expect(
    ready.map((each) => `${each.name} ${each.handle} ${each.capacityBytes} ${each.state} ${each.wasUsed}`),
  ).toEqual([
    'pvc-found claim-found 1024 ready true',
    'pvc-fresh claim-fresh 1024 ready false',
    `pvc-kept claim-kept ${GIBIBYTE} ready true`,
    'pvc-lost claim-lost 1024 lost true',
    'pvc-named claim-named 1024 ready false',
  ]);
  await expect.poll(() => readdir(join(root, 'volumes'))).not.toContain('.removing~pvc-going');
  const { 'volumes/pvc-kept/data/file': file, 'volumes/pvc-found/data/file': found, ...after } = await read();
  expect([file, found]).toEqual(['data', 'data']);
  expect(Object.keys(after).filter((path) => /begun|going/.test(path))).toEqual([]);
  await expect(volumes.remove('pvc-kept', 'claim-kept')).rejects.toMatchObject({ reason: 'VolumeInUse' });
});

/** Forms of the note in a pod's folder, oldest first. */
it.each<[string, string, Partial<Publication>]>([
  ['of the first agents, with its path alone', '{"path":"PATH"}', {}],
  ['with its volume and claim', '{"volume":"v","path":"PATH","claim":"n/c"}', { volume: 'v', claim: 'n/c' }],
  [
    'whose files do not belong to the group yet',
    '{"volume":"v","path":"PATH","claim":"n/c","isSettled":false}',
    { volume: 'v', claim: 'n/c', isSettled: false },
  ],
])('the note of a pod %s keeps the volume', async (_, text, expected) => {
  const note = 'agent/pods/u/volumes/kubernetes.io~local-volume/data/volume.json';
  await write({ [note]: text.replace('PATH', pathOf('v')) });
  const { volumes, publications } = open();
  await volumes.make('v', { handle: 'claim', capacityBytes: 1 });
  expect(await publications.note(dirname(join(root, note)))).toEqual({ path: pathOf('v'), ...expected });
  await expect(volumes.remove('v', 'claim')).rejects.toMatchObject({ reason: 'VolumeInUse' });
  await rm(join(root, 'agent/pods'), { recursive: true });
  await volumes.remove('v', 'claim');
  expect((await volumes.list()).items).toEqual([]);
});
