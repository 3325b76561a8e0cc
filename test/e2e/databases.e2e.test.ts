/**
 * Tests claims with the databases of ordinary manifests, PostgreSQL and Redis: no row is lost that a COMMIT, or an answer of
 * Redis, acknowledged, whatever is killed.
 */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bridgeName } from '../../src/network/index.ts';
import { Lab, type LabNode } from '../support/lab.ts';
import { clearAsByReboot, killNode } from '../support/lab-death.ts';
import { postgresArchive, redisArchive } from './database-images.ts';
import { describeInWhole, itInWhole } from './extent.ts';
import { Mendlet, type ObservedPod, outFolder, root, until } from './harness.ts';

const manifest = (name: string): string => join(root, 'test/e2e/databases', `${name}.yaml`);
const isReady = ({ metadata, status }: ObservedPod): boolean =>
  metadata.deletionTimestamp === undefined &&
  status.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') === true;

/**
 * A pod that writes new rows and notes each, only after the database has acknowledged it. `$id` is the row.
 *
 * @param write a command that ends with 0 when the row is acknowledged
 */
function writer(database: string, image: string, write: string, env: readonly object[] = []): object {
  const note = `id=$start-$n; if ${write} >/dev/null 2>&1; then echo $id >>/out/${database}; else sleep 0.1; fi`;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: `writer-${database}` },
    spec: {
      terminationGracePeriodSeconds: 0,
      containers: [
        {
          name: 'main',
          image,
          // No row of an earlier life has the same name.
          command: ['sh', '-c', `start=$(date +%s); n=0; while true; do n=$((n+1)); ${note}; done`],
          env,
          volumeMounts: [{ name: 'out', mountPath: '/out' }],
        },
      ],
    },
  };
}

const PASSWORD = { name: 'PGPASSWORD', valueFrom: { secretKeyRef: { name: 'postgres', key: 'password' } } };
const WRITERS = [
  writer(
    'postgres',
    'postgres:15',
    `PGCONNECT_TIMEOUT=2 timeout 10 psql -h postgres-0.postgres -U shop -d shop -c "INSERT INTO orders VALUES ('$id')"`,
    [PASSWORD],
  ),
  writer('redis', 'redis:7', '[ "$(timeout 10 redis-cli -h redis-0.redis RPUSH orders $id)" -gt 0 ]'),
];

/** How to ask each database for all rows. */
const DATABASES = {
  postgres: ['psql', '-U', 'shop', '-d', 'shop', '-qtAc', 'SELECT id FROM orders'],
  redis: ['redis-cli', 'LRANGE', 'orders', '0', '-1'],
} as const;
type Database = keyof typeof DATABASES;
const NAMES = Object.keys(DATABASES) as readonly Database[];

