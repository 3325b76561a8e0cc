/** The invariants of volumes notice what they are for, on a cluster without agents. */
import { expect, it } from 'vitest';
import type { PersistentVolume } from '../../api/index.ts';
import type { SandboxConfig } from '../../cri/index.ts';
import { encodeText, silentLogger } from '../../lib/index.ts';
import { realEventLoop } from '../event-loop.node.ts';
import type { ContainerName } from '../facts.ts';
import { SimCluster } from '../sim-cluster.ts';
import { VOLUMES_DIR } from '../sim-node.ts';
import { Sim } from '../sim.ts';
import { VolumesKept } from './volumes-kept.ts';

type Step = (cluster: SimCluster, kept: VolumesKept) => unknown;

const FOLDER = `${VOLUMES_DIR}/v`;

/** Plays one step every ten seconds. @returns the message of the first violation, if there is one */
async function play(...steps: readonly Step[]): Promise<string | undefined> {
  const sim = new Sim({ seed: 1, loop: realEventLoop });
  const runAgent = (): Promise<void> => new Promise(() => {});
  const cluster = new SimCluster({ sim, nodes: 1, runAgent, logger: silentLogger, hasVolumes: true });
  try {
    const kept = new VolumesKept(cluster);
    await sim.run(0);
    for (const [index, step] of steps.entries()) {
      await step(cluster, kept);
      sim.after(10_000, 'tick', () => {});
      await sim.run((index + 1) * 10_000);
    }
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

const volume =
  (mode: string, policy: string, metadata: object = {}): Step =>
  async ({ controlPlane: { store } }) => {
    const matchExpressions = [{ key: 'kubernetes.io/hostname', operator: 'In', values: ['node1'] }];
    const object: PersistentVolume = {
      metadata: { name: 'v', ...metadata },
      spec: {
        accessModes: [mode],
        persistentVolumeReclaimPolicy: policy,
        nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions }] } },
      },
    };
    const { entry } = await store.get('/registry/persistentvolumes/v');
    await store.put('/registry/persistentvolumes/v', encodeText(JSON.stringify(object)), entry?.revision ?? 0);
  };
const deleted: Step = async ({ controlPlane: { store } }) => {
  const { entry } = await store.get('/registry/persistentvolumes/v');
  await store.delete('/registry/persistentvolumes/v', entry?.revision ?? 0);
};
const disk = (cluster: SimCluster) => cluster.nodes[0]?.disk ?? expect.fail('no node');
const made: Step = (cluster) => disk(cluster).mkdir(`${FOLDER}/data`, 0o777);
const folderGoes: Step = (cluster) => disk(cluster).rename(FOLDER, `${VOLUMES_DIR}/.removing~v`, true);
const name = (uid: string): ContainerName => ({ uid, container: 'main', id: `c-${uid}`, attempt: 0, sandbox: 's' });
const creates =
  (uid: string): Step =>
  ({ facts, nodes }) => {
    const config = { metadata: { uid, attempt: 0 } } as unknown as SandboxConfig;
    nodes[0]?.runtime.runSandbox(config);
    const mounts = [{ containerPath: '/data', hostPath: `${FOLDER}/data`, found: 'files' }] as const;
    facts.tell({ kind: 'created', ...name(uid), mounts });
  };
const starts =
  (uid: string): Step =>
  async (cluster, kept) => {
    await creates(uid)(cluster, kept);
    cluster.facts.tell({ kind: 'started', ...name(uid) });
  };
const ends =
  (uid: string): Step =>
  ({ facts }) =>
    facts.tell({ kind: 'exited', ...name(uid), exitCode: 0, cause: 'self' });
const says =
  (expected: string | undefined): Step =>
  (_, kept) =>
    expect(kept.leftOver()).toEqual(expected);

const deleting = { deletionTimestamp: '2026-01-01T00:00:00Z' };
const shared = volume('ReadWriteOnce', 'Delete');
const alone = volume('ReadWriteOncePod', 'Delete');
const retained = volume('ReadWriteOnce', 'Retain');
const going = volume('ReadWriteOnce', 'Delete', deleting);

it.each<[string, readonly Step[], RegExp | undefined]>([
  ['two pods of one', [alone, made, starts('a'), starts('b')], /^one pod/],
  ['two pods of one, of which one only has it', [alone, made, creates('a'), starts('b')], undefined],
  ['one after the other', [alone, made, starts('a'), ends('a'), starts('b')], undefined],
  ['two pods of one that may', [shared, made, starts('a'), starts('b')], undefined],
  ['emptied below a pod', [shared, made, starts('a'), (c) => disk(c).remove(`${FOLDER}/data/log`)], /^lost/],
  [
    'emptied between two pods',
    [shared, made, starts('a'), ends('a'), (c) => disk(c).remove(`${FOLDER}/data/log`), starts('b')],
    /^lost/,
  ],
  ['over a power failure', [shared, made, starts('a'), ends('a'), (c) => disk(c).losePower(), starts('b')], undefined],
  ['removed below a pod', [going, made, starts('a'), folderGoes], /^folder in use/],
  ['removed below a container that has not begun', [going, made, creates('a'), folderGoes], /^folder in use/],
  [
    'removed after one',
    [going, made, creates('a'), ({ facts }) => facts.tell({ kind: 'sandbox-removed', uid: 'a', id: 's' }), folderGoes],
    undefined,
  ],
  ['removed below a volume', [shared, made, folderGoes], /^folder gone/],
  ['removed as it should', [going, made, starts('a'), ends('a'), folderGoes], undefined],
  ['removed with Retain', [volume('ReadWriteOnce', 'Retain', deleting), made, folderGoes], /^Retain/],
  ['removed with Retain, later', [retained, made, deleted, folderGoes], /^Retain/],
  ['left behind', [shared, made, starts('a'), ends('a'), deleted], /^leak/],
  ['left behind with Retain', [retained, made, starts('a'), ends('a'), deleted, says(undefined)], undefined],
  ['left over', [made, says('the folder of v is still on node1')], undefined],
  ['half removed', [made, folderGoes, says('the folder of .removing~v is still on node1')], undefined],
])('a volume %s', async (_, steps, expected) => {
  const said = await play(...steps);
  if (expected === undefined) expect(said).toBeUndefined();
  else expect(said).toMatch(expected);
});
