/**
 * Applies watch events to cache, nominations and queue, in that order, so that a decision that an event causes sees the
 * event.
 */
import {
  equalJson,
  type Namespace,
  type Node,
  type PersistentVolumeClaim,
  type Pod,
  SELECTED_NODE,
  VOLUME_SPACE_ANNOTATION,
} from '../api/index.ts';
import type { Change } from '../client/index.ts';
import type { Cluster } from './cluster/cluster.ts';
import { hasEnded, type PodInfo, podInfo } from './cluster/pod-info.ts';
import type { SchedulerCache } from './cluster/scheduler-cache.ts';
import type { SchedulerSources } from './sources.ts';
import { isGated, isOurs } from './pending.ts';
import type { Nominations } from './preempt/nominations.ts';
import { newsOfCapacity, newsOfDriver, newsOfNode } from './queue/driver-news.ts';
import { type ClusterEvent, type DriverNews, eventLabel } from './queue/cluster-event.ts';
import { mayHelp } from './queue/may-help.ts';
import type { SchedulingQueue } from './queue/scheduling-queue.ts';
import type { ClaimBinder } from './volumes/claim-binder.ts';

/** The parts that events change. */
export interface WatchedState {
  readonly cache: SchedulerCache;
  readonly cluster: Cluster;
  readonly nominations: Nominations;
  readonly queue: SchedulingQueue;
  readonly binder: ClaimBinder;
}

export class ClusterWatch {
  readonly #binder: ClaimBinder;
  readonly #cache: SchedulerCache;
  readonly #cluster: Cluster;
  readonly #nominations: Nominations;
  readonly #queue: SchedulingQueue;
  readonly #gated = new Set<string>();

  constructor({ cache, cluster, nominations, queue, binder }: WatchedState) {
    this.#cache = cache;
    this.#cluster = cluster;
    this.#nominations = nominations;
    this.#queue = queue;
    this.#binder = binder;
  }

  /** The number of pods that scheduling gates hold back. */
  get gated(): number {
    return this.#gated.size;
  }

  listen(sources: SchedulerSources): void {
    sources.pods.onChange((change) => {
      this.#onPod(change);
      this.#binder.poke(change.key);
    });
    sources.nodes.onChange((change) => {
      this.#onNode(change);
      if (change.type === 'delete') this.#binder.poke();
    });
    sources.claims.onChange((change) => this.#onClaim(change));
    sources.volumes.onChange(({ object }) => {
      // One that is gone gives its room back.
      this.tell({ kind: 'volume' });
      const { namespace, name } = object.spec?.claimRef ?? {};
      if (name !== undefined) this.#binder.poke(`${namespace}/${name}`);
    });
    sources.storageClasses.onChange(({ type }) => {
      if (type === 'apply') this.tell({ kind: 'volume' });
    });
    this.#listenToDrivers(sources);
    sources.namespaces.onChange((change) => this.#onNamespace(change));
  }

  #listenToDrivers({ csiNodes, csiDrivers, capacities, attachments }: SchedulerSources): void {
    const tell = (news: DriverNews | undefined): void => {
      if (news !== undefined) this.tell({ kind: 'driver', news });
    };
    csiNodes.onChange((change) => tell(newsOfNode(change)));
    csiDrivers.onChange((change) => tell(newsOfDriver(change)));
    capacities.onChange((change) => tell(newsOfCapacity(change)));
    attachments.onChange(({ type }) => tell(type === 'delete' ? 'VolumeAttachmentDelete' : undefined));
  }

  /** Moves the pods that the event may help. */
  tell(event: ClusterEvent): void {
    this.#queue.move(eventLabel(event), ({ info, rejectedBy }) =>
      mayHelp({ pod: info, rejectedBy }, event, this.#cluster.namespaceLabels),
    );
  }

  #onClaim({ type, key, object }: Change<PersistentVolumeClaim>): void {
    if (type === 'apply') this.tell({ kind: 'claim', claim: object });
    // A volume that was to be made for it needs no room any more.
    else if (object.metadata?.annotations?.[SELECTED_NODE] !== undefined) this.tell({ kind: 'volume' });
    this.#binder.poke(key);
  }

