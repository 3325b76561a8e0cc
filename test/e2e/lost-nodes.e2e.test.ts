/**
 * Tests on three real nodes what becomes of volumes when their node is cut off: it is said, one volume is given up by command and
 * one by a healing policy, and the node that comes back with the old folders takes nothing silently.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { NodeVolumeList, Pod } from '../../src/api/index.ts';
import { Lab, type LabNode } from '../support/lab.ts';
import { type CommandResult, root, run, until } from './harness.ts';

const IMAGE = 'docker.io/library/busybox:latest';
const PROGRAM = join(root, 'dist/mendlet.js');
/** Appends a line for each start, and ends at once on SIGTERM. */
const WRITER = "trap 'exit 0' TERM; echo start >>/data/starts; sync /data/starts; while :; do sleep 1 & wait; done";

let lab: Lab;
beforeAll(async () => {
  lab = await Lab.create({
    nodes: 3,
    clusterCidr: '10.236.0.0/16',
    serverFlags: [
      '--service-cidr',
      '10.105.0.0/16',
      '--node-monitor-grace-period',
      '6s',
      '--node-eviction-rate',
      '10',
      '--pod-eviction-timeout',
      '1s',
    ],
    kubelet: { nodeStatusUpdateFrequency: '1s', nodeLeaseDurationSeconds: 4 },
  });
  await lab.start();
});
afterAll(() => lab?.down());

const POLICY = {
  apiVersion: 'mendlet.dev/v1alpha1',
  kind: 'HealingPolicy',
  metadata: { name: 'caches' },
  spec: { selector: { matchLabels: { app: 'cache' } }, volumes: { giveUpAfter: '10s' } },
};

/** @param near where its pod is to be, if that is possible */
function database(name: string, near?: string): object {
  const labels = { app: name };
  const expression = { key: 'kubernetes.io/hostname', operator: 'In', values: [near] };
  const preferred = [{ weight: 100, preference: { matchExpressions: [expression] } }];
  const affinity = { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: preferred } };
  const container = {
    name: 'main',
    image: IMAGE,
    imagePullPolicy: 'Never',
    command: ['sh', '-c', WRITER],
    volumeMounts: [{ name: 'data', mountPath: '/data' }],
  };
  const claim = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '16Mi' } } };
  return {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: { name },
    spec: {
      serviceName: name,
      replicas: 1,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [container], ...(near !== undefined && { affinity }) } },
      volumeClaimTemplates: [{ metadata: { name: 'data' }, spec: claim }],
    },
  };
}

interface Volume {
  readonly metadata: { readonly name: string };
  readonly spec: { readonly local: { readonly path: string }; readonly claimRef?: { readonly name: string } };
  readonly status: { readonly phase: string };
}

const untilRuns = (name: string, what: string, on: (node: string) => boolean = () => true): Promise<Pod> =>
  until<Pod>(`${name} ${what}`, async () => {
    const { items } = await lab.read<{ items: readonly Pod[] }>('pods', {});
    const found = items.find(({ metadata }) => metadata?.name === name);
    const { nodeName = '' } = found?.spec ?? {};
    const isThere = found?.status?.phase === 'Running' && !found.metadata?.deletionTimestamp && on(nodeName);
    return isThere ? { value: found } : { last: JSON.stringify([nodeName, found?.metadata, found?.status]) };
  });
const volumes = async (): Promise<readonly Volume[]> => (await lab.read<{ items: readonly Volume[] }>('pv')).items;
const volumeOf = async (claim: string): Promise<Volume> => {
  const found = (await volumes()).find(({ spec, status }) => spec.claimRef?.name === claim && status.phase === 'Bound');
  if (found === undefined) throw new Error(`no volume of ${claim}`);
  return found;
};
const starts = ({ spec }: Volume): number =>
  readFileSync(join(spec.local.path, 'starts'), 'utf8').split('\n').length - 1;
const mendlet = (...args: readonly string[]): Promise<CommandResult> =>
  run(process.execPath, [PROGRAM, ...args, '--kubeconfig', lab.kubeconfig]);
const says = (what: string, pattern: RegExp): Promise<string> =>
  until<string>(`${what} says ${String(pattern)}`, async () => {
    const last = await lab.kubectl(['events', '-A', '--for', what]);
    return pattern.test(last) ? { value: last } : { last };
  });
const foldersOf = async ({ name }: LabNode): Promise<readonly string[]> => {
  const text = await lab.kubectl(['get', '--raw', `/api/v1/nodes/${name}/proxy/mendlet/v1/volumes`]);
  return (JSON.parse(text) as NodeVolumeList).items.map((item) => `${item.name} ${item.state}`).toSorted();
};