describe('databases on one node', () => {
  let mendlet: Mendlet;
  let out: ReturnType<typeof outFolder>;

  const databasePod = (name: Database): Promise<ObservedPod> => mendlet.pod(`${name}-0`);
  const containers = async (): Promise<readonly (string | undefined)[]> =>
    (await Promise.all(NAMES.map((name) => databasePod(name)))).map(
      (pod) => pod.status.containerStatuses?.[0]?.containerID,
    );

  /** Waits for new acknowledged rows in both databases, then looks whether these, and all from before, are there. */
  const goesOnAndHasLostNothing = async (): Promise<void> => {
    await Promise.all(
      NAMES.map(async (name) => {
        const before = out.lines(name).length;
        await until(`new rows in ${name}`, async () => {
          const now = out.lines(name).length;
          return now > before + 3 ? { value: now } : { last: `${now - before} new rows` };
        });
        const acknowledged = out.lines(name);
        const stored = await mendlet.kubectl(['exec', `${name}-0`, '--', ...DATABASES[name]]);
        const rows = new Set(stored.split('\n'));
        expect([name, acknowledged.filter((row) => !rows.has(row))]).toEqual([name, []]);
      }),
    );
  };

  beforeAll(async () => {
    const flags = [postgresArchive(), redisArchive()].flatMap((path) => ['--image-archive', path]);
    mendlet = new Mendlet({ podNetwork: 230, flags: ['--service-cidr', '10.101.0.0/16', ...flags] });
    out = outFolder(mendlet, 'databases');
    await mendlet.up();
    await mendlet.kubectl(['apply', '-f', manifest('postgres'), '-f', manifest('redis')]);
    for (const each of WRITERS) await mendlet.create(withOut(each, out.spec));
  });
  afterAll(() => mendlet?.down());

  it('they start from ordinary manifests, and their claims are bound without anybody’s help', async () => {
    for (const name of NAMES) await mendlet.untilPod(`${name}-0`, 'ready', isReady);
    const claims = await mendlet.kubectl(['get', 'pvc', '--no-headers']);
    expect(claims).toMatch(/^data-postgres-0 +Bound +pvc-[-0-9a-f]{36} +256Mi +RWO +mendlet-local +<unset> +/m);
    expect(claims).toMatch(/^data-redis-0 +Bound +pvc-[-0-9a-f]{36} +64Mi +RWO +mendlet-local +<unset> +/m);
    await goesOnAndHasLostNothing();
  });

  // Before the pods are deleted: a second death of the same pod would wait for its back-off.
  it('SIGKILL of the databases', async () => {
    const pods = await Promise.all(NAMES.map((name) => databasePod(name)));
    for (const pod of pods) process.kill(firstProcess(pod.metadata.uid, /^(postgres|redis-server)$/), 'SIGKILL');
    for (const { metadata } of pods) {
      const after = await mendlet.untilPod(
        metadata.name,
        'restarted',
        (pod) => isReady(pod) && pod.status.containerStatuses?.[0]?.restartCount === 1,
      );
      expect(after.metadata.uid).toBe(metadata.uid);
      expect(after.status.containerStatuses?.[0]?.lastState.terminated?.exitCode).toBe(137);
    }
    await goesOnAndHasLostNothing();
  });

  itInWhole('their pods are deleted', async () => {
    const before = await containers();
    await mendlet.kubectl(['delete', 'pod', 'postgres-0', 'redis-0']);
    await goesOnAndHasLostNothing();
    for (const [index, id] of (await containers()).entries()) expect(id).not.toBe(before[index]);
  });

  itInWhole('their pods are deleted by force', async () => {
    for (let round = 0; round < 3; round++) {
      await mendlet.kubectl(['delete', 'pod', 'postgres-0', 'redis-0', '--force', '--grace-period=0']);
      await goesOnAndHasLostNothing();
    }
  });

  itInWhole('they are rolled out', async () => {
    const before = await containers();
    for (const name of NAMES) await mendlet.kubectl(['set', 'env', `sts/${name}`, 'VERSION=2']);
    for (const name of NAMES) await mendlet.kubectl(['rollout', 'status', `sts/${name}`, '--timeout=280s']);
    await goesOnAndHasLostNothing();
    for (const [index, id] of (await containers()).entries()) expect(id).not.toBe(before[index]);
  });

  itInWhole('they are scaled to nothing, and back', async () => {
    await mendlet.kubectl(['scale', 'sts/postgres', 'sts/redis', '--replicas=0']);
    await mendlet.kubectl(['wait', '--for=delete', 'pod/postgres-0', 'pod/redis-0', '--timeout=100s']);
    await mendlet.kubectl(['scale', 'sts/postgres', 'sts/redis', '--replicas=1']);
    await goesOnAndHasLostNothing();
  });

  it('SIGKILL of mendlet, and of containerd meanwhile', async () => {
    const before = await containers();
    await mendlet.end('SIGKILL');
    process.kill(mendlet.containerdPid(), 'SIGKILL');
    await mendlet.up();
    await goesOnAndHasLostNothing();
    expect(await containers()).toEqual(before);
  });

  itInWhole('SIGKILL of containerd, and of mendlet, one after the other', async () => {
    const before = await containers();
    const pid = mendlet.containerdPid();
    process.kill(pid, 'SIGKILL');
    await until('another containerd', async () => {
      const now = await mendlet.untilContainerd();
      return now === pid ? { last: 'the same' } : { value: now };
    });
    await goesOnAndHasLostNothing();
    await mendlet.end('SIGKILL');
    await mendlet.up();
    await goesOnAndHasLostNothing();
    expect(await containers()).toEqual(before);
  });

  it('everything is gone but the disk, as by a reboot', async () => {
    const before = await containers();
    await Promise.all([mendlet.end('SIGKILL'), killNode(mendlet.dataDir, undefined)]);
    clearAsByReboot(mendlet.dataDir);
    removeBridge(mendlet);
    await mendlet.up();
    for (const name of NAMES) await mendlet.untilPod(`${name}-0`, 'ready', isReady);
    await goesOnAndHasLostNothing();
    for (const [index, id] of (await containers()).entries()) expect(id).not.toBe(before[index]);
  });
});

