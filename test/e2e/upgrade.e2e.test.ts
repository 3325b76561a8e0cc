/**
 * Tests an upgrade: the last merged program makes the data folder and the pods, and the present one takes them over. No
 * container is
 * disturbed, no rollout starts, and all state continues.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { buildDriver, driverObject, driverPod } from '../support/csi-driver/manifests.ts';
import { askHttp } from '../support/ask-port.ts';
import { unpackLandedProgram } from '../upgrade/landed-program.ts';
import { applied, autoscaler, BOOKS, definition, HOLD, objects } from '../upgrade/custom-state.ts';
import {
  barePods,
  canonicalForm,
  claimPod,
  HELD,
  HELD_FOLDER,
  idleForm,
  LEDGER,
  LEDGER_PODS,
  MADE,
  madeVolumes,
  surroundings,
  WAITING,
  workloads,
} from '../upgrade/state.ts';
import { describeInWhole } from './extent.ts';
import { busyboxPod, mainContainer, Mendlet, type ObservedPod, outFolder, root, run, until } from './harness.ts';

interface Listed {
  readonly kind: string;
  readonly metadata: Readonly<Record<string, unknown>> & {
    readonly name: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly ownerReferences?: readonly { readonly uid: string }[];
  };
  readonly spec: Readonly<Record<string, unknown>>;
  readonly status?: Readonly<Record<string, unknown>>;
  readonly revision?: number;
}

interface History {
  readonly items: readonly { readonly containers: readonly { readonly deaths: readonly object[] }[] }[];
}

const OWNERS = 'deployments,statefulsets,daemonsets,jobs,cronjobs,replicasets,controllerrevisions';
const REST =
  'services,configmaps,secrets,persistentvolumes,persistentvolumeclaims,poddisruptionbudgets,healingpolicies';
/** Fields of an owner's status that a rollout, a restart or a new identity would change. */
const STATUS = [
  'observedGeneration',
  'currentRevision',
  'updateRevision',
  'collisionCount',
  'updatedReplicas',
  'succeeded',
];

/** The number of restarts of a pod that waits for its back-off. */
function waitingAt(pod: ObservedPod): number | undefined {
  const main = mainContainer(pod);
  return main?.state.waiting?.reason === 'CrashLoopBackOff' ? main.restartCount : undefined;
}

