/** Builds the parts that keep the node itself healthy: eviction before it runs out, removal of unused images, bounded logs. */
import type { Pod } from '../api/index.ts';
import type { Clock, FileSystem, Logger, MetricsRegistry, Process } from '../lib/index.ts';
import type { ImageService, RuntimeService } from '../cri/index.ts';
import { EvictionManager } from './eviction/eviction-manager.ts';
import type { VolumeOveruse } from './eviction/volume-blame.ts';
import { ImageGc } from './images/image-gc.ts';
import { fullImageName } from './images/image-name.ts';
import { LogRotation } from './logs/log-rotation.ts';
import { INSTANCE_LABEL } from './pods/ownership.ts';
import type { PodWorkers } from './pod-workers/pod-workers.ts';
import type { Machine } from './ports.ts';
import type { KubeletSettings } from './settings.ts';
import type { StatsProvider } from './stats/summary.ts';
import type { PodEvents, PressureVerdict } from './types.ts';

/** The ports of all that looks after the node. */
export interface NodeCarePorts {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: MetricsRegistry;
  readonly fs: FileSystem;
  readonly process: Process;
  readonly machine: Machine;
  readonly runtime: RuntimeService;
  readonly images: ImageService;
}

export interface NodeCareConfig {
  readonly settings: KubeletSettings;
  readonly instanceId: string;
  /** Others use the runtime, too. */
  readonly sharedRuntime?: boolean;
}

export interface NodeCareParts {
  readonly workers: PodWorkers;
  readonly stats: StatsProvider;
  readonly events: PodEvents;
  /** Absent, or undefined: no volumes that claims outgrew are on the disk of the pods' folders. */
  readonly volumeOveruse?: (signal: AbortSignal) => Promise<VolumeOveruse | undefined>;
  /** The pressure verdict changed. */
  readonly onChange: () => void;
  /** The first verdict rests on what was seen. */
  readonly onKnown?: () => void;
}

export interface NodeCare {
  pressure(): PressureVerdict;
  /** `undefined`: the node has not been looked at yet. */
  seenPressure(): PressureVerdict | undefined;
  /** 0 to 100; `undefined`: not looked at yet. */
  diskUsedPercent(): number | undefined;
  /** The bytes that eviction's hard thresholds keep free, of this many bytes. */
  keepsFree(signal: 'memory.available' | 'nodefs.available', capacityBytes: number): number;
  run(signal: AbortSignal): Promise<void>;
}

/** @throws ThresholdError for eviction settings that make no sense */
export function createNodeCare(ports: NodeCarePorts, config: NodeCareConfig, parts: NodeCareParts): NodeCare {
  const { settings, instanceId, sharedRuntime } = config;
  const { workers } = parts;
  const imageGc = new ImageGc(ports, settings.imageGc, {
    events: parts.events,
    wantedImages: () => workers.pods().flatMap(({ pod }) => imagesOf(pod)),
    ...(sharedRuntime === true ? { onlyUsedBy: { [INSTANCE_LABEL]: instanceId } } : {}),
  });
  const end = new AbortController();
  const eviction = new EvictionManager(ports, settings.eviction, {
    ...parts,
    activePods: () => workers.activePods().filter(({ metadata }) => !workers.isEnding(metadata?.uid ?? '')),
    terminate: ({ metadata }, request, fixed) => workers.terminate(metadata?.uid ?? '', request, fixed),
    freeDisk: async () => void (await imageGc.deleteUnused(end.signal)),
  });
  const rotation = new LogRotation({
    ...ports,
    settings: settings.containerLogs,
    runningContainers: () =>
      workers
        .pods()
        .flatMap(({ observation }) => observation?.containers ?? [])
        .filter(({ state }) => state === 'running'),
  });
  return {
    pressure: () => eviction.verdict(),
    seenPressure: () => (eviction.known() ? eviction.verdict() : undefined),
    diskUsedPercent: () => eviction.diskUsedPercent(),
    keepsFree: (signal, capacity) => eviction.keepsFree(signal, capacity),
    run: async (signal) => {
      signal.addEventListener('abort', () => end.abort(), { once: true });
      await Promise.all([eviction, imageGc, rotation].map((part) => part.run(signal)));
    },
  };
}

/** As the runtime lists them: a pod that waits for its first start needs its image, too. */
function imagesOf({ spec }: Pod): readonly string[] {
  const containers = [...(spec?.containers ?? []), ...(spec?.initContainers ?? [])];
  const volumes = (spec?.volumes ?? []).map(({ image }) => image?.reference);
  return [...containers.map(({ image }) => image), ...volumes].flatMap((image) =>
    image === undefined ? [] : [image, fullImageName(image) ?? image],
  );
}
