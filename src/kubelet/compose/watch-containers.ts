/** Builds the parts that watch containers run and end: PLEG, probes, the black box. */
import { createMetrics, type MetricsRegistry } from '../../lib/index.ts';
import type { KubeletConfig } from '../configuration.ts';
import { type BlackBox, createBlackBox } from '../deaths/black-box.ts';
import { modeEvent } from '../pleg/mode-event.ts';
import { createPleg } from '../pleg/pleg.ts';
import { createProbeManager } from '../probes/probe-manager.ts';
import type { Pleg, ProbeManager } from '../types.ts';
import { type Given, givenTo, type Ground, knownPods } from './ground.ts';

export interface Watching {
  readonly blackBox: BlackBox;
  readonly pleg: Pleg;
  readonly probes: ProbeManager;
  /** Figures of probes, which have a path of their own. */
  readonly probeMetrics: MetricsRegistry;
}

export function createWatching(
  given: Omit<Given, 'client' | 'images' | 'process' | 'streams'>,
  config: Pick<KubeletConfig, 'nodeName' | 'rootDir' | 'podLogsDir' | 'instanceId' | 'node'>,
  ground: Pick<Ground, 'events' | 'markDirty' | 'desired' | 'node' | 'later'>,
): Watching {
  const blackBox = createOurBlackBox(given, config, ground);
  const pleg = createOurPleg(given, config, ground, blackBox);
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
  return { blackBox, pleg, probes, probeMetrics };
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
      isKnown: () => knownPods(ground),
    },
  );
}

function createOurPleg(
  given: Parameters<typeof createWatching>[0],
  { instanceId }: Pick<KubeletConfig, 'instanceId'>,
  { markDirty, events, later }: Pick<Ground, 'markDirty' | 'events' | 'later'>,
  blackBox: BlackBox,
): Pleg {
  const pleg = createPleg(
    givenTo('pleg', given),
    { instanceId, settings: given.settings },
    {
      markDirty,
      onOutOfMemory: (containerId) => blackBox.oom.hint(containerId),
      onModeChange: (change) => {
        const told = modeEvent(change);
        if (told !== undefined) events.node(told.type, told.reason, told.message);
      },
    },
  );
  return later.pleg.is(pleg);
}