describe('an upgrade from the program that landed last', () => {
  const mendlet = new Mendlet({ podNetwork: 149 });
  const out = outFolder(mendlet, 'upgrade');
  afterAll(() => mendlet.down());

  const get = async (what: string): Promise<readonly Listed[]> =>
    (JSON.parse(await mendlet.kubectl(['get', what, '-n', 'default', '-o', 'json'])) as { items: readonly Listed[] })
      .items;
  const apply = (objects: readonly object[]): Promise<string> =>
    mendlet.kubectl(['apply', '-f', '-'], objects.map((each) => JSON.stringify(each)).join('\n---\n'));
  const history = async (name: string): Promise<readonly object[]> => {
    const cli = [`${root}/dist/mendlet.js`, 'history', `pod/${name}`, '-o', 'json', '--kubeconfig', mendlet.kubeconfig];
    const { stdout, stderr } = await run(process.execPath, cli);
    if (stdout === '') throw new Error(stderr);
    return (JSON.parse(stdout) as History).items.flatMap(({ containers }) =>
      containers.flatMap(({ deaths }) => deaths),
    );
  };

  /** Whether the program that landed makes volumes of claims; otherwise what needs them waits for the present one. */
  let madeBefore = false;
  /** Whether what has this name waited for a volume before the upgrade, so that the upgrade changes it. */
  const waited = (name: string | undefined): boolean =>
    name === WAITING || (!madeBefore && name !== undefined && /^(data-)?(made|ledger)\b/.test(name));

  /** Whether the program that landed knows definitions, autoscalers and owners of fields. */
  let definesBefore = false;
  let custom: Readonly<Record<string, unknown>> = {};
  const applyAs = (manager: string, object: object): Promise<string> =>
    mendlet.kubectl(['apply', '--server-side', '--field-manager', manager, '-f', '-'], JSON.stringify(object));
  const makeCustom = async (): Promise<void> => {
    await apply([definition]);
    await mendlet.kubectl(['wait', '--for=condition=Established', `crd/${BOOKS}`, '--timeout=60s']);
    await mendlet.create(...objects, autoscaler);
    const status = JSON.stringify({ status: { lent: 2, phase: 'Lent' } });
    await mendlet.kubectl(['patch', BOOKS, 'old', '--subresource=status', '--type=merge', '-p', status]);
    await mendlet.kubectl(['delete', BOOKS, 'going', '--wait=false']);
    for (const manager of ['first', 'second'] as const) await applyAs(manager, applied(manager));
    await until('the status of the autoscaler', async () => {
      const [scaler] = await get('hpa');
      return JSON.stringify(scaler?.status).includes('ScalingDisabled')
        ? { value: true }
        : { last: JSON.stringify(scaler?.status) };
    });
  };
  /** All of the objects of kinds that are new: nothing writes them during an upgrade. */
  const customSnapshot = async (): Promise<Readonly<Record<string, unknown>>> => {
    const [definitions, books, scalers, maps] = await Promise.all([
      getManaged('crd'),
      getManaged(BOOKS),
      getManaged('hpa'),
      getManaged('configmaps'),
    ]);
    // The server brings definitions of its own.
    const own = definitions.filter(({ metadata }) => metadata.name === BOOKS);
    const all = [...own, ...books, ...scalers, ...maps.filter(({ metadata }) => metadata.name === 'shared')];
    return Object.fromEntries(all.map((each) => [`${each.kind} ${each.metadata.name}`, each]));
  };
  const getManaged = async (what: string): Promise<readonly Listed[]> => {
    const args = ['get', what, '-n', 'default', '-o', 'json', '--show-managed-fields'];
    return (JSON.parse(await mendlet.kubectl(args)) as { items: readonly Listed[] }).items;
  };

  /** The state that an upgrade must not change, by object. */
  const snapshot = async (): Promise<Readonly<Record<string, unknown>>> => {
    const [pods, owners, rest] = await Promise.all([get('pods'), get(OWNERS), get(REST)]);
    return Object.fromEntries([
      ...pods
        .filter(({ metadata }) => metadata.name !== 'loop' && !waited(metadata.name))
        .map((pod) => [`Pod ${pod.metadata.name}`, podIdentity(pod)]),
      ...owners
        .filter(({ metadata }) => !waited(metadata.name))
        .map((owner) => [`${owner.kind} ${owner.metadata.name}`, ownerIdentity(owner)]),
      ...rest
        .filter(({ metadata }) => metadata.name !== 'shared')
        .filter((each) => !waited(each.metadata.name) && !waited(claimOf(each)))
        .map(({ kind, metadata, spec, status }) => [
          `${kind} ${metadata.name}`,
          {
            uid: metadata['uid'],
            generation: metadata['generation'],
            clusterIP: spec?.['clusterIP'],
            phase: status?.['phase'],
          },
        ]),
    ]);
  };
  const claims = [MADE, ...LEDGER_PODS.map((pod) => `data-${pod}`)];
  /** Where the data of these claims is, by claim. */
  const foldersOfClaims = async (): Promise<Readonly<Record<string, string>>> => {
    const found = (await get('persistentvolumes')).map((each) => [claimOf(each) ?? '', each.spec['local']] as const);
    return Object.fromEntries(
      found
        .filter(([claim]) => claims.includes(claim))
        .map(([claim, local]) => [claim, (local as { path: string }).path])
        .toSorted(([a = ''], [b = '']) => a.localeCompare(b)),
    );
  };
  const madeVolumesReady = async (): Promise<void> => {
    for (const pod of [MADE, ...LEDGER_PODS])
      await mendlet.untilPod(pod, 'ready', (each) => mainContainer(each)?.ready === true);
  };
  const rolledOut = (what: string) => mendlet.kubectl(['rollout', 'status', what, '--timeout=280s']);

  let before: Readonly<Record<string, unknown>> = {};
  let folders: Readonly<Record<string, string>> = {};
  /** Whether the program that landed left host ports to portmap. */
  let portmapBefore = false;
  let deaths: readonly object[] = [];
  let restarts = 0;
  let ends = 0;
  let token = '';
  const said: string[] = [];

  beforeAll(async () => {
    await mendlet.up([], unpackLandedProgram());
    mkdirSync(join(mendlet.folder, HELD_FOLDER));
    await apply(surroundings(mendlet.folder));
    // Each workload gets two revisions, of which the first is history.
    await apply(workloads(idleForm));
    madeBefore = (await mendlet.kubectl(['get', 'sc', '-o', 'name'])).includes('/mendlet-local');
    definesBefore = (await mendlet.kubectl(['api-resources', '-o', 'name'])).includes('customresourcedefinitions');
    if (definesBefore) await makeCustom();
    await mendlet.create(...madeVolumes());
    await mendlet.create(...barePods(out), mapped('mapped'), claimPod(HELD, HELD), claimPod(WAITING, WAITING));
    for (const what of ['deploy/web', 'sts/db', 'ds/logs']) {
      await rolledOut(what);
      await mendlet.kubectl(['set', 'env', what, 'REVISION=2']);
    }
    for (const what of ['deploy/web', 'sts/db', 'ds/logs']) await rolledOut(what);
    await mendlet.kubectl(['wait', 'job/done', '--for=condition=Complete', '--timeout=280s']);
    await mendlet.kubectl(['wait', 'pod', '-l', 'app=works', '--for=condition=Ready', '--timeout=280s']);
    await mendlet.untilPod('steady', 'ready', (pod) => mainContainer(pod)?.ready === true);
    await mendlet.untilPod(HELD, 'ready', (pod) => mainContainer(pod)?.ready === true);
    if (madeBefore) await madeVolumesReady();
    await mendlet.untilPod('climber', 'stopped', (pod) => hasStopped(pod));
    await mendlet.untilPod('loop', 'in its third wait', (pod) => (mainContainer(pod)?.restartCount ?? 0) >= 2);
    token = (await mendlet.kubectl(['create', 'token', 'default', '--duration=1h'])).trim();
    await untilQuiet(snapshot);
    await mendlet.end('SIGTERM');
    await mendlet.up([], unpackLandedProgram());
    before = await untilQuiet(snapshot);
    custom = definesBefore ? await untilQuiet(customSnapshot) : {};
    portmapBefore = (await ofPortmap()).length > 0;
    folders = madeBefore ? await foldersOfClaims() : {};
    deaths = await history('loop');
    // A start that the agent's end broke off counts as a restart, because its program may have run: lives are counted by their
    // two lines, the start and the end, while the pod waits between two of them.
    restarts = await until<number>('a wait between two lives', async () => {
      const waitedAt = waitingAt(await mendlet.pod('loop'));
      ends = out.lines('loop').length;
      const stillAt = waitingAt(await mendlet.pod('loop'));
      return waitedAt !== undefined && waitedAt === stillAt
        ? { value: waitedAt }
        : { last: `${ends} lines, restarts ${waitedAt} and ${stillAt}` };
    });
    if (ends % 2 !== 0) throw new Error(`a life that is over has two lines: ${ends} lines`);
    const over = new AbortController();
    const asking = (async () => {
      while (!over.signal.aborted) {
        said.push(await askHttp(`http://127.0.0.1:${HOST_PORT}/`));
        // Each answer forks a process in the pod; a gap is longer than this.
        await sleep(20);
      }
    })();
    await mendlet.end('SIGTERM');

    await mendlet.up();
    // Controllers handle these new objects after all that they found at their start, so their completion implies that of the
    // rest.
    await apply(workloads(idleForm).map((each) => renamed(each, 'after')));
    for (const what of ['deploy/web-after', 'ds/logs-after']) await rolledOut(what);
    await mendlet.kubectl(['wait', 'job/done-after', '--for=condition=Complete', '--timeout=280s']);
    over.abort();
    await asking;
  });

  it('leaves every container, revision, hash, generation, claim and address as it was', async () => {
    expect(of(before, await untilQuiet(snapshot))).toEqual(before);
    expect(out.lines('steady')).toEqual(['start']);
  });

  it('leaves definitions, custom objects, owners of fields and autoscalers as they were', async () => {
    if (!definesBefore) await makeCustom();
    else {
      expect(Object.keys(custom)).toHaveLength(6);
      expect(await untilQuiet(customSnapshot)).toEqual(custom);
    }
  });

  it('goes on with custom objects: in both versions, with their status, rules and finalizers', async () => {
    expect(await mendlet.kubectl(['get', 'bk'])).toMatch(/^NAME +TITLE\ngoing +Going\nnew +New\nold +Old\n$/);
    const oldest = ['get', `books.v1.upgrade.example.com`, 'new', '-o', 'jsonpath={.apiVersion} {.spec.copies}'];
    expect(await mendlet.kubectl(oldest)).toBe('upgrade.example.com/v1 7');
    const read = [
      'get',
      'bk',
      'old',
      '-o',
      'jsonpath={.apiVersion} {.spec.copies} {.status.phase} {.metadata.generation}',
    ];
    expect(await mendlet.kubectl(read)).toBe('upgrade.example.com/v2 3 Lent 1');
    await mendlet.kubectl(['scale', 'bk', 'old', '--replicas=4']);
    expect(await mendlet.kubectl(read)).toBe('upgrade.example.com/v2 4 Lent 2');
    const refused = await mendlet.tryKubectl(['patch', 'bk', 'old', '--type=merge', '-p', '{"spec":{"title":"none"}}']);
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('it needs a title')]);
    expect(await mendlet.kubectl(['get', 'bk', '-o', 'name', '--field-selector', 'spec.title=New'])).toBe(
      'book.upgrade.example.com/new\n',
    );
    const finalizers = await mendlet.kubectl(['get', 'bk', 'going', '-o', 'jsonpath={.metadata.finalizers}']);
    expect(finalizers).toBe(JSON.stringify([HOLD]));
    await mendlet.kubectl(['patch', 'bk', 'going', '--type=merge', '-p', '{"metadata":{"finalizers":null}}']);
    await mendlet.kubectl(['wait', '--for=delete', `${BOOKS}/going`, '--timeout=60s']);
  });

  it('knows who owns which field', async () => {
    const map = (path: string): Promise<string> => mendlet.kubectl(['get', 'cm', 'shared', '-o', `jsonpath=${path}`]);
    const revision = await map('{.metadata.resourceVersion}');
    await applyAs('first', applied('first'));
    expect(await map('{.metadata.resourceVersion}')).toBe(revision);
    const foreign = { ...applied('first'), data: { both: 'x', first: 'first', second: 'mine' } };
    await expect(applyAs('first', foreign)).rejects.toThrow('conflict with "second"');
    const given = { ...applied('first'), data: { first: 'first' } };
    await applyAs('first', given);
    // The other one still wants it.
    expect(await map('{.data}')).toBe('{"both":"x","first":"first","second":"second"}');
    await applyAs('second', { ...given, data: { second: 'second' } });
    expect(await map('{.data}')).toBe('{"first":"first","second":"second"}');
  });

  it('goes on with the autoscaler', async () => {
    await mendlet.kubectl(['patch', 'hpa', 'idle', '--type=merge', '-p', '{"spec":{"maxReplicas":4}}']);
    expect(await mendlet.kubectl(['get', 'hpa.v1.autoscaling', 'idle', '-o', 'jsonpath={.spec.maxReplicas}'])).toBe(
      '4',
    );
    expect(await mendlet.kubectl(['describe', 'hpa', 'idle'])).toContain('ScalingDisabled');
    await mendlet.kubectl(['delete', 'hpa', 'idle']);
  });

  it('gives each address of a service its object', async () => {
    const names = (await mendlet.kubectl(['get', 'ipaddresses', '-o', 'jsonpath={.items[*].metadata.name}'])).split(
      ' ',
    );
    const services = (await get('services')).map(({ spec }) => String(spec['clusterIP']));
    expect(services.filter((address) => address !== 'None' && !names.includes(address))).toEqual([]);
    expect(await mendlet.kubectl(['get', 'servicecidr', 'kubernetes', '-o', 'jsonpath={.spec.cidrs[0]}'])).toBe(
      '10.96.0.0/16',
    );
  });

  it('goes on with the crash loop where it was, and remembers its deaths', async () => {
    expect((await history('loop')).slice(0, deaths.length)).toEqual(deaths);
    const pod = await mendlet.untilPod(
      'loop',
      'died once more',
      (each) => (mainContainer(each)?.restartCount ?? 0) > restarts,
    );
    expect(mainContainer(pod)?.restartCount).toBeLessThanOrEqual(restarts + 2);
    // A container counts as running before its program has written its first line.
    await until('the line of the next life', async () => {
      const { length } = out.lines('loop');
      return length > ends ? { value: true } : { last: String(length) };
    });
    const times = out.lines('loop').map((line) => Number(line.split(' ')[1]));
    const [last, next] = [times[ends - 1] ?? 0, times[ends] ?? 0];
    // The wait is that of the back-off curve after this number of lives: 0, 10, 20, 40 … s.
    expect(next - last).toBeGreaterThan(10 * 2 ** (ends / 2 - 2) - 0.2);
  });

  it('goes on with the ladder that had ended: it stays where it is', async () => {
    expect(hasStopped(await mendlet.pod('climber'))).toBe(true);
    expect(out.lines('climber')).toHaveLength(3);
  });

  it('keeps the host port of a running pod without a gap, and leaves none of portmap’s rules when the pod ends', async () => {
    expect({ failed: said.filter((each) => each !== 'mapped'), enough: said.length > 100 }).toEqual({
      failed: [],
      enough: true,
    });
    const table = `mendlet-${readFileSync(join(mendlet.dataDir, 'instance'), 'utf8').trim()}`;
    const ours = async (): Promise<string> => (await run('nft', ['list', 'table', 'ip', `${table}-pods`])).stdout;
    expect(await ours()).toContain(`tcp . ${HOST_PORT} : `);
    // Both say the same; a connection is translated by the first that is asked, and by no other.
    expect((await ofPortmap()).length > 0).toBe(portmapBefore);
    expect((await run('iptables', ['-w', '-t', 'nat', '-S'])).stdout).not.toContain(`MENDLET-SNAT-${table.slice(8)}`);
    await mendlet.kubectl(['delete', 'pod', 'mapped']);
    expect([await ofPortmap(), await askHttp(`http://127.0.0.1:${HOST_PORT}/`)]).toEqual([[], 'failed: ECONNREFUSED']);
    await mendlet.create(mapped('later-mapped'));
    await until('the next pod', async () => {
      const answer = await askHttp(`http://127.0.0.1:${HOST_PORT}/`);
      return answer === 'later-mapped' ? { value: true } : { last: answer };
    });
    expect(await ofPortmap()).toEqual([]);
    delete (before as Record<string, unknown>)['Pod mapped'];
  });

  it('goes on with volumes that were made by hand, and with what is in them', async () => {
    const starts = (): string => readFileSync(join(mendlet.folder, HELD_FOLDER, 'starts'), 'utf8');
    expect(starts()).toBe('start\n');
    await mendlet.kubectl(['delete', 'pod', HELD]);
    await mendlet.create(claimPod(`later-${HELD}`, HELD));
    await mendlet.untilPod(`later-${HELD}`, 'ready', (pod) => mainContainer(pod)?.ready === true);
    await until('the second start', async () =>
      starts() === 'start\n'.repeat(2) ? { value: true } : { last: starts() },
    );
    delete (before as Record<string, unknown>)[`Pod ${HELD}`];
  });

  it('gives a claim that waited the default class and a volume, and its pod starts', async () => {
    await mendlet.untilPod(WAITING, 'ready', (pod) => mainContainer(pod)?.ready === true);
    const asked = ['get', 'pvc', WAITING, '-o', 'jsonpath={.spec.storageClassName} {.status.phase} {.spec.volumeName}'];
    expect(await mendlet.kubectl(asked)).toMatch(/^mendlet-local Bound pvc-[-0-9a-f]{36}$/);
  });

  it('goes on with volumes that were made before, or makes them, and keeps what is in them', async () => {
    await madeVolumesReady();
    const now = await foldersOfClaims();
    expect(Object.keys(now)).toEqual([...claims].toSorted());
    if (madeBefore) expect(now).toEqual(folders);
    const starts = (): readonly string[] =>
      claims.map((claim) => readFileSync(join(now[claim] ?? '', 'starts'), 'utf8').replaceAll('start\n', '|'));
    await until('the first starts', async () =>
      starts().every((each) => each === '|') ? { value: true } : { last: starts().join(' ') },
    );
    const uids = await Promise.all(LEDGER_PODS.map(async (pod) => (await mendlet.pod(pod)).metadata.uid));
    await mendlet.kubectl(['delete', 'pod', MADE, ...LEDGER_PODS]);
    await mendlet.create(claimPod(`later-${MADE}`, MADE));
    for (const [at, pod] of LEDGER_PODS.entries())
      await mendlet.untilPod(pod, 'anew', ({ metadata }) => metadata.uid !== uids[at]);
    await until('the second starts', async () =>
      starts().every((each) => each === '||') ? { value: true } : { last: starts().join(' ') },
    );
    expect(await foldersOfClaims()).toEqual(now);
    await mendlet.kubectl(['delete', `pod/later-${MADE}`, `pvc/${MADE}`]);
    await until('the end of the folder', async () =>
      existsSync(now[MADE] ?? '') ? { last: now[MADE] ?? '' } : { value: true },
    );
    // These are others now, or gone.
    const later = await untilQuiet(snapshot);
    const isOurs = (key: string): boolean => new RegExp(`^Pod (${MADE}|${LEDGER}-)|^PersistentVolume`).test(key);
    before = Object.fromEntries([
      ...Object.entries(before).filter(([key]) => !isOurs(key)),
      ...Object.entries(later).filter(([key]) => isOurs(key)),
    ]);
  });

  it('believes the tokens of before', async () => {
    const asked = ['auth', 'whoami', '-o', 'jsonpath={.status.userInfo.username}', '--token', token];
    const config = await mendlet.kubectl([
      'config',
      'view',
      '--minify',
      '-o',
      'jsonpath={.clusters[0].cluster.server}',
    ]);
    const insecure = ['--kubeconfig', '/dev/null', '--server', config, '--insecure-skip-tls-verify'];
    expect(await mendlet.kubectl([...insecure, ...asked])).toBe('system:serviceaccount:default:default');
  });

  it('changes nothing when the manifest is applied as it was', async () => {
    await apply(workloads(idleForm));
    await mendlet.create(busyboxPod('later-idle', 'exec sleep 36000'));
    expect(of(before, await untilQuiet(snapshot))).toEqual(before);
  });

  it('rolls nothing when the manifest is applied in other words that mean the same', async () => {
    await apply(workloads(canonicalForm));
    await mendlet.create(busyboxPod('later-canonical', 'exec sleep 36000'));
    expect(of(before, await untilQuiet(snapshot))).toEqual(withAnnotatedDeployments(before));
  });
});