/** The writer with the folder of the host in which it notes what was acknowledged. */
function withOut(pod: object, spec: object): object {
  const { spec: own, ...rest } = pod as { spec: object };
  return { ...rest, spec: { ...own, ...spec } };
}

/** The process of a pod's container that has number 1 there. @param program its name */
function firstProcess(podUid: string, program: RegExp): number {
  const marks = [podUid, podUid.replaceAll('-', '_')];
  const found = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .find((name) => {
      try {
        const cgroup = readFileSync(`/proc/${name}/cgroup`, 'utf8');
        const status = readFileSync(`/proc/${name}/status`, 'utf8');
        const command = /^Name:\s+(.*)$/m.exec(status)?.[1] ?? '';
        return marks.some((mark) => cgroup.includes(mark)) && /^NSpid:.*\s1$/m.test(status) && program.test(command);
      } catch {
        // The process has ended meanwhile.
        return false;
      }
    });
  if (found === undefined) throw new Error(`no first process of pod ${podUid}`);
  return Number(found);
}

/** A reboot ends the network of the pods, too: its bridge, and with it their routes. */
function removeBridge(mendlet: Mendlet): void {
  const id = readFileSync(join(mendlet.dataDir, 'instance'), 'utf8').trim();
  const { status, stderr } = spawnSync('ip', ['link', 'delete', bridgeName(id)], { encoding: 'utf8' });
  expect([status, stderr]).toEqual([0, '']);
}

