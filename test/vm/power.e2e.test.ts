/** Tests what survives reloads, restarts, crashes, reboots and power cuts on a machine with systemd. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { NodeVolumeList } from '../../src/api/index.ts';
import { Acknowledgements } from '../../tools/writers/acknowledgements.ts';
import { firstLost, overlapping, readLog } from '../../tools/writers/fsync-writer.ts';
import { busyboxPod, mainContainer } from '../e2e/harness.ts';
import { VOLUMES, WRITERS, writers } from './writers.ts';
import { MendletOnGuest, until } from './mendlet-on-guest.ts';

const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';
const FOREVER = 'exec sleep 360000';
const LIVING = ['steady', 'limited', 'static-vm'];

interface ConfigMap {
  readonly data?: Readonly<Record<string, string>>;
}

interface List<T> {
  readonly items: readonly T[];
}

const heard = await Acknowledgements.listen('127.0.0.1');
const mendlet = new MendletOnGuest(heard.port);

beforeAll(async () => {
  await mendlet.up({ crashLoopBackOff: { maxContainerRestartPeriod: '60s' } });
  await mendlet.write('/var/lib/mendlet/manifests/static.json', JSON.stringify(busyboxPod('static', FOREVER)));
  await mendlet.create(
    busyboxPod('steady', FOREVER),
    busyboxPod('limited', FOREVER, { container: { resources: { limits: { cpu: '250m', memory: '64Mi' } } } }),
    busyboxPod('crashes', 'sleep 1; exit 3'),
  );
  await mendlet.request('POST', '/apis/apps/v1/namespaces/default/statefulsets', writers());
  for (const name of LIVING) {
    await until(`${name} to be known`, async () => {
      const pod = await mendlet.request('GET', `/api/v1/namespaces/default/pods/${name}`);
      return pod === undefined ? { last: 'not there' } : { value: undefined };
    });
    await mendlet.untilRunning(name);
  }
  await mendlet.untilPod('crashes', 'has crashed twice', (pod) => (mainContainer(pod)?.restartCount ?? 0) >= 2);
  await untilWriting(WRITERS);
});
afterAll(async () => {
  await mendlet.remove();
  await heard.close();
});

/** So many writers have begun, and all volumes got records since. */
async function untilWriting(starts: number): Promise<void> {
  await until(`${starts} starts of writers`, async () =>
    heard.starts >= starts && heard.last.size === WRITERS
      ? { value: undefined }
      : { last: `${heard.starts} of ${heard.last.size}; ${heard.problems.join()}` },
  );
  const before = new Map(heard.last);
  await until('a record in each volume', async () => {
    const waiting = [...before].filter(([volume, number]) => (heard.last.get(volume) ?? 0) <= number);
    return waiting.length === 0 ? { value: undefined } : { last: waiting.join() };
  });
}

const countOf = async (name: string): Promise<number> => mainContainer(await mendlet.pod(name))?.restartCount ?? 0;
/** Process ids of the containers; a restarted container has a new one. */
const processes = async (): Promise<string> => await mendlet.guest.sh('pgrep -f "sleep 360000" | sort -n');
const limits = async (): Promise<readonly string[]> => {
  const files = await mendlet.cgroupFiles('**/cri-containerd-*.scope/{memory.max,cpu.max,cpu.weight,memory.oom.group}');
  const sleepers = await mendlet.cgroupFiles('**/cri-containerd-*.scope/cgroup.procs');
  const alive = new Set((await processes()).split('\n'));
  // The containers of the crash loop come and go.
  const steady = [...sleepers].filter(([, pids]) => pids.split(';').some((pid) => alive.has(pid)));
  const groups = steady.map(([path]) => path.slice(0, path.lastIndexOf('/')));
  return [...files]
    .filter(([path]) => groups.some((group) => path.startsWith(group)))
    .map(([path, text]) => `${path} ${text}`);
};

describe('no container is touched by', () => {
  it.each<[string, string]>([
    ['systemctl daemon-reload', 'systemctl daemon-reload'],
    ['systemctl daemon-reexec', 'systemctl daemon-reexec'],
    ['systemctl restart mendlet', 'systemctl restart mendlet'],
    ['kill -9 of mendlet', 'kill -9 $(systemctl show -P MainPID mendlet)'],
    ['systemctl stop and start', 'systemctl stop mendlet && sleep 3 && systemctl start mendlet'],
    ['kill -9 of mendlet and containerd', 'kill -9 $(pgrep -x containerd) $(systemctl show -P MainPID mendlet)'],
  ])('%s', async (_name, script) => {
    const before = { processes: await processes(), limits: await limits() };
    expect(before.processes.trim().split('\n')).toHaveLength(LIVING.length);
    expect(before.limits).toHaveLength(4 * LIVING.length);
    const main = (await mendlet.guest.sh('systemctl show -P MainPID mendlet')).trim();
    await mendlet.guest.sh(script);
    if (!script.startsWith('systemctl daemon')) {
      // systemd starts the service again after its RestartSec.
      await until('another process', async () => {
        const now = (await mendlet.guest.sh('systemctl show -P MainPID mendlet')).trim();
        return now !== main && now !== '0' ? { value: undefined } : { last: now };
      });
    }
    await mendlet.untilReady();
    for (const name of LIVING) await mendlet.untilRunning(name);
    expect(await processes()).toBe(before.processes);
    expect(await limits()).toEqual(before.limits);
    for (const name of LIVING) expect(await countOf(name)).toBe(0);
  });

  it('while the crash loop went on', async () => {
    const before = await countOf('crashes');
    await mendlet.untilPod('crashes', 'crashed again', (pod) => (mainContainer(pod)?.restartCount ?? 0) > before);
  });
});

