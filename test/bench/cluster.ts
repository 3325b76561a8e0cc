/**
 * `npm run bench:cluster`: the control plane of a big cluster in one process: the real API server on the real store, the real
 * controllers and scheduler, and hollow nodes. It measures how fast a Deployment is ready, and the resources at rest.
 *
 *   npm run bench:cluster -- [--nodes 100] [--replicas 1000] [--objects 5000] [--idle-seconds 30] [--bare] [--json FILE]
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { setMaxListeners } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import {
  CONFIG_MAPS,
  type ConfigMap,
  type Deployment,
  DEPLOYMENTS,
  isConditionTrue,
  type Pod,
  PODS,
  type PodTemplateSpec,
} from '../../src/api/index.ts';
import { createApiServer } from '../../src/apiserver/index.ts';
import { createKubeClient, createReflector, type KubeClient, type Lister } from '../../src/client/index.ts';
import { runControllers } from '../../src/controllers/index.ts';
import { loopBreather } from '../../src/lib/breather.node.ts';
import { systemClock } from '../../src/lib/clock.node.ts';
import { createMetrics, seededRandom, silentLogger } from '../../src/lib/index.ts';
import { runScheduler } from '../../src/scheduler/index.ts';
import { behaviourAnnotation } from '../../src/sim/fleet/pod-behaviour.ts';
import { openSqliteStore } from '../../src/store/sqlite.node.ts';
import { type HollowNodes, startHollowNodes } from '../support/hollow-nodes.ts';
import { processUsage } from './figures.ts';

const { values } = parseArgs({
  options: {
    nodes: { type: 'string', default: '100' },
    replicas: { type: 'string', default: '1000' },
    objects: { type: 'string', default: '5000' },
    'idle-seconds': { type: 'string', default: '30' },
    bare: { type: 'boolean', default: false },
    json: { type: 'string' },
  },
});
const nodeCount = Number(values.nodes);
const replicas = Number(values.replicas);
const idleSeconds = Number(values['idle-seconds']);
/** Concurrent writes when the bench itself makes objects. */
const CONCURRENCY = 32;
const MASTERS = ['system:masters', 'system:authenticated'];
const figures: Record<string, unknown> = { nodes: nodeCount, replicas };
const report = (line: string): void => console.log(line);