describe('a node that is lost with volumes', () => {
  let home: LabNode;
  let [db, cache]: (Volume | undefined)[] = [];

  it('has them; they are not given up while it is heard', async () => {
    await lab.create(POLICY, database('db'));
    const pod = await untilRuns('db-0', 'runs');
    const found = lab.nodes.find(({ name }) => name === pod.spec?.nodeName);
    if (found === undefined) throw new Error('db-0 is on no node');
    home = found;
    await lab.create(database('cache', home.name));
    await untilRuns('cache-0', 'runs', (node) => node === home.name);
    db = await volumeOf('data-db-0');
    cache = await volumeOf('data-cache-0');
    const { code, stderr } = await mendlet('volumes', 'give-up', 'data-db-0', '--yes');
    expect(code).toBe(1);
    expect(stderr).toContain(`pvc/data-db-0 keeps its volume: node ${home.name} is heard and has the data, and db-0`);
    // Nor for whoever writes the annotation by hand; and that is not remembered for the day the node fails.
    await lab.kubectl(['annotate', 'pvc', 'data-db-0', `mendlet.dev/give-up=${db.metadata.name}`]);
    await says('pvc/data-db-0', /GiveUpRefused .*is heard, and pod "db-0" uses the volume there/);
    expect(await lab.kubectl(['get', 'pvc', 'data-db-0', '-o', 'jsonpath={.metadata.annotations}'])).not.toContain(
      'give-up',
    );
  });

  it('is said, with what it means and what can be done', async () => {
    home.partition();
    const told = await says('pvc/data-db-0', /VolumeNodeLost/);
    expect(told).toContain(`is a folder on the disk of node "${home.name}", which has not been heard of since`);
    expect(told).toContain('mendlet volumes give-up data-db-0 -n default');
    await says(`pv/${db?.metadata.name}`, /VolumeNodeLost/);
    await says('pod/db-0', /VolumeNodeLost/);
    const why = await mendlet('why', 'pvc/data-db-0');
    expect(why.stdout).toMatch(/ 1\. the volume of claim data-db-0 is a folder on the disk of node n\d, which has not/);
    expect(why.stdout).toContain(`kubectl wait --for=condition=Ready node/${home.name}`);
    expect((await mendlet('why', 'pod/db-0')).stdout).toContain('mendlet volumes give-up data-db-0');
  });

  it('gives the one up by command, and the pod goes on elsewhere with an empty volume', async () => {
    const meaning = await mendlet('volumes', 'give-up', 'data-db-0');
    expect(meaning.code).toBe(1);
    expect(meaning.stdout).toContain(`its data stays on the disk of ${home.name} (${db?.spec.local.path})`);
    const { code, stdout } = await mendlet('volumes', 'give-up', 'data-db-0', '--yes');
    expect([code, stdout]).toEqual([0, expect.stringContaining('the volume was given up; the claim was made anew')]);
    await untilRuns('db-0', 'runs elsewhere', (node) => node !== home.name);
    const other = await volumeOf('data-db-0');
    expect(other.metadata.name).not.toBe(db?.metadata.name);
    expect(starts(other)).toBe(1);
  });

  it('gives the other up by its policy', async () => {
    await untilRuns('cache-0', 'runs elsewhere', (node) => node !== home.name);
    expect((await volumeOf('data-cache-0')).metadata.name).not.toBe(cache?.metadata.name);
    await says('pvc/data-cache-0', /ClaimReplaced/);
  });

  it('keeps the folders when it is back, and says so', async () => {
    home.heal();
    for (const volume of [db, cache])
      await says(`node/${home.name}`, new RegExp(`VolumeKept .*${volume?.metadata.name}`));
    expect(await foldersOf(home)).toEqual([db, cache].map((volume) => `${volume?.metadata.name} ready`).toSorted());
    for (const volume of [db, cache]) expect(volume !== undefined && starts(volume)).toBe(1);
    // The pods that went on there, cut off, are ended.
    await until<boolean>('the end of the old pods', () => {
      const busy = [db, cache].filter((volume) => isMounted(volume?.metadata.name ?? ''));
      return Promise.resolve(busy.length === 0 ? { value: true } : { last: JSON.stringify(busy) });
    });
    const names = (await volumes()).map(({ metadata }) => metadata.name);
    expect(names).toHaveLength(2);
    for (const volume of [db, cache]) expect(names).not.toContain(volume?.metadata.name);
    // The command of the event removes one.
    const { metadata } = db as Volume;
    const path = `/api/v1/nodes/${home.name}/proxy/mendlet/v1/volumes/${metadata.name}`;
    // A volume is its pod's until the agent has finished with the pod, which is after the unmount.
    await until<boolean>('the removal', async () => {
      const { code, stderr } = await lab.tryKubectl([
        'delete',
        '--raw',
        `${path}?handle=${metadata.name.replace('pvc-', '')}`,
      ]);
      if (code !== 0) expect(stderr).toContain('VolumeInUse');
      return code === 0 ? { value: true } : { last: stderr };
    });
    expect(existsSync((db as Volume).spec.local.path)).toBe(false);
  });
});

function isMounted(name: string): boolean {
  return readFileSync('/proc/self/mountinfo', 'utf8').includes(`/${name}/data `);
}
