/** Wires the node agent together from its ports. Holds no state of its own but what was read of the node. */
import { createEventRecorder } from '../client/index.ts';
import { type Connection, createMetrics, errorMessage, type Logger, type MetricsRegistry } from '../lib/index.ts';
import { fitResize } from './admission/fit-resize.ts';
import { allocatableResources } from './allocatable.ts';
import { createApiSource } from './config/api-source.ts';
import { DesiredPods } from './config/desired-pods.ts';
import { FileSource } from './config/file-source.ts';
import { MirrorPods } from './config/mirror-pods.ts';
import { createBlackBox } from './deaths/black-box.ts';
import { createConfigCache } from './env/config-cache.ts';
import { createKnownServices } from './env/known-services.ts';
import { createEnvironmentResolver } from './env/container-environment.ts';
import { createPodEvents, HEALING_EVENTS } from './events.ts';
import { Executor } from './execute/execute-actions.ts';
import { qosCgroups } from './execute/resources.ts';
import { LogGc } from './gc/log-gc.ts';
import { createImageManager } from './images/image-manager.ts';
import { MemoryStore } from './memory/memory-store.ts';
import { type KnownNode, readNode } from './node-facts.ts';
import { admitHere, forPods } from './node-admission.ts';
import { createNodeCare, type NodeCare } from './node-care.ts';
import { createNodeManager } from './node/node-manager.ts';
import { modeEvent } from './pleg/mode-event.ts';
import { createPleg } from './pleg/pleg.ts';
import { createPodQueue, PodWorkers } from './pod-workers/pod-workers.ts';
import type { Cgroups, KubeletConfig, KubeletPorts } from './ports.ts';
import { createPreemption } from './preemption.ts';
import { createProbeManager } from './probes/probe-manager.ts';
import { registerProcessMetrics } from './process-metrics.ts';
import { RecoveryWatch } from './recovery/recovery-watch.ts';
import { measuredImages, measuredRuntime } from './runtime-operations.ts';
import { createRuntimeClasses } from './runtime-classes.ts';
import { RuntimeState } from './runtime-state.ts';
import { historyRoutes } from './server/history-routes.ts';
import { createKubeletServer } from './server/kubelet-server.ts';
import { statsRoutes } from './server/stats-routes.ts';
import { DEFAULT_SETTINGS } from './settings.ts';
import { createStats } from './stats/stats-provider.ts';
import { createMirroredStatus } from './status/mirrored-status.ts';
import { createStatusManager } from './status/status-manager.ts';
import { createMarkDirty, SyncLoop } from './sync-loop.ts';
import type { KubeletHealth, PodDirectory, PodUID } from './types.ts';
import { imageVolumeProblem } from './volumes/image-volume.ts';
import { createVolumeManager } from './volumes/volume-manager.ts';

export interface Kubelet {
  /** Runs until the signal is aborted; pods go on running. Rejects only for a mistake of ours. */
  run(signal: AbortSignal): Promise<void>;
  /** The kubelet's own API: logs, exec, metrics, health. */
  readonly connection: Connection;
  readonly metrics: MetricsRegistry;
  /** What it still waits for before it looks after pods; empty: nothing. */
  notReady(): readonly string[];
  ready(): boolean;
  readonly pods: PodDirectory;
  /** What the pod's last pass waited for. */
  why(uid: PodUID): readonly string[];
  /** Statuses reported and not yet taken by the API server: none. */
  settled(): boolean;
}

