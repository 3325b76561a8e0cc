/**
 * Measures what a tab of the live page costs the server: `npm run bench:page` lets pods of an API server in memory die, one each virtual
 * second, with and without a feed, and prints CPU for each second. `--against FOLDER` measures another checkout's feed beside it, in
 * turns, so that a busy machine slows all alike. What the page's stream costs beyond its feed is some lines of JSON.
 */
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { type Deployment, DEPLOYMENTS, type Pod, PODS, type PodHistoryList } from '../../src/api/index.ts';
import { createApiServer } from '../../src/apiserver/index.ts';
import { createKubeClient, type KubeClient } from '../../src/client/index.ts';
import type { Feeds } from '../../src/dashboard/feed/feeds.ts';
import { type Connection, encodeText, formatTime, seededRandom, silentLogger } from '../../src/lib/index.ts';
import { createManualClock, type ManualClock } from '../../src/lib/manual-clock.node.ts';
import { createMemoryStore } from '../../src/store/index.ts';

const PODS_EACH = 5;
/** The part of a second that a container is away. */
const AWAY_MS = 500;
const LINES = 40;
const WARM_UP_SECONDS = 30;

const { values } = parseArgs({
  options: {
    pods: { type: 'string', default: '200' },
    seconds: { type: 'string', default: '60' },
    rounds: { type: 'string', default: '4' },
    against: { type: 'string' },
  },
});
const pods = Number(values.pods);
const seconds = Number(values.seconds);

type MakeFeeds = new (ports: { clock: ManualClock; logger: typeof silentLogger }) => Feeds;

/** A server with workloads whose pods run on one node, which remembers their deaths. */
async function cluster() {
  const clock = createManualClock();
  const store = createMemoryStore({ clock });
  const deaths = new Map<string, number>();
  const asked = { histories: 0 };
  const node: Connection = {
    upgrade: () => Promise.reject(new Error('no stream here')),
    request: ({ url }) => {
      const query = new URL(url, 'http://node').searchParams;
      const isHistory = url.startsWith('/mendlet/v1/history');
      if (isHistory) asked.histories += 1;
      const answer = isHistory ? historyOf(query.get('pod') ?? '', deaths, clock) : {};
      return Promise.resolve({ status: isHistory ? 200 : 404, headers: {}, body: encodeText(JSON.stringify(answer)) });
    },
  };
  const server = createApiServer(
    { store, clock, random: seededRandom('bench'), logger: silentLogger, nodeConnection: () => node },
    { version: { gitVersion: 'v1.36.0' }, admission: { taintNewNodes: false } },
  );
  await server.ready;
  const connection = server.as({ name: 'admin', groups: ['system:masters'] });
  const client = createKubeClient(connection, { clock });
  for (let at = 0; at < pods / PODS_EACH; at += 1) await addWorkload(client, at);
  for (let at = 0; at < pods; at += 1) await tellStatus({ client, clock, at, deaths: 0, isAway: false });
  return { clock, client, connection, deaths, asked };
}

const nameOf = (at: number): string => `web-${Math.floor(at / PODS_EACH)}-${at % PODS_EACH}`;

async function addWorkload(client: KubeClient, workload: number): Promise<void> {
  const name = `web-${workload}`;
  const spec = { containers: [{ name: 'main', image: 'x' }] };
  const made = await client.create<Deployment>(DEPLOYMENTS, {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace: 'default' },
    spec: {
      replicas: PODS_EACH,
      selector: { matchLabels: { app: name } },
      template: { metadata: { labels: { app: name } }, spec },
    },
  });
  const owner = { apiVersion: 'apps/v1', kind: 'Deployment', name, uid: made.metadata?.uid ?? '', controller: true };
  for (let at = 0; at < PODS_EACH; at += 1) {
    await client.create<Pod>(PODS, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: `${name}-${at}`, namespace: 'default', labels: { app: name }, ownerReferences: [owner] },
      spec: { ...spec, nodeName: 'n1' },
    });
  }
}

interface Told {
  readonly client: KubeClient;
  readonly clock: ManualClock;
  readonly at: number;
  readonly deaths: number;
  readonly isAway: boolean;
}

/** Writes the status that a kubelet would. */
async function tellStatus({ client, clock, at, deaths, isAway }: Told): Promise<void> {
  const now = formatTime(clock.now().wall);
  const ready = isAway ? 'False' : 'True';
  const terminated = { exitCode: 1, reason: 'Error', startedAt: now, finishedAt: now };
  const status = {
    name: 'main',
    image: 'x',
    imageID: 'x',
    containerID: `containerd://${nameOf(at)}-${deaths + (isAway ? 0 : 1)}`,
    restartCount: isAway ? deaths - 1 : deaths,
    ready: !isAway,
    started: !isAway,
    state: isAway ? { waiting: { reason: 'CrashLoopBackOff', message: 'back-off' } } : { running: { startedAt: now } },
    lastState:
      deaths === 0 ? {} : { terminated: { ...terminated, containerID: `containerd://${nameOf(at)}-${deaths}` } },
  };
  const conditions = ['Initialized', 'Ready', 'ContainersReady', 'PodScheduled'].map((type) => ({
    type,
    status: type.includes('Ready') ? ready : 'True',
    lastTransitionTime: now,
  }));
  const patch = { status: { phase: 'Running', podIP: '10.0.0.7', conditions, containerStatuses: [status] } };
  await client.patch(PODS, 'default', nameOf(at), 'merge', patch, 'status');
}

