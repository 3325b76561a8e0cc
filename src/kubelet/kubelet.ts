/** Builds the node agent from its ports. `compose/` says what each part is given, with one function for each group of parts. */
import { type Connection, errorMessage, type Logger, type MetricsRegistry } from '../lib/index.ts';
import { type Given, type Ground, giveMeasured, layGround } from './compose/ground.ts';
import { createNodeKeeping, type NodeKeeping } from './compose/keep-node.ts';
import { createSupplies, type Supplies } from './compose/supply-containers.ts';
import { createPodTraffic } from './compose/tell-pods.ts';
import { createWatching, type Watching } from './compose/watch-containers.ts';
import { createWorking, type Working } from './compose/work-on-pods.ts';
import type { DesiredPods } from './config/desired-pods.ts';
import type { KubeletConfig } from './configuration.ts';
import { qosCgroups } from './execute/resources.ts';
import { readNode } from './node-facts.ts';
import type { PodWorkers } from './pod-workers/pod-workers.ts';
import type { Cgroups, KubeletPorts } from './ports.ts';
import { registerAgentMetrics } from './agent-metrics.ts';
import { dayRoutes } from './server/day-routes.ts';
import { historyRoutes } from './server/history-routes.ts';
import { heldRoutes } from './server/held-routes.ts';
import { listeningRoutes } from './server/listening-routes.ts';
import { claimFigures } from './server/claim-figures.ts';
import { createKubeletServer } from './server/kubelet-server.ts';
import { pathRoutes } from './server/path-routes.ts';
import { statsRoutes } from './server/stats-routes.ts';
import { volumeRoutes } from './server/volume-routes.ts';
import type { PodDirectory, PodUID } from './types.ts';

export interface Kubelet {
  /** Runs until the signal is aborted; pods go on running. Rejects only for a mistake of ours. */
  run(signal: AbortSignal): Promise<void>;
  /** The kubelet's own API: logs, exec, metrics, health. */
  readonly connection: Connection;
  readonly metrics: MetricsRegistry;
  /** The things that it waits for before it looks after pods; empty: none. */
  notReady(): readonly string[];
  ready(): boolean;
  readonly pods: PodDirectory;
  /** The things that the pod's last pass waited for. */
  why(uid: PodUID): readonly string[];
  /** True when the API server has taken all reported statuses. */
  settled(): boolean;
}

export function createKubelet(ports: KubeletPorts, config: KubeletConfig): Kubelet {
  const given = giveMeasured(ports, config);
  const ground = layGround(given, config);
  const traffic = createPodTraffic(given, config, ground);
  const watching = createWatching(given, config, ground);
  const supplies = createSupplies(given, config, ground, watching.blackBox);
  const working = createWorking(given, config, ground, { traffic, supplies, watching });
  const keeping = createNodeKeeping(given, config, ground, {
    traffic,
    supplies,
    watching,
    working,
  });
  const { metrics } = given;
  const { workers } = working;
  countPods(metrics, ground.desired, workers);
  registerAgentMetrics(metrics, { nodeName: config.nodeName, version: config.node.version, meter: given.machine });
  const notReady = () => whatIsMissing(ground, watching);
  const parts: readonly Part[] = [
    ...(traffic.files === undefined ? [] : [traffic.files]),
    ground.recorder,
    ground.informers,
    traffic.source,
    traffic.mirrors,
    watching.pleg,
    traffic.status,
    working.syncLoop,
    keeping.runtimeState,
    keeping.care,
    keeping.stats,
    keeping.logGc,
    ...(supplies.local === undefined ? [] : [supplies.local.watch]),
    ...(supplies.csi === undefined ? [] : [supplies.csi.watcher]),
    watching.blackBox,
    watching.days,
    { run: (signal) => begin(given, ground, keeping, signal) },
  ];
  return {
    connection: createOwnApi(given, config, { ...watching, ...working, ...keeping, ...supplies }),
    metrics,
    notReady,
    ready: () => notReady().length === 0,
    pods: workers,
    why: (uid) => workers.why(uid),
    settled: () => traffic.status.settled() && ground.recorder.settled(),
    run: async (signal) => {
      const stop = (): void => {
        working.executor.stop();
        working.recovery.close();
        supplies.configCache.close();
      };
      signal.addEventListener('abort', stop, { once: true });
      await Promise.all(parts.map((part) => part.run(signal)));
    },
  };
}