export function createKubelet(given: KubeletPorts, config: KubeletConfig): Kubelet {
  const metrics = given.metrics ?? createMetrics();
  const measuring = { clock: given.clock, metrics };
  const ports = {
    ...given,
    ...config,
    metrics,
    runtime: measuredRuntime(given.runtime, measuring),
    images: measuredImages(given.images, measuring),
  };
  const { clock, logger, client, random } = ports;
  const settings = config.settings ?? DEFAULT_SETTINGS;
  let known: KnownNode | undefined;
  const hostIps = (): readonly string[] => known?.machine.addresses ?? [];
  const allocatable = () =>
    allocatableResources(known?.machine, (signal, bytes) => care.keepsFree(signal, bytes), nodeManager.node());

  const recorder = createEventRecorder({
    ...ports,
    random: random.split('events'),
    component: 'kubelet',
    host: config.nodeName,
    toldApart: HEALING_EVENTS,
  });
  const events = createPodEvents(recorder, config.nodeName);
  const queue = createPodQueue(clock);
  const markDirty = createMarkDirty(queue, logger);
  const desired = new DesiredPods(markDirty);
  const mirrors: MirrorPods = new MirrorPods({
    ...ports,
    desired,
    node: () => nodeManager.node(),
    onChange: (uid) => {
      status.mirrorChanged(uid);
      // Whoever writes to the server may call anything a mirror.
      if (desired.get(uid) !== undefined) markDirty(uid, 'config');
    },
  });
  desired.onChange((pod) => mirrors.changed(pod));
  const source = createApiSource({
    ...ports,
    random: random.split('pods'),
    desired,
    mirrors,
    onAbsence: (uid) => queue.add(uid),
  });
  const { staticPodPath } = settings;
  const files =
    staticPodPath === undefined
      ? undefined
      : new FileSource({ ...ports, ...settings, events, desired, path: staticPodPath });
  const isKnown = (): ((uid: PodUID) => boolean) | undefined => {
    if (!desired.synced() || !pleg.synced()) return undefined;
    const observed = new Set(pleg.uids());
    return (uid) => desired.get(uid) !== undefined || workers.has(uid) || observed.has(uid);
  };
  const blackBox = createBlackBox({ ...ports, settings, events, directory: () => workers, isKnown });
  const pleg = createPleg({
    ...ports,
    random: random.split('pleg'),
    markDirty,
    onOutOfMemory: (containerId) => blackBox.oom.hint(containerId),
    onModeChange: (change) => {
      const told = modeEvent(change);
      if (told !== undefined) events.node(told.type, told.reason, told.message);
    },
  });
  const configCache = createConfigCache({
    clock,
    client,
    logger,
    random: random.split('config'),
    onVersion: (kind, namespace, name, change) => blackBox.changes.object(kind, namespace, name, change),
  });
  const services = createKnownServices({ clock, logger, client, random: random.split('services') });
  const environment = createEnvironmentResolver({
    config: configCache,
    events,
    apiServer: config.apiServer,
    services,
  });
  const images = createImageManager({ ...ports, config: configCache, events, markDirty });
  const volumes = createVolumeManager({
    ...ports,
    random: random.split('volumes'),
    config: configCache,
    events,
    markDirty,
    nodeResources: allocatable,
    images,
    imageVolumeProblem: (subPath) => imageVolumeProblem(known, subPath),
  });
  const probeMetrics = createMetrics();
  const probes = createProbeManager({
    ...ports,
    metrics: probeMetrics,
    random: random.split('probes'),
    transport: ports.probeTransport,
    events,
    markDirty,
    hostIp: () => hostIps()[0],
    onFailure: (failed) => {
      blackBox.refusedProbes.failed(failed);
      blackBox.cpu.hint(failed.containerId);
    },
  });
  const delivery = createStatusManager(ports);
  const status = createMirroredStatus(delivery, (pod) => mirrors.of(pod));
  const memory = new MemoryStore(ports);
  const executor = new Executor({
    ...ports,
    volumes,
    images,
    environment,
    runtimeClasses: createRuntimeClasses(ports),
    events,
    markDirty,
    logsRead: (uid) => blackBox.recorder.logsRead(uid),
    config: { ...config, ...settings },
    node: () => ({
      hostIps: hostIps(),
      memoryBytes: known?.machine.memoryBytes ?? 0,
      allocatable: allocatable(),
    }),
  });
  const recovery = new RecoveryWatch({
    ...ports,
    random: random.split('recovery'),
    config: configCache,
    pressure: () => care.seenPressure(),
    markDirty,
  });
  const preempt = createPreemption({
    ...ports,
    events,
    terminate: ({ metadata }, request, end) => workers.terminate(metadata?.uid ?? '', request, end),
  });
  const workers: PodWorkers = new PodWorkers({
    ...ports,
    queue,
    desired,
    pleg,
    memory,
    executor,
    volumes,
    images,
    probes,
    status,
    events,
    recovery,
    deaths: blackBox.recorder,
    isGone: (uid, namespace, name) => source.isGone(uid, namespace, name),
    mirrorOf: (pod) => mirrors.of(pod),
    resize: (pod, others) => fitResize(pod, others, forPods(allocatable(), config)),
    admit: (pod, others, since) => {
      return admitHere(pod, others, {
        node: nodeManager,
        allocatable: forPods(allocatable(), config),
        allowedUnsafeSysctls: settings.allowedUnsafeSysctls,
        pressure: care.pressure(),
        since,
        now: clock.now().mono,
        isWanted: ({ metadata }) => desired.get(metadata?.uid ?? '')?.wanted === true,
        isEnding: ({ metadata }) => workers.isEnding(metadata?.uid ?? ''),
        preempt,
      });
    },
    node: () =>
      known && {
        name: config.nodeName,
        hostIps: hostIps(),
        runtimeName: known.runtimeName,
        maxRestartPeriodMs: settings.crashLoopBackOff.maxContainerRestartPeriodMs,
      },
  });
  const syncLoop = new SyncLoop({ ...ports, queue, desired, pleg, workers, memory, volumes });
  const runtimeState = new RuntimeState({ ...ports, pleg, onChange: () => nodeManager.refresh() });
  const health: KubeletHealth = {
    syncLoop: () => syncLoop.health(),
    pleg: () => pleg.unhealthy(),
    runtimeErrors: () => runtimeState.errors(),
  };
  const stats = createStats({ ...ports, directory: workers, volumes });
  const care: NodeCare = createNodeCare({
    ...ports,
    settings,
    sharedRuntime: config.sharedRuntime === true,
    workers,
    stats,
    events,
    onChange: () => {
      blackBox.pressure(care.pressure());
      recovery.pressureChanged();
      nodeManager.refresh();
    },
    onKnown: () => recovery.pressureChanged(),
  });
  const nodeManager = createNodeManager({
    ...ports,
    random: random.split('node'),
    events,
    health,
    pressure: () => care.pressure(),
    keepsFree: (signal, capacityBytes) => care.keepsFree(signal, capacityBytes),
    // Pods that were deleted meanwhile are still running.
    onReached: () => {
      source.retryNow();
      delivery.retryNow();
    },
  });
  const logGc = new LogGc({
    ...ports,
    isKnown,
    hasContainer: (id) =>
      pleg.uids().some((uid) => pleg.observation(uid)?.containers.some((container) => container.id === id) === true),
  });
  countPods(ports.metrics, desired, workers);
  registerProcessMetrics(ports.metrics, { ...config, meter: ports.machine });

  const notReady = (): readonly string[] => [
    ...(known === undefined ? ['the machine and the runtime'] : []),
    ...desired.unsynced().map((name) => `the first list of pods (${name})`),
    ...(pleg.synced() ? [] : ['the first relist of the runtime']),
    ...(nodeManager.node() === undefined ? ['the registration of the node'] : []),
  ];
  return {
    connection: createKubeletServer({
      ...ports,
      directory: workers,
      health,
      routes: [...statsRoutes({ ...ports, stats, probeMetrics }), ...historyRoutes(blackBox.history)],
    }),
    metrics: ports.metrics,
    notReady,
    ready: () => notReady().length === 0,
    pods: workers,
    why: (uid) => workers.why(uid),
    settled: () => status.settled() && recorder.settled(),
    run: async (signal) => {
      const stop = (): void => {
        executor.stop();
        recovery.close();
        configCache.close();
      };
      signal.addEventListener('abort', stop, { once: true });
      const begin = async (): Promise<void> => {
        known = await readNode(ports, signal);
        if (known !== undefined) await ensureQosCgroups(ports.cgroups, known.machine.cpuCores, logger);
        await nodeManager.run(signal);
      };
      const begun = [
        recorder,
        source,
        mirrors,
        services,
        pleg,
        status,
        syncLoop,
        runtimeState,
        care,
        stats,
        logGc,
        blackBox,
        { run: begin },
      ];
      const parts = files === undefined ? begun : [files, ...begun];
      await Promise.all(parts.map((part) => part.run(signal)));
    },
  };
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