describeInWhole('an upgrade with a volume of a CSI driver', () => {
  const name = 'upgrade.csi.mendlet.dev';
  const mendlet = new Mendlet({ podNetwork: 199, flags: ['--service-cidr', '10.118.0.0/16'] });
  const kubeletDir = join(mendlet.dataDir, 'kubelet');
  const dataDir = join(mendlet.folder, 'driver');
  const programDir = join(mendlet.folder, 'program');
  const up = ['--kubelet-dir', kubeletDir];
  afterAll(() => mendlet.down());

  /** The calls that change something, as the driver notes them. */
  const calls = (): readonly string[] =>
    readFileSync(join(dataDir, 'calls.log'), 'utf8')
      .split('\n')
      .filter((line) => line.includes('"end"') && !line.includes('NodeGetVolumeStats'))
      .map((line) => (JSON.parse(line) as { readonly method: string }).method);
  const claimed = { namespace: 'default', name: 'staged' };
  const modes = { accessModes: ['ReadWriteOnce'], storageClassName: '' };
  const objects = [
    {
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: { name: 'staged' },
      spec: {
        ...modes,
        capacity: { storage: '1Mi' },
        claimRef: claimed,
        csi: { driver: name, volumeHandle: 'staged' },
      },
    },
    {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: claimed,
      spec: { ...modes, volumeName: 'staged', resources: { requests: { storage: '1Mi' } } },
    },
    claimPod('staged', 'staged'),
  ];

  it('leaves it staged and published, without a call, and takes it back when its pod goes', async () => {
    const landed = unpackLandedProgram();
    // A program that knows no drivers hands over none: the present one takes over from itself.
    const before = readFileSync(join(dirname(landed), 'program.js'), 'utf8').includes('kubelet-dir')
      ? landed
      : undefined;
    await Promise.all([mendlet.up(up, before), buildDriver(programDir)]);
    mkdirSync(join(dataDir, 'volumes/staged'), { recursive: true });
    await mendlet.create(driverObject(name), driverPod({ name, kubeletDir, dataDir, programDir }), ...objects);
    const ready = (pod: ObservedPod): boolean => mainContainer(pod)?.ready === true;
    const { status } = await mendlet.untilPod('staged', 'ready', ready);
    expect(calls()).toEqual(['NodeStageVolume', 'NodePublishVolume']);
    await mendlet.end('SIGTERM');
    await mendlet.up(up);
    await mendlet.create(busyboxPod('later', 'exec sleep 36000'));
    await mendlet.untilPod('later', 'ready', ready);
    const later = await mendlet.untilPod('staged', 'ready', ready);
    expect(mainContainer(later)?.containerID).toBe(status.containerStatuses?.[0]?.containerID);
    expect(calls()).toEqual(['NodeStageVolume', 'NodePublishVolume']);
    await mendlet.kubectl(['delete', 'pod', 'staged']);
    await until('the end of the staging', async () =>
      calls().at(-1) === 'NodeUnstageVolume' ? { value: true } : { last: calls().join() },
    );
    expect(calls().slice(2)).toEqual(['NodeUnpublishVolume', 'NodeUnstageVolume']);
  });
});