interface Part {
  run(signal: AbortSignal): Promise<void>;
}

/** First the machine and the runtime are read, then the node is registered. */
async function begin(
  { clock, logger, machine, runtime, cgroups }: Given,
  { node }: Ground,
  { nodeManager }: NodeKeeping,
  signal: AbortSignal,
): Promise<void> {
  node.learn(await readNode({ clock, logger, machine, runtime }, signal));
  if (node.known !== undefined) await ensureQosCgroups(cgroups, node.known.machine.cpuCores, logger);
  await nodeManager.run(signal);
}

function whatIsMissing({ node, desired }: Ground, { pleg }: Pick<Watching, 'pleg'>): readonly string[] {
  return [
    ...(node.known === undefined ? ['the machine and the runtime'] : []),
    ...desired.unsynced().map((name) => `the first list of pods (${name})`),
    ...(pleg.synced() ? [] : ['the first relist of the runtime']),
    ...(node.object() === undefined ? ['the registration of the node'] : []),
  ];
}

type Shown = Pick<Watching, 'blackBox' | 'days' | 'probeMetrics'> &
  Pick<Working, 'workers'> &
  Pick<NodeKeeping, 'health' | 'stats' | 'care'> &
  Pick<Supplies, 'local'>;

/** The kubelet's own API. */
function createOwnApi(
  given: Given,
  { nodeName }: Pick<KubeletConfig, 'nodeName'>,
  { blackBox, days, probeMetrics, workers, health, stats, care, local }: Shown,
): Connection {
  const { clock, logger, cgroups, machine, listeners, held, services, pathProbe, settings } = given;
  const node = { nodeName, clusterDomain: settings.clusterDomain };
  const routes = [
    ...statsRoutes({ logger, stats, cgroups, machine, probeMetrics }),
    ...historyRoutes(blackBox.history),
    ...dayRoutes(days, {
      diskUsedPercent: () => care.diskUsedPercent(),
      nextSteps: () => workers.nextSteps(),
    }),
    ...volumeRoutes({ localVolumes: local?.volumes, logger }),
    ...listeningRoutes({ directory: workers, cgroups, ...(listeners && { listeners }) }),
    ...heldRoutes({ directory: workers, cgroups, ...(held && { held }) }),
    ...pathRoutes({
      clock,
      directory: workers,
      cgroups,
      node,
      ...(services && { services }),
      ...(pathProbe && { pathProbe }),
    }),
  ];
  const figures = (): Promise<string> => claimFigures({ clock, logger, stats });
  return createKubeletServer(given, { directory: workers, health }, { settings, routes, figures });
}

/** A pod's own cgroup makes its parents too: without these only the shares of the classes are missing. */
async function ensureQosCgroups(cgroups: Cgroups, cpuCores: number, logger: Logger): Promise<void> {
  for (const { path, limits } of qosCgroups(cpuCores)) {
    try {
      await cgroups.ensure(path, limits);
    } catch (error) {
      logger.error('a cgroup for all pods cannot be made', { path: path.join('/'), error: errorMessage(error) });
    }
  }
}

function countPods(metrics: MetricsRegistry, desired: DesiredPods, workers: PodWorkers): void {
  const wanted = metrics.gauge({
    name: 'kubelet_desired_pods',
    help: 'Pods that should run here.',
    labels: ['static'],
  });
  const active = metrics.gauge({
    name: 'kubelet_active_pods',
    help: 'Pods admitted and not over.',
    labels: ['static'],
  });
  metrics.onCollect(() => {
    wanted.set(desired.all().filter((each) => each.wanted).length, { static: '' });
    active.set(workers.activePods().length, { static: '' });
  });
}