  #onPod(change: Change<Pod>): void {
    const { key, object } = change;
    if (change.type === 'delete') {
      const held = this.#holdsRoom(object);
      this.#cache.deletePod(key);
      this.#leaveQueue(key);
      if (held) this.tell({ kind: 'pod-gone', pod: podInfo(object) });
      return;
    }
    this.#cache.setPod(object);
    if (isOurs(object)) this.#onWaiting(object, change.previous);
    else this.#onSettled(object, change.previous);
  }

  #holdsRoom(pod: Pod): boolean {
    const info = podInfo(pod);
    const hasNode = (pod.spec?.nodeName ?? '') !== '' && !hasEnded(pod);
    return hasNode || this.#cache.isAssumed(info.key) || this.#nominations.nodeOf(info.key) !== undefined;
  }

  #leaveQueue(key: string): void {
    this.#nominations.delete(key);
    this.#queue.delete(key);
    this.#gated.delete(key);
  }

  #onWaiting(pod: Pod, previous: Pod | undefined): void {
    const info = podInfo(pod);
    if (isGated(pod)) {
      this.#gated.add(info.key);
      return;
    }
    this.#gated.delete(info.key);
    const loses = this.#followNomination(info, previous);
    // A pod that is being bound stays in the queue, in case the binding fails.
    if (this.#queue.get(info.key) === undefined) {
      if (!this.#cache.isAssumed(info.key)) this.#queue.add(info, 'UnscheduledPodAdd');
      return;
    }
    this.#queue.update(info);
    if (loses || (previous !== undefined && isOtherWish(pod, previous))) {
      this.#queue.moveOne(info.key, 'UnscheduledPodUpdate');
    }
  }

  /**
   * A nomination in the status counts when it changed; a nomination of ours that the status does not show yet stays.
   * @returns whether the pod lost its nomination
   */
  #followNomination(info: PodInfo, previous: Pod | undefined): boolean {
    const before = previous?.status?.nominatedNodeName ?? '';
    const now = info.pod.status?.nominatedNodeName ?? '';
    if (before !== now) {
      if (now !== '') this.#nominations.set(info, now);
      else this.#nominations.delete(info.key);
      return now === '';
    }
    const promised = this.#nominations.nodeOf(info.key);
    if (promised !== undefined) this.#nominations.set(info, promised);
    return false;
  }

  #onSettled(pod: Pod, previous: Pod | undefined): void {
    const info = podInfo(pod);
    const hadPromise = this.#nominations.nodeOf(info.key) !== undefined;
    this.#leaveQueue(info.key);
    const hadNode = previous !== undefined && (previous.spec?.nodeName ?? '') !== '' && !hasEnded(previous);
    const hasNode = (pod.spec?.nodeName ?? '') !== '' && !hasEnded(pod);
    if (hasNode) {
      if (!hadNode || previous === undefined) {
        this.tell({ kind: 'pod-placed', pod: info, before: undefined });
        return;
      }
      const before = podInfo(previous);
      if (before.ending !== info.ending || !equalJson(before.labels, info.labels)) {
        this.tell({ kind: 'pod-placed', pod: info, before });
      }
      if (takesLess(info, before)) this.tell({ kind: 'pod-shrunk', pod: info });
    } else if (hadNode || hadPromise) {
      this.tell({ kind: 'pod-gone', pod: info });
    }
  }

  #onNode(change: Change<Node>): void {
    const { object } = change;
    if (change.type === 'delete') {
      this.#cache.deleteNode(object.metadata?.name ?? '');
      this.tell({ kind: 'node-gone' });
      return;
    }
    const info = this.#cache.setNode(object);
    if (info === undefined) this.tell({ kind: 'node-gone' });
    else if (change.previous === undefined || !equalJson(fittingPart(object), fittingPart(change.previous))) {
      this.tell({ kind: 'node', info, before: change.previous });
    }
  }

  #onNamespace(change: Change<Namespace>): void {
    if (change.type === 'delete') return;
    if (!equalJson(change.object.metadata?.labels, change.previous?.metadata?.labels)) this.tell({ kind: 'namespace' });
  }
}

/** The parts of a node that filters look at; heartbeats are none of them. */
function fittingPart({ metadata, spec, status }: Node): unknown {
  const space = metadata?.annotations?.[VOLUME_SPACE_ANNOTATION];
  return [metadata?.labels, space, spec?.taints, spec?.unschedulable, status?.allocatable];
}

/** Whether the pod changed so that it may fit in an unchanged cluster. */
function isOtherWish(pod: Pod, previous: Pod): boolean {
  return (
    pod.metadata?.generation !== previous.metadata?.generation ||
    !equalJson(pod.metadata?.labels, previous.metadata?.labels) ||
    isGated(previous)
  );
}

function takesLess({ amounts }: PodInfo, before: PodInfo): boolean {
  return Object.entries(before.amounts).some(([name, amount]) => (amounts[name] ?? 0) < amount);
}
