/** Builds the parts that watch containers run and end: PLEG, probes, the black box. */
import { createMetrics, type MetricsRegistry } from '../../lib/index.ts';
import type { KubeletConfig } from '../configuration.ts';
import { DayKeeper } from '../day-ring/day-keeper.ts';
import { type BlackBox, createBlackBox } from '../deaths/black-box.ts';
import { modeEvent } from '../pleg/mode-event.ts';
import type { PlegRuntime } from '../pleg/pleg-runtime.ts';
import { createPleg, type StopHints } from '../pleg/pleg.ts';
import type { PodRouting } from '../ports.ts';
import { createProbeManager } from '../probes/probe-manager.ts';
import { HostPortKeeper } from '../routing/host-port-keeper.ts';
import { RoutingKeeper } from '../routing/routing-keeper.ts';
import type { Pleg, ProbeManager } from '../types.ts';
import { type Given, givenTo, type Ground, knownPods } from './ground.ts';

export interface Watching {
  readonly blackBox: BlackBox;
  readonly days: DayKeeper;
  readonly pleg: Pleg;
  readonly probes: ProbeManager;
  /** Figures of probes, which have a path of their own. */
  readonly probeMetrics: MetricsRegistry;
  /** Absent: mendlet does not route here. */
  readonly routing: { readonly keeper: RoutingKeeper; readonly port: PodRouting } | undefined;
  /** Absent: the runtime makes host ports. */
  readonly hostPorts: HostPortKeeper | undefined;
}

export function createWatching(
  given: Omit<Given, 'client' | 'images' | 'process' | 'streams'>,
  config: Pick<KubeletConfig, 'nodeName' | 'rootDir' | 'podLogsDir' | 'instanceId' | 'node'>,
  ground: Pick<Ground, 'events' | 'markDirty' | 'desired' | 'node' | 'later'>,
): Watching {
  const blackBox = createOurBlackBox(given, config, ground);
  const days = new DayKeeper(given, {
    ...config,
    directory: () => ground.later.workers.it,
    isKnown: () => knownPods(ground),
  });
  const routing = createRouting(given, ground);
  const hostPorts = given.hostPorts && new HostPortKeeper(given.hostPorts);
  const hints = toAll([routing?.keeper, hostPorts].filter((each) => each !== undefined));
  const pleg = createOurPleg(given, config, ground, { blackBox, hints });
  const probeMetrics = createMetrics();
  const ports = { ...givenTo('probes', given), metrics: probeMetrics, transport: given.probeTransport };
  const prober = { version: config.node.version, hostIp: () => ground.node.hostIps()[0] };
  const probes = createProbeManager(ports, prober, {
    events: ground.events,
    markDirty: ground.markDirty,
    onFailure: (failed) => {
      blackBox.refusedProbes.failed(failed);
      blackBox.cpu.hint(failed.containerId);
    },
  });
  return { blackBox, days, pleg, probes, probeMetrics, routing, hostPorts };
}

function createOurBlackBox(
  given: Parameters<typeof createWatching>[0],
  config: Pick<KubeletConfig, 'nodeName' | 'rootDir' | 'podLogsDir'>,
  ground: Pick<Ground, 'events' | 'desired' | 'later'>,
): BlackBox {
  const { deathHistoryRetentionMs } = given.settings;
  return createBlackBox(
    given,
    { ...config, deathHistoryRetentionMs },
    {
      events: ground.events,
      directory: () => ground.later.workers.it,
      secrets: () => ground.later.config.it,
      isKnown: () => knownPods(ground),
    },
  );
}

/** The routing's news about a pod that leaves are the cause of a pass: its signal waits for them. */
function createRouting(
  { routing: port, metrics }: Pick<Given, 'routing' | 'metrics'>,
  { markDirty }: Pick<Ground, 'markDirty'>,
): Watching['routing'] {
  if (port === undefined) return undefined;
  port.onChange((uid) => markDirty(uid, 'routing'));
  return { keeper: new RoutingKeeper(port, metrics), port };
}

/** Undefined: nobody acts on hints. */
function toAll(takers: readonly StopHints[]): StopHints | undefined {
  if (takers.length === 0) return undefined;
  return {
    announced: (uid, id) => {
      for (const taker of takers) taker.announced(uid, id);
    },
    denied: (id) => {
      for (const taker of takers) taker.denied(id);
    },
  };
}

function createOurPleg(
  given: Parameters<typeof createWatching>[0],
  { instanceId }: Pick<KubeletConfig, 'instanceId'>,
  { markDirty, events, later }: Pick<Ground, 'markDirty' | 'events' | 'later'>,
  { blackBox, hints }: { readonly blackBox: BlackBox; readonly hints: StopHints | undefined },
): Pleg {
  const ports = givenTo('pleg', given);
  const pleg = createPleg(
    { ...ports, runtime: withReasons(ports.runtime, blackBox.oomReasons) },
    { instanceId, settings: given.settings },
    {
      markDirty,
      onOutOfMemory: (containerId) => blackBox.oom.hint(containerId),
      ...(hints && { hints }),
      onModeChange: (change) => {
        const told = modeEvent(change);
        if (told !== undefined) events.node(told.type, told.reason, told.message);
      },
    },
  );
  return later.pleg.is(pleg);
}

/** The runtime, whose reasons for an end the black box completes. */
function withReasons(runtime: PlegRuntime, reasons: BlackBox['oomReasons']): PlegRuntime {
  return {
    listSandboxes: (...given) => runtime.listSandboxes(...given),
    listContainers: (...given) => runtime.listContainers(...given),
    sandboxStatus: (...given) => runtime.sandboxStatus(...given),
    containerStatus: async (...given) => {
      const status = await runtime.containerStatus(...given);
      return status && reasons.of(status);
    },
    events: (...given) => runtime.events(...given),
  };
}