describeInWhole('three of Redis on three nodes', () => {
  let lab: Lab;
  const members = ['redis-0', 'redis-1', 'redis-2'];

  const pods = async (): Promise<readonly ObservedPod[]> =>
    (await lab.read<{ items: readonly ObservedPod[] }>('pods', { selector: 'app=redis' })).items;
  const untilMembers = (what: string, wanted: readonly string[]): Promise<ReadonlyMap<string, ObservedPod>> =>
    until<ReadonlyMap<string, ObservedPod>>(what, async () => {
      const found = await pods();
      const names = found.filter(isReady).map(({ metadata }) => metadata.name);
      return found.length === wanted.length && wanted.every((name) => names.includes(name))
        ? { value: new Map(found.map((pod) => [pod.metadata.name, pod])) }
        : { last: JSON.stringify(found.map(({ metadata, spec, status }) => [metadata, spec.nodeName, status])) };
    });
  const places = (found: ReadonlyMap<string, ObservedPod>): readonly (readonly [string, string | undefined])[] =>
    members.map((name) => [name, found.get(name)?.spec.nodeName] as const);
  /** Writes another row into each member. */
  const write = async (row: string, to = members): Promise<void> => {
    for (const name of to)
      await lab.kubectl(['exec', name, '--', 'redis-cli', '-e', 'RPUSH', 'rows', `${name} ${row}`]);
  };
  const rowsOf = async (name: string): Promise<readonly string[]> =>
    (await lab.kubectl(['exec', name, '--', 'redis-cli', 'LRANGE', 'rows', '0', '-1'])).trim().split('\n');
  const expectRows = async (...rows: readonly string[]): Promise<void> => {
    for (const name of members) expect([name, await rowsOf(name)]).toEqual([name, rows.map((row) => `${name} ${row}`)]);
  };
  const scale = (replicas: number): Promise<string> => lab.kubectl(['scale', 'sts/redis', `--replicas=${replicas}`]);

  let home: readonly (readonly [string, string | undefined])[];

  beforeAll(async () => {
    lab = await Lab.create({
      nodes: 3,
      clusterCidr: '10.231.0.0/16',
      serverFlags: [
        '--service-cidr=10.102.0.0/16',
        '--node-monitor-grace-period=6s',
        '--node-eviction-rate=10',
        '--pod-eviction-timeout=0',
      ],
      agentFlags: ['--image-archive', redisArchive()],
      kubelet: { nodeStatusUpdateFrequency: '1s', nodeLeaseDurationSeconds: 4 },
    });
    await lab.start();
    await lab.kubectl(['apply', '-f', manifest('redis')]);
    await scale(3);
  });
  afterAll(async () => lab?.down());

  it('each member has its own node, and its volume is there', async () => {
    home = places(await untilMembers('three members', members));
    expect(new Set(home.map(([, node]) => node))).toEqual(new Set(['n1', 'n2', 'n3']));
    const columns =
      'CLAIM:.spec.claimRef.name,NODES:.spec.nodeAffinity.required.nodeSelectorTerms[*].matchExpressions[*].values';
    const listed = await lab.kubectl(['get', 'pv', '--no-headers', '-o', `custom-columns=${columns}`]);
    for (const [name, node] of home) expect(listed).toMatch(new RegExp(`^data-${name} +\\[${node}\\]$`, 'm'));
    await write('first');
  });

  it('each returns to its node and its data when all are deleted', async () => {
    await lab.kubectl(['delete', 'pod', '-l', 'app=redis']);
    expect(places(await untilMembers('three again', members))).toEqual(home);
    await expectRows('first');
    await write('second');
  });

  it('each returns to its node and its data when it is scaled away and back', async () => {
    await scale(1);
    await untilMembers('one member', ['redis-0']);
    await scale(3);
    expect(places(await untilMembers('three again', members))).toEqual(home);
    await expectRows('first', 'second');
    await write('third');
  });

  it('a member waits for its lost node, and has its data when the node is back', async () => {
    const [, lostName] = home[1] as readonly [string, string];
    const lost = lab.nodes.find(({ name }) => name === lostName) as LabNode;
    await lost.die();
    await until('the member of the lost node is not ready', async () => {
      const found = (await pods()).find(({ metadata }) => metadata.name === 'redis-1');
      return found !== undefined && isReady(found) ? { last: 'ready' } : { value: true };
    });
    await write('fourth', ['redis-0', 'redis-2']);
    // Somebody loses patience: the next one of the name waits for the same node all the same.
    await lab.kubectl(['delete', 'pod', 'redis-1', '--force', '--grace-period=0']);
    await until('the reason why the next one waits', async () => {
      const last = await lab.kubectl(['events', '--for', 'pod/redis-1']);
      return last.includes("didn't match PersistentVolume's node affinity") ? { value: true } : { last };
    });
    const waiting = (await pods()).find(({ metadata }) => metadata.name === 'redis-1');
    expect([waiting?.spec.nodeName, waiting?.status.phase]).toEqual([undefined, 'Pending']);
    await lost.start();
    expect(places(await untilMembers('three again', members))).toEqual(home);
    await write('fourth', ['redis-1']);
    await expectRows('first', 'second', 'third', 'fourth');
  });

  it('no volume is left over when set and claims are deleted', async () => {
    await lab.kubectl(['delete', 'sts/redis', '--cascade=foreground']);
    await lab.kubectl(['delete', 'pvc', '--all']);
    await until('no volume', async () => {
      const last = await lab.kubectl(['get', 'pv', '-o', 'name']);
      return last === '' ? { value: true } : { last };
    });
    for (const { dataDir } of lab.nodes)
      expect(readdirSync(join(dataDir, 'volumes')).filter((name) => !name.startsWith('.'))).toEqual([]);
  });
});