const HOST_PORT = 18_149;

/** A web server with a host port, which portmap makes in the earlier program. */
function mapped(name: string): object {
  const script = `mkdir /www; echo ${name} >/www/index.html; exec httpd -f -p 8080 -h /www`;
  return busyboxPod(name, script, { container: { ports: [{ containerPort: 8080, hostPort: HOST_PORT }] } });
}

/** Rules of iptables for the host port. */
async function ofPortmap(): Promise<readonly string[]> {
  const { stdout } = await run('iptables', ['-w', '-t', 'nat', '-S']);
  return stdout.split('\n').filter((line) => /^-A CNI-(?:DN|HOSTPORT)/.test(line) && line.includes(String(HOST_PORT)));
}

/** The claim that a volume is bound to. */
function claimOf({ spec }: Listed): string | undefined {
  return (spec?.['claimRef'] as { name?: string } | undefined)?.name;
}

function podIdentity({ metadata, spec, status }: Listed): object {
  const { containerStatuses } = (status ?? {}) as ObservedPod['status'];
  return {
    uid: metadata['uid'],
    node: spec['nodeName'],
    ip: status?.['podIP'],
    labels: metadata.labels,
    containers: containerStatuses?.map(({ containerID, restartCount }) => ({ containerID, restartCount })),
  };
}

