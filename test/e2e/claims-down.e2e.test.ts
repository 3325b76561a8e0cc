/** Tests that `mendlet down` without `--purge` keeps claims and what is in them: the next `up` needs nobody's hand. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { NodeVolumeList, PersistentVolume, PersistentVolumeClaim } from '../../src/api/index.ts';
import { Lab } from '../support/lab.ts';
import { busyboxPod, mainContainer, Mendlet, type ObservedPod, until } from './harness.ts';

const STAY = "trap 'exit 0' TERM; echo start >>/data/starts; sync /data/starts; while :; do sleep 1 & wait; done";
const CLAIM = { accessModes: ['ReadWriteOncePod'], resources: { requests: { storage: '1Mi' } } };
const MOUNT = { name: 'data', mountPath: '/data' };
const ROUNDS = 2;

const mendlet = new Mendlet({ podNetwork: 235 });
const volumesDir = join(mendlet.dataDir, 'volumes');
/** Pod → its claim. Some are owned by a StatefulSet, some by nobody. */
const CLAIMS = { 'db-0': 'data-db-0', 'db-1': 'data-db-1', bare: 'by-hand' } as const;

interface List<T> {
  readonly items: readonly T[];
}

beforeAll(async () => {
  await mendlet.up();
  await mendlet.create(
    ...database(),
    { apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name: CLAIMS.bare }, spec: CLAIM },
    busyboxPod('bare', STAY, {
      spec: { volumes: [{ name: 'data', persistentVolumeClaim: { claimName: CLAIMS.bare } }] },
      container: { volumeMounts: [MOUNT] },
    }),
  );
  await untilStarts(1);
});
afterAll(() => mendlet.down());

/** A StatefulSet with two claims, as anybody writes it. */
function database(): readonly object[] {
  const labels = { app: 'db' };
  const { spec } = busyboxPod('any', STAY, { container: { volumeMounts: [MOUNT] } }) as { readonly spec: object };
  return [
    {
      apiVersion: 'apps/v1',
      kind: 'StatefulSet',
      metadata: { name: 'db' },
      spec: {
        serviceName: 'db',
        replicas: 2,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec },
        volumeClaimTemplates: [{ metadata: { name: 'data' }, spec: CLAIM }],
      },
    },
  ];
}

const isReady = (pod: ObservedPod): boolean => mainContainer(pod)?.ready === true;

/** Claim → its volume's name and folder. */
async function folders(): Promise<Readonly<Record<string, string>>> {
  const { items } = await mendlet.read<List<PersistentVolume>>('pv', {});
  return Object.fromEntries(items.map(({ spec }) => [spec?.claimRef?.name ?? '', spec?.local?.path ?? '']));
}

/** Each pod is ready, and has started this many times on its volume. */
async function untilStarts(count: number): Promise<void> {
  for (const [name, claim] of Object.entries(CLAIMS)) {
    await mendlet.untilPod(name, 'is ready', isReady);
    const path = (await folders())[claim] ?? '';
    await until<boolean>(`start ${count} of ${name}`, async () => {
      const last = existsSync(join(path, 'starts')) ? readFileSync(join(path, 'starts'), 'utf8') : 'no file';
      return last === 'start\n'.repeat(count) ? { value: true } : { last };
    });
  }
}

it('down and up again: every pod has its volume with all that was in it', async () => {
  const before = await folders();
  for (let round = 1; round <= ROUNDS; round += 1) {
    await mendlet.end('SIGTERM');
    expect(await mendlet.command('down')).toMatch(/^stopped and removed 3 pods; .* stays/);
    // Nobody has a volume any more, and nothing of one went.
    expect(readFileSync('/proc/self/mountinfo', 'utf8')).not.toContain(`${mendlet.dataDir}/`);
    expect(readdirSync(volumesDir).filter((name) => name.startsWith('pvc-'))).toHaveLength(3);
    for (const path of Object.values(before))
      expect(readFileSync(join(path, 'starts'), 'utf8')).toBe('start\n'.repeat(round));
    await mendlet.up();
    await untilStarts(round + 1);
  }
  expect(await folders()).toEqual(before);
  const { items } = await mendlet.read<List<PersistentVolumeClaim>>('pvc', { namespace: 'default' });
  expect(items.map(({ metadata, status }) => `${metadata?.name} ${status?.phase}`).toSorted()).toEqual(
    Object.values(CLAIMS)
      .map((claim) => `${claim} Bound`)
      .toSorted(),
  );
});

it('no volume was said to be lost or left over', async () => {
  const raw = await mendlet.kubectl(['get', '--raw', '/api/v1/nodes/e2e/proxy/mendlet/v1/volumes']);
  expect((JSON.parse(raw) as NodeVolumeList).items.map(({ state }) => state)).toEqual(['ready', 'ready', 'ready']);
  const events = await mendlet.read<List<{ readonly reason: string; readonly message: string }>>('events', {});
  expect(events.items.filter(({ reason }) => /^Volume(Lost|Kept)/.test(reason))).toEqual([]);
});

it('volumes of a down are removed as ever: with their claims, after their pods', async () => {
  const before = await folders();
  await mendlet.kubectl(['delete', 'sts/db', 'pod/bare', '--cascade=foreground']);
  await mendlet.kubectl(['delete', 'pvc', '--all']);
  for (const path of Object.values(before)) {
    await until<boolean>(`the end of ${path}`, async () =>
      existsSync(path) ? { last: 'it is there' } : { value: true },
    );
  }
});
it('a node that left the cluster by down comes back with its volumes, and its pods with it', async () => {
  const lab = await Lab.create({
    nodes: 1,
    clusterCidr: '10.234.0.0/16',
    serverFlags: ['--service-cidr', '10.104.0.0/16'],
  });
  try {
    await lab.start();
    await lab.create(...database());
    const [node] = lab.nodes;
    if (node === undefined) throw new Error('the lab has no node');
    const starts = async (count: number): Promise<void> => {
      await lab.kubectl(['rollout', 'status', 'sts/db', '--timeout=200s']);
      const { items } = await lab.read<List<PersistentVolume>>('pv', {});
      expect(items).toHaveLength(2);
      for (const { spec } of items) {
        await until<boolean>(`start ${count}`, async () => {
          const last = readFileSync(join(spec?.local?.path ?? '', 'starts'), 'utf8');
          return last === 'start\n'.repeat(count) ? { value: true } : { last };
        });
      }
    };
    await starts(1);
    expect(await node.down()).toMatchObject({ code: 0 });
    // It has left the cluster, and with its data, which nobody takes for lost.
    expect((await lab.read<List<object>>('nodes', {})).items).toEqual([]);
    await node.start();
    await starts(2);
    const { items } = await lab.read<List<PersistentVolumeClaim>>('pvc', { namespace: 'default' });
    expect(items.map(({ status }) => status?.phase)).toEqual(['Bound', 'Bound']);
    const events = await lab.read<List<{ readonly reason: string }>>('events', {});
    expect(events.items.filter(({ reason }) => /^Volume(Lost|Kept)/.test(reason))).toEqual([]);
  } finally {
    await lab.down();
  }
});
