/**
 * The parts that all other parts of the node agent need: metrics, the measured runtime, events, the queue of dirty pods, the
 * desired pods.
 */
import type { ConfigSource } from '../env/config-source.ts';
import { createEventRecorder, type EventRecorder, Informers } from '../../client/index.ts';
import type { ImageService, RuntimeService } from '../../cri/index.ts';
import { createMetrics, type MetricsRegistry, type WorkQueue } from '../../lib/index.ts';
import { DesiredPods } from '../config/desired-pods.ts';
import type { KubeletConfig } from '../configuration.ts';
import { createPodEvents, HEALING_EVENTS } from '../events.ts';
import type { NodeManager } from '../node/node-manager.ts';
import type { NodeCare } from '../node-care.ts';
import type { PodWorkers } from '../pod-workers/pod-workers.ts';
import { createPodQueue } from '../pod-workers/pod-workers.ts';
import type { CriPorts, HostPorts, KubeletPorts, PodPorts } from '../ports.ts';
import { measuredImages, measuredRuntime } from '../runtime-operations.ts';
import { DEFAULT_SETTINGS, type KubeletSettings } from '../settings.ts';
import { createMarkDirty } from '../sync-loop.ts';
import type { MarkDirty, Pleg, PodUID, VolumeEvents } from '../types.ts';
import { Late } from './late.ts';
import { NodeKnowledge } from './node-knowledge.ts';

/** The ports, each by its own name, with a runtime whose calls are counted, and the metrics of all parts. */
export interface Given extends Omit<KubeletPorts, 'cri' | 'host' | 'pods'>, CriPorts, HostPorts, PodPorts {
  readonly metrics: MetricsRegistry;
  readonly settings: KubeletSettings;
}

export function giveMeasured(ports: KubeletPorts, config: Pick<KubeletConfig, 'settings'>): Given {
  const metrics = ports.metrics ?? createMetrics();
  const measuring = { clock: ports.clock, metrics };
  const runtime: RuntimeService = measuredRuntime(ports.cri.runtime, measuring);
  const images: ImageService = measuredImages(ports.cri.images, measuring);
  const { clock, random, logger, client, host, pods } = ports;
  const { settings = DEFAULT_SETTINGS } = config;
  const { plugins } = ports.cri;
  return {
    clock,
    random,
    logger,
    client,
    metrics,
    settings,
    ...host,
    ...pods,
    runtime,
    images,
    ...(plugins && { plugins }),
  };
}

/** The same ports for one part, with a stream of randomness of its own. */
export function givenTo<T extends Pick<Given, 'random'>>(part: string, given: T): T {
  return { ...given, random: given.random.split(part) };
}

export interface Ground {
  /** What is watched at the API server and kept: this node's pods, and services. */
  readonly informers: Informers;
  readonly recorder: EventRecorder;
  readonly events: VolumeEvents;
  readonly queue: WorkQueue<PodUID>;
  readonly markDirty: MarkDirty;
  readonly desired: DesiredPods;
  /** The facts about this node, filled in as they become known. */
  readonly node: NodeKnowledge;
  readonly later: Later;
}

/** Parts that others ask, and that are made after them. */
export interface Later {
  readonly pleg: Late<Pleg>;
  readonly workers: Late<PodWorkers>;
  readonly care: Late<NodeCare>;
  readonly nodeManager: Late<NodeManager>;
  readonly config: Late<ConfigSource>;
}

export function layGround(
  { clock, random, logger, client, metrics }: Pick<Given, 'clock' | 'random' | 'logger' | 'client' | 'metrics'>,
  { nodeName }: Pick<KubeletConfig, 'nodeName'>,
): Ground {
  const recorder = createEventRecorder({
    clock,
    random: random.split('events'),
    logger,
    metrics,
    client,
    component: 'kubelet',
    host: nodeName,
    toldApart: HEALING_EVENTS,
  });
  const informers = new Informers({ client, clock, random: random.split('informers'), logger, metrics });
  const queue = createPodQueue(clock);
  const markDirty = createMarkDirty(queue, logger);
  const later: Later = {
    pleg: new Late('PLEG'),
    workers: new Late('the pod workers'),
    care: new Late("the node's care"),
    nodeManager: new Late('the node manager'),
    config: new Late('the cache of ConfigMaps and Secrets'),
  };
  const node = new NodeKnowledge({
    keepsFree: (signal, bytes) => later.care.it.keepsFree(signal, bytes),
    object: () => later.nodeManager.it.node(),
  });
  const events = createPodEvents(recorder, nodeName);
  return { informers, recorder, events, queue, markDirty, desired: new DesiredPods(markDirty), node, later };
}

/** Whether a pod is wanted, worked on, or seen at the runtime. `undefined`: it is not known yet which pods exist. */
export function knownPods({
  desired,
  later,
}: Pick<Ground, 'desired' | 'later'>): ((uid: PodUID) => boolean) | undefined {
  const pleg = later.pleg.it;
  const workers = later.workers.it;
  if (!desired.synced() || !pleg.synced()) return undefined;
  const observed = new Set(pleg.uids());
  return (uid) => desired.get(uid) !== undefined || workers.has(uid) || observed.has(uid);
}