function ownerIdentity({ metadata, status, revision }: Listed): object {
  const { uid, generation, labels, annotations = {} } = metadata;
  const kept = Object.fromEntries(STATUS.map((field) => [field, status?.[field]]));
  return { uid, generation, labels, rollout: annotations['deployment.kubernetes.io/revision'], revision, ...kept };
}

/**
 * `snapshot` after `kubectl apply` has written a different text into the annotation with the manifest. Only a Deployment counts a
 * change of its annotations as a new generation (upstream's pkg/registry/apps/deployment/strategy.go, PrepareForUpdate).
 */
function withAnnotatedDeployments(snapshot: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(snapshot).map(([name, identity]) => {
      if (!/^Deployment (web|idle)$/.test(name)) return [name, identity];
      const { generation, observedGeneration, ...rest } = identity as Record<
        'generation' | 'observedGeneration',
        number
      >;
      return [name, { ...rest, generation: generation + 1, observedGeneration: observedGeneration + 1 }];
    }),
  );
}

function hasStopped(pod: ObservedPod): boolean {
  return (
    pod.status.conditions?.some(({ type, status }) => type === 'mendlet.dev/HealingStopped' && status === 'True') ===
    true
  );
}

/** A copy of the workload with its own name and pods. */
function renamed(object: object, suffix: string): object {
  const { kind, metadata } = object as Listed;
  const text = JSON.stringify(object).replaceAll(/"app":"(\w+)"/g, `"app":"$1-${suffix}"`);
  const copy = JSON.parse(text) as { metadata: { name: string }; spec: { replicas?: number } };
  copy.metadata.name = `${metadata.name}-${suffix}`;
  // No volumes are left for its claims.
  if (kind === 'StatefulSet') copy.spec.replicas = 0;
  return copy;
}

/** The objects of `now` that existed before, and those that their owners made since, such as a new revision. */
function of(before: Readonly<Record<string, unknown>>, now: Readonly<Record<string, unknown>>): object {
  const isNew = (key: string): boolean => /^\w+ (\w+-)*(after|later)(-|$)/.test(key);
  return Object.fromEntries(Object.entries(now).filter(([key]) => key in before || !isNew(key)));
}

/** Takes snapshots until two in a row are equal. */
async function untilQuiet<T>(take: () => Promise<T>): Promise<T> {
  let last: T = await take();
  return until<T>('nothing changes any more', async () => {
    const earlier = JSON.stringify(last);
    last = await take();
    return JSON.stringify(last) === earlier ? { value: last } : { last: 'still changing' };
  });
}