/** The answer of a node, as long as that of a program that says something. */
function historyOf(name: string, deaths: ReadonlyMap<string, number>, clock: ManualClock): PodHistoryList {
  const [uid = '', count = 0] = [...deaths].find(([key]) => key.startsWith(`${name} `)) ?? [];
  const now = formatTime(clock.now().wall);
  const tail = Array.from({ length: LINES }, (_, line) => `GET /orders/${line} of shop answered in ${line} ms`).join(
    '\n',
  );
  const records = Array.from({ length: count }, (_, at) => ({
    number: at + 1,
    containerId: `${name}-${at + 1}`,
    restartCount: at,
    startedAt: now,
    finishedAt: now,
    exitCode: 1,
    reason: 'Error',
    backOffSeconds: 0,
    log: { tail, truncated: false, says: 'Error: no database' },
  }));
  const containers = [{ name: 'main', total: count, deaths: records }];
  const metadata = { namespace: 'default', name, uid: uid.slice(name.length + 1) };
  const item = { apiVersion: 'mendlet.dev/v1alpha1', kind: 'PodHistory', metadata, nodeName: 'n1', containers };
  return { apiVersion: 'mendlet.dev/v1alpha1', kind: 'PodHistoryList', items: [item] } as unknown as PodHistoryList;
}

type Cluster = Awaited<ReturnType<typeof cluster>>;

/** @returns CPU for each second, ms, at rest and with one death each */
async function measured(
  { clock, client, connection, deaths }: Cluster,
  feeds: Feeds | undefined,
  random = seededRandom('who'),
) {
  const viewer = { name: 'admin', key: 'admin', client, connection };
  const look = feeds?.look(viewer, undefined);
  const ready = look?.feed.ready();
  for (let turn = 0; turn < 100; turn += 1) await clock.advance(10);
  await ready;
  const listed = (await client.list<Pod>(PODS, { namespace: 'default' })).items;
  const uids = new Map(listed.map(({ metadata }) => [metadata?.name ?? '', metadata?.uid ?? '']));
  const dying = async (): Promise<void> => {
    const at = Math.floor(random.next() * pods);
    const key = `${nameOf(at)} ${uids.get(nameOf(at))}`;
    const count = (deaths.get(key) ?? 0) + 1;
    deaths.set(key, count);
    await tellStatus({ client, clock, at, deaths: count, isAway: true });
    await clock.advance(AWAY_MS);
    await tellStatus({ client, clock, at, deaths: count, isAway: false });
    await clock.advance(1000 - AWAY_MS);
  };
  const cpuOf = async (work: () => Promise<void>, times: number): Promise<number> => {
    const before = process.cpuUsage();
    for (let time = 0; time < times; time += 1) await work();
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000 / times;
  };
  await cpuOf(dying, WARM_UP_SECONDS);
  const rest = await cpuOf(() => clock.advance(1000), seconds);
  const busy = await cpuOf(dying, seconds);
  look?.release();
  feeds?.close();
  return { rest, busy };
}

async function feedsOf(folder: string): Promise<MakeFeeds> {
  return ((await import(join(folder, 'src/dashboard/feed/feeds.ts'))) as { Feeds: MakeFeeds }).Feeds;
}

const here = resolve(import.meta.dirname, '..', '..');
const kinds: [string, MakeFeeds | undefined][] = [
  ['no tab', undefined],
  ['one tab', await feedsOf(here)],
];
if (values.against !== undefined) kinds.push([`one tab, ${values.against}`, await feedsOf(resolve(values.against))]);
const found = new Map<string, { rest: number[]; busy: number[]; asked: number }>();
for (let round = 0; round < Number(values.rounds); round += 1) {
  for (const [name, Make] of kinds) {
    const one = await cluster();
    const { rest, busy } = await measured(one, Make && new Make({ clock: one.clock, logger: silentLogger }));
    const all = found.get(name) ?? { rest: [], busy: [], asked: 0 };
    found.set(name, { rest: [...all.rest, rest], busy: [...all.busy, busy], asked: one.asked.histories });
  }
}
const told = (values_: readonly number[]): string => values_.map((ms) => (ms / 10).toFixed(2)).join(', ');
for (const [name, { rest, busy, asked }] of found)
  console.log(
    `${name}: at rest ${told(rest)} %; one death a second ${told(busy)} % of a core; ${asked} questions for histories`,
  );