describe.each<[string, () => Promise<void>]>([
  ['a reboot', () => mendlet.guest.reboot()],
  [
    'a power cut',
    async () => {
      await mendlet.guest.powerCut();
      await mendlet.guest.on();
    },
  ],
])('after %s', (name, strike) => {
  const key = name.replaceAll(' ', '-');
  let before: {
    readonly counts: ReadonlyMap<string, number>;
    readonly deaths: number;
    readonly starts: number;
    readonly records: ReadonlyMap<string, number>;
  };
  const all = [...LIVING, 'crashes'];
  const deathsOf = async (pod: string): Promise<number> => {
    const uid = (await mendlet.pod(pod)).metadata.uid;
    const [head = '{}'] = (await mendlet.guest.sh(`head -n 1 /var/lib/mendlet/agent/deaths/${uid}.json`)).split('\n');
    return (JSON.parse(head) as { total?: number }).total ?? 0;
  };

  beforeAll(async () => {
    await mendlet.untilPod('crashes', 'backs off', (pod) => mainContainer(pod)?.state.waiting !== undefined);
    const counts = new Map<string, number>();
    for (const each of all) counts.set(each, await countOf(each));
    await untilWriting(heard.starts);
    before = { counts, deaths: await deathsOf('crashes'), starts: heard.starts, records: new Map(heard.last) };
    // A write is under way when the power fails.
    void mendlet.request('POST', CONFIG_MAPS, { metadata: { name: `${key}-late` } }).catch(() => {});
    for (let n = 0; n < 5; n++) {
      await mendlet.request('POST', CONFIG_MAPS, { metadata: { name: `${key}-${n}` }, data: { n: String(n) } });
    }
    await strike();
    await mendlet.untilReady();
  });

  it('every write that was acknowledged is there', async () => {
    for (let n = 0; n < 5; n++) {
      expect((await mendlet.request<ConfigMap>('GET', `${CONFIG_MAPS}/${key}-${n}`))?.data).toEqual({ n: String(n) });
    }
  });

  it('pods run again, and count on', async () => {
    for (const each of LIVING) {
      const was = before.counts.get(each) ?? 0;
      const pod = await mendlet.untilPod(
        each,
        'runs again',
        (now) => mainContainer(now)?.state.running !== undefined && (mainContainer(now)?.restartCount ?? 0) > was,
      );
      expect(mainContainer(pod)?.restartCount).toBe(was + 1);
    }
    expect((await processes()).trim().split('\n')).toHaveLength(LIVING.length);
  });

  it('volumes have all that fsync acknowledged, and their writers go on', async () => {
    await untilWriting(before.starts + WRITERS);
    const acknowledged = new Map(heard.last);
    expect([...acknowledged.keys()].toSorted()).toEqual([...before.records.keys()].toSorted());
    for (const [volume, number] of acknowledged) {
      expect(number).toBeGreaterThan(before.records.get(volume) ?? 0);
      const log = readLog(await mendlet.guest.sh(`cat ${VOLUMES}/${volume}/data/log`));
      expect([volume, firstLost(log, number), overlapping(log)]).toEqual([volume, undefined, undefined]);
    }
    // Each writer looked for what had been acknowledged, too.
    expect(heard.problems).toEqual([]);
    console.log(`${heard.records} records were acknowledged`);
  });

  it('no volume is lost, and none has another folder', async () => {
    const nodes = await mendlet.request<List<{ metadata: { name: string } }>>('GET', '/api/v1/nodes');
    const node = nodes?.items[0]?.metadata.name;
    const listed = await mendlet.request<NodeVolumeList>('GET', `/api/v1/nodes/${node}/proxy/mendlet/v1/volumes`);
    expect(listed?.items.map((each) => `${each.name} ${each.state}`).toSorted()).toEqual(
      [...before.records.keys()].map((volume) => `${volume} ready`).toSorted(),
    );
    const events = await mendlet.request<List<{ reason: string; message: string }>>('GET', '/api/v1/events');
    const alarming = events?.items.filter(({ reason }) => /^Volume(Lost|Kept|Disk(?!Works))/.test(reason));
    expect(alarming).toEqual([]);
    expect((await mendlet.guest.sh(`ls -A ${VOLUMES}`)).match(/~/)).toBeNull();
  });

  it('the crash loop goes on where it was, with its deaths', async () => {
    const was = before.counts.get('crashes') ?? 0;
    expect(await countOf('crashes')).toBeGreaterThanOrEqual(was);
    await mendlet.untilPod('crashes', 'crashed again', (pod) => (mainContainer(pod)?.restartCount ?? 0) > was);
    expect(await deathsOf('crashes')).toBeGreaterThanOrEqual(before.deaths);
    const memory = await mendlet.pod('crashes');
    const text = JSON.stringify(mainContainer(memory)?.state);
    // After this many crashes the back-off is longer than the first one.
    expect(text).not.toContain('back-off 10s');
  });

  it('nothing is left of before', async () => {
    const pods = await mendlet.request<{
      items: { metadata: { uid: string; annotations?: Record<string, string> } }[];
    }>('GET', '/api/v1/pods');
    const known = (pods?.items ?? []).flatMap(({ metadata }) => [
      metadata.uid,
      metadata.annotations?.['kubernetes.io/config.hash'] ?? '',
    ]);
    const paths = [...(await mendlet.cgroupFiles('**/*-pod*.slice/memory.max')).keys()];
    const uids = paths.map((path) => /-pod([0-9a-f_]+)\.slice/.exec(path)?.[1]?.replaceAll('_', '-') ?? path);
    expect(uids.length).toBeGreaterThanOrEqual(LIVING.length);
    expect(uids.filter((uid) => !known.includes(uid))).toEqual([]);
    expect(await mendlet.guest.sh('systemctl --failed --no-legend --plain')).toBe('');
  });
});
