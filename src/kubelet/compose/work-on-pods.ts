/**
 * Builds the parts that work on pods: the workers and their loop, the executor of their actions, their notes, the watch over
 * back-offs.
 */
import type { KubeletConfig } from '../configuration.ts';
import { fitResize } from '../admission/fit-resize.ts';
import { Executor } from '../execute/execute-actions.ts';
import { admitHere, forPods, type Neighbours } from '../node-admission.ts';
import { PodNoteStore } from '../notes/pod-note-store.ts';
import { type HostingNode, PodWorkers } from '../pod-workers/pod-workers.ts';
import { createPreemption } from '../preemption.ts';
import { RecoveryWatch } from '../recovery/recovery-watch.ts';
import { createRuntimeClasses } from '../runtime-classes.ts';
import { SyncLoop } from '../sync-loop.ts';
import type { PodUID } from '../types.ts';
import { type Given, givenTo, type Ground } from './ground.ts';
import type { Supplies } from './supply-containers.ts';
import type { PodTraffic } from './tell-pods.ts';
import type { Watching } from './watch-containers.ts';

export interface Working {
  readonly executor: Executor;
  readonly recovery: RecoveryWatch;
  readonly workers: PodWorkers;
  readonly syncLoop: SyncLoop;
}

/** The parts that were made before, as far as workers need them. */
export interface MadeBefore {
  readonly traffic: Pick<PodTraffic, 'mirrors' | 'source' | 'status'>;
  readonly supplies: Pick<Supplies, 'configCache' | 'environment' | 'images' | 'volumes'>;
  readonly watching: Pick<Watching, 'blackBox' | 'days' | 'pleg' | 'probes' | 'routing' | 'hostPorts'>;
}

export function createWorking(given: Given, config: KubeletConfig, ground: Ground, made: MadeBefore): Working {
  const { clock, logger, fs } = given;
  const { queue, desired, events, later } = ground;
  const { traffic, supplies, watching } = made;
  const { pleg } = watching;
  const { volumes } = supplies;
  const notes = new PodNoteStore({ fs, logger, rootDir: config.rootDir });
  const executor = createExecutor(given, config, ground, made);
  const recovery = createRecovery(given, ground, supplies);
  const workers = new PodWorkers({
    ports: given,
    sources: {
      queue,
      desired,
      pleg,
      mirrorOf: (pod) => traffic.mirrors.of(pod),
      isGone: (uid, namespace, name) => traffic.source.isGone(uid, namespace, name),
    },
    parts: {
      notes,
      executor,
      volumes,
      images: supplies.images,
      probes: watching.probes,
      recovery,
      ...(watching.routing && { routing: watching.routing }),
      ...(watching.hostPorts && { hostPorts: watching.hostPorts }),
    },
    reporters: { status: traffic.status, events, deaths: watching.blackBox.recorder, days: watching.days },
    node: createHostingNode(given, config, ground),
  });
  later.workers.is(workers);
  const onDisk = async (): Promise<readonly PodUID[]> => [...(await notes.list()), ...(await volumes.onDisk())];
  const syncLoop = new SyncLoop({ clock, logger, queue, desired, pleg, workers, cgroups: given.cgroups, onDisk });
  return { executor, recovery, workers, syncLoop };
}

function createExecutor(
  given: Pick<
    Given,
    | 'clock'
    | 'logger'
    | 'metrics'
    | 'fs'
    | 'runtime'
    | 'cgroups'
    | 'probeTransport'
    | 'client'
    | 'settings'
    | 'hostPorts'
  >,
  {
    instanceId,
    rootDir,
    podLogsDir,
    nodeName,
  }: Pick<KubeletConfig, 'instanceId' | 'rootDir' | 'podLogsDir' | 'nodeName'>,
  { events, markDirty, node }: Pick<Ground, 'events' | 'markDirty' | 'node'>,
  { supplies, watching }: Pick<MadeBefore, 'supplies' | 'watching'>,
): Executor {
  const { clusterDns, clusterDomain, resolvConf, podPidsLimit, seccompDefault } = given.settings;
  const dns = { clusterDns, clusterDomain, resolvConf };
  const { volumes, images, environment } = supplies;
  return new Executor(
    given,
    {
      instanceId,
      rootDir,
      podLogsDir,
      nodeName,
      dns,
      podPidsLimit,
      seccompDefault,
      mapsPorts: given.hostPorts === undefined,
    },
    {
      volumes,
      images,
      environment,
      runtimeClasses: createRuntimeClasses(given),
      events,
      markDirty,
      blackBox: watching.blackBox.recorder,
      node: () => ({
        hostIps: node.hostIps(),
        memoryBytes: node.memoryBytes(),
        allocatable: node.allocatable(),
      }),
    },
  );
}

function createRecovery(
  given: Pick<Given, 'clock' | 'random' | 'logger' | 'client' | 'images' | 'probeTransport'>,
  { later, markDirty }: Pick<Ground, 'later' | 'markDirty'>,
  { configCache }: Pick<Supplies, 'configCache'>,
): RecoveryWatch {
  return new RecoveryWatch(givenTo('recovery', given), {
    config: configCache,
    pressure: () => later.care.it.seenPressure(),
    markDirty,
  });
}

/** Decides whether a pod, or its resize, has room on this node, and collects what plans need to know of the node. */
function createHostingNode(
  { clock, logger, metrics, settings }: Pick<Given, 'clock' | 'logger' | 'metrics' | 'settings'>,
  { nodeName }: Pick<KubeletConfig, 'nodeName'>,
  { desired, events, node, later }: Pick<Ground, 'desired' | 'events' | 'node' | 'later'>,
): HostingNode {
  const preempt = createPreemption({
    clock,
    logger,
    metrics,
    events,
    terminate: ({ metadata }, request, end) => later.workers.it.terminate(metadata?.uid ?? '', request, end),
  });
  const neighbours: Neighbours = {
    isWanted: ({ metadata }) => desired.get(metadata?.uid ?? '')?.wanted === true,
    isEnding: ({ metadata }) => later.workers.it.isEnding(metadata?.uid ?? ''),
    preempt,
  };
  const room = () => forPods(node.allocatable(), settings);
  return {
    resize: (pod, others) => fitResize(pod, others, room()),
    admit: (pod, others, since) =>
      admitHere(pod, others, {
        node: later.nodeManager.it,
        allocatable: room(),
        allowedUnsafeSysctls: settings.allowedUnsafeSysctls,
        pressure: later.care.it.pressure(),
        since,
        now: clock.now().mono,
        neighbours,
      }),
    facts: () =>
      node.known && {
        name: nodeName,
        hostIps: node.hostIps(),
        runtimeName: node.known.runtimeName,
        maxRestartPeriodMs: settings.crashLoopBackOff.maxContainerRestartPeriodMs,
      },
  };
}
