/** Builds the parts that look after the node itself: its object and lease, health, figures, pressure, old logs. */
import type { KubeletConfig } from '../configuration.ts';
import { LogGc } from '../gc/log-gc.ts';
import { createNodeManager, type NodeManager, type NodeManagerParts } from '../node/node-manager.ts';
import type { NodeIdentity } from '../node/node-object.ts';
import { createNodeCare, type NodeCare } from '../node-care.ts';
import { RuntimeState } from '../runtime-state.ts';
import { createStats, type Stats } from '../stats/stats-provider.ts';
import type { KubeletHealth, Pleg } from '../types.ts';
import { type Given, givenTo, type Ground, knownPods } from './ground.ts';
import type { Supplies } from './supply-containers.ts';
import type { PodTraffic } from './tell-pods.ts';
import type { Watching } from './watch-containers.ts';
import type { Working } from './work-on-pods.ts';

export interface NodeKeeping {
  readonly runtimeState: RuntimeState;
  readonly health: KubeletHealth;
  readonly stats: Stats;
  readonly care: NodeCare;
  readonly nodeManager: NodeManager;
  readonly logGc: LogGc;
}

/** The parts that were made before, as far as the node needs them. */
export interface NodeParts {
  readonly traffic: Pick<PodTraffic, 'source' | 'delivery'>;
  readonly supplies: Pick<Supplies, 'volumes' | 'local' | 'csi'>;
  readonly watching: Pick<Watching, 'blackBox' | 'pleg'>;
  readonly working: Pick<Working, 'workers' | 'syncLoop' | 'recovery'>;
}

export function createNodeKeeping(given: Given, config: KubeletConfig, ground: Ground, parts: NodeParts): NodeKeeping {
  const { clock, logger, fs, runtime } = given;
  const { podLogsDir, instanceId } = config;
  const { watching, working, supplies } = parts;
  const { pleg } = watching;
  const refresh = (): void => ground.later.nodeManager.it.refresh();
  const runtimeState = new RuntimeState({ clock, runtime, pleg, onChange: refresh });
  const health: KubeletHealth = {
    syncLoop: () => working.syncLoop.health(),
    pleg: () => pleg.unhealthy(),
    runtimeErrors: () => runtimeState.errors(),
  };
  const directory = working.workers;
  const stats = createStats({ ports: given, places: config, directory, volumes: supplies.volumes });
  const care = createOurCare(given, config, ground, { ...parts, stats });
  const nodeManager = createOurNodeManager(given, config, ground, { ...parts, health, care });
  const logGc = new LogGc({
    clock,
    logger,
    fs,
    podLogsDir,
    instanceId,
    isKnown: () => knownPods(ground),
    hasContainer: (id) => hasContainer(pleg, id),
  });
  return { runtimeState, health, stats, care, nodeManager, logGc };
}

function createOurCare(
  given: Omit<Given, 'client' | 'probeTransport' | 'streams'>,
  config: Pick<KubeletConfig, 'instanceId' | 'sharedRuntime'>,
  { events, later }: Pick<Ground, 'events' | 'later'>,
  {
    watching,
    working,
    supplies,
    stats,
  }: Pick<NodeParts, 'watching' | 'working' | 'supplies'> & { readonly stats: Stats },
): NodeCare {
  const { settings } = given;
  const care = createNodeCare(
    given,
    { ...config, settings },
    {
      workers: working.workers,
      stats,
      events,
      ...(supplies.local && { volumeOveruse: supplies.local.overuse }),
      onChange: () => {
        watching.blackBox.pressure(later.care.it.pressure());
        working.recovery.pressureChanged();
        later.nodeManager.it.refresh();
      },
      onKnown: () => working.recovery.pressureChanged(),
    },
  );
  return later.care.is(care);
}

function createOurNodeManager(
  given: Pick<Given, 'clock' | 'random' | 'logger' | 'client' | 'machine' | 'runtime' | 'images' | 'settings'>,
  { nodeName, node }: Pick<KubeletConfig, 'nodeName' | 'node'>,
  { events, later }: Pick<Ground, 'events' | 'later'>,
  { traffic, supplies, health, care }: Pick<NodeParts, 'traffic' | 'supplies'> & Pick<NodeKeeping, 'health' | 'care'>,
): NodeManager {
  const identity: NodeIdentity = {
    ...node,
    nodeName,
    maxPods: given.settings.maxPods,
    keepsFree: (signal, capacityBytes) => care.keepsFree(signal, capacityBytes),
  };
  const parts: NodeManagerParts = {
    events,
    health,
    pressure: () => care.pressure(),
    ...(supplies.local && { volumes: supplies.local.watch }),
    ...(supplies.csi && { volumesInUse: supplies.csi.inUse }),
    // Pods that were deleted meanwhile are still running.
    onReached: () => {
      traffic.source.retryNow();
      traffic.delivery.retryNow();
    },
  };
  const manager = createNodeManager(givenTo('node', given), identity, parts, given.settings);
  return later.nodeManager.is(manager);
}

function hasContainer(pleg: Pleg, id: string): boolean {
  return pleg.uids().some((uid) => pleg.observation(uid)?.containers.some((container) => container.id === id) === true);
}