setMaxListeners(0);
const folder = mkdtempSync(join(tmpdir(), 'mendlet-bench-'));
const stop = new AbortController();
const clock = systemClock;
const random = seededRandom('bench');
const logger = silentLogger;
const metrics = createMetrics();
const store = await openSqliteStore({ path: join(folder, 'store.db'), clock });
const version = { gitVersion: 'v1.36.0' };
const server = createApiServer({ store, clock, random, logger, metrics, breather: loopBreather }, { version });
await server.ready;
const connectionOf = (user: { name: string; groups: readonly string[] }) => server.as(user);
const clientOf = (name: string): KubeClient => createKubeClient(connectionOf({ name, groups: MASTERS }), { clock });
const part = (name: string) => ({ client: clientOf(name), clock, random: random.split(name), logger, metrics });
const running = [
  runControllers(part('controllers'), { caCertificate: 'none' }, stop.signal),
  runScheduler(part('scheduler'), stop.signal),
];
const observer = createReflector<Pod>(part('observer'), { resource: PODS });
running.push(observer.run(stop.signal));
const pods = observer.lister;
const client = clientOf('bench');
const nodes = startHollowNodes({ count: nodeCount, connectionOf, clock, random, logger });
try {
  await sleep(3000);
  await burst(pods);
  await atRest(nodes);
  if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(figures, null, 1)}\n`);
} finally {
  await nodes.stop();
  stop.abort(new Error('stopped'));
  await Promise.allSettled(running);
  await server.close();
  await store.close();
  rmSync(folder, { recursive: true });
}

/** Measures from the creation of a Deployment until its last pod is Ready. */
async function burst(lister: Lister<Pod>): Promise<void> {
  await lister.waitForSync(stop.signal);
  const before = processUsage(process.pid);
  const { wall } = clock.now();
  const from = performance.now();
  const placed = Promise.withResolvers<number>();
  const ready = Promise.withResolvers<number>();
  const unplaced = new Set<string>();
  const places = new Set<string>();
  const seen = new Set<string>();
  const unlisten = lister.onChange(({ key, object }) => {
    unplaced.add(key);
    if ((object.spec?.nodeName ?? '') !== '') places.add(key);
    if (isConditionTrue(object.status?.conditions, 'Ready')) seen.add(key);
    if (places.size >= replicas) placed.resolve(performance.now());
    if (seen.size >= replicas) ready.resolve(performance.now());
  });
  if (values.bare) await each(replicas, (i) => client.create(PODS, bare(i)));
  else await client.create(DEPLOYMENTS, deployment());
  const placedMs = (await placed.promise) - from;
  const readyMs = (await ready.promise) - from;
  unlisten();
  const cpuSeconds = processUsage(process.pid).cpuSeconds - before.cpuSeconds;
  const rate = (replicas * 1000) / readyMs;
  figures['burst'] = {
    kind: values.bare ? 'pods' : 'deployment',
    placedMs,
    readyMs,
    podsPerSecond: rate,
    cpuSeconds,
    wall,
  };
  const what = values.bare ? `${replicas} pods` : `a Deployment of ${replicas}`;
  report(`${what} on ${nodeCount} hollow nodes`);
  report(
    `  created → all placed      ${(placedMs / 1000).toFixed(2)} s  (${((replicas * 1000) / placedMs).toFixed(0)} pods/s)`,
  );
  report(`  created → all Ready       ${(readyMs / 1000).toFixed(2)} s  (${rate.toFixed(0)} pods/s, target ≥ 200)`);
  report(`  CPU of all that           ${cpuSeconds.toFixed(1)} s, hollow nodes and bench included`);
  const perNode = new Map<string, number>();
  for (const { spec } of lister.list()) perNode.set(spec?.nodeName ?? '', (perNode.get(spec?.nodeName ?? '') ?? 0) + 1);
  report(`  pods per node             ${Math.min(...perNode.values())} to ${Math.max(...perNode.values())}`);
}

/** Measures with heartbeats, then without: the agents are stopped, and the grace period (50 s) is longer than the measurement. */
async function atRest(hollow: HollowNodes): Promise<void> {
  const objects = Number(values.objects);
  await each(Math.max(0, objects - replicas - 2 * nodeCount), (i) => client.create(CONFIG_MAPS, configMap(i)));
  await sleep(10_000);
  const withHeartbeats = await cpuPercent();
  await hollow.stop();
  await sleep(2000);
  const without = await cpuPercent();
  const { rssMiB } = processUsage(process.pid);
  figures['rest'] = { objects, withHeartbeats, without, rssMiB };
  report(`${objects} objects at rest`);
  report(`  CPU                       ${without.toFixed(2)} % of a core (target < 1)`);
  report(
    `  with ${nodeCount} heartbeating nodes ${withHeartbeats.toFixed(2)} %, their agents in this process included`,
  );
  report(`  RSS                       ${rssMiB.toFixed(0)} MiB`);
}

async function cpuPercent(): Promise<number> {
  const before = process.cpuUsage();
  const from = performance.now();
  await sleep(idleSeconds * 1000);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 10 / (performance.now() - from);
}

function template(): PodTemplateSpec {
  return {
    metadata: { labels: { app: 'bench' }, annotations: behaviourAnnotation({ startMs: 0, stopMs: 0 }) },
    spec: {
      containers: [{ name: 'c', image: 'busybox', resources: { requests: { cpu: '10m', memory: '16Mi' } } }],
    },
  };
}

function deployment(): Deployment {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { namespace: 'default', name: 'bench' },
    spec: { replicas, selector: { matchLabels: { app: 'bench' } }, template: template() },
  };
}

function bare(i: number): Pod {
  const { metadata, spec } = template();
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { ...metadata, namespace: 'default', name: `bench-${i}` },
    spec: spec ?? { containers: [] },
  };
}

function configMap(i: number): ConfigMap {
  const metadata = { namespace: 'default', name: `at-rest-${i}` };
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { text: 'x'.repeat(200) } };
}

async function each(count: number, work: (i: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < count) {
      const i = next;
      next += 1;
      await work(i);
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, worker));
}
