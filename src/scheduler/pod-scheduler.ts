/**
 * Decides for one pod after the other, and writes the decisions: bindings and reports overlap, decisions never do. A decision
 * counts at once, long before the watch shows its result.
 */
import { isNotFound, PODS, StatusError } from '../api/index.ts';
import { type EventRecorder, type KubeClient, referenceTo } from '../client/index.ts';
import { type Clock, errorMessage, type Logger, type Random } from '../lib/index.ts';
import { type BindOutcome, bindPod } from './bind-pod.ts';
import { type Chosen, chooseNode, type Unschedulable } from './choose-node.ts';
import type { Cluster } from './cluster/cluster.ts';
import type { PodInfo } from './cluster/pod-info.ts';
import type { SchedulerCache } from './cluster/scheduler-cache.ts';
import type { VolumePromise, VolumePromises } from './cluster/volume-promises.ts';
import type { ClusterWatch } from './cluster-watch.ts';
import { MAX_MESSAGE_LENGTH, TURN_MS, VICTIMS_AT_ONCE, WRITE_CONCURRENCY } from './limits.ts';
import { nodesToFind } from './nodes-to-find.ts';
import { evictVictim } from './preempt/evict-victim.ts';
import type { Nominations } from './preempt/nominations.ts';
import type { Victims } from './preempt/pick-victims.ts';
import { planPreemption } from './preempt/plan-preemption.ts';
import type { QueuedPod } from './queue/queued-pod.ts';
import type { SchedulingQueue } from './queue/scheduling-queue.ts';
import { forgetNomination, reportPatch, type SchedulingReport } from './report-status.ts';
import type { SchedulerMetrics } from './scheduler-metrics.ts';
import { SCHEDULER_NAME } from './scheduler-name.ts';
import { promisesFor } from './filter/volumes.ts';
import type { ClaimBinder } from './volumes/claim-binder.ts';

/** The ports through which the scheduler reads, writes and reports. */
export interface PodSchedulerPorts {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly events: EventRecorder;
  readonly metrics: SchedulerMetrics;
  /** Ends the scheduler. */
  readonly signal: AbortSignal;
}

/** The pods that wait, and the cluster as the next decision sees it. */
export interface SchedulingState {
  readonly queue: SchedulingQueue;
  readonly cache: SchedulerCache;
  readonly cluster: Cluster;
  readonly nominations: Nominations;
  readonly watch: ClusterWatch;
  readonly volumes: { readonly binder: ClaimBinder; readonly promises: VolumePromises };
}

/** A node, and the volumes that the pod's claims are to get there. */
interface Decision extends Chosen {
  readonly promises: readonly VolumePromise[];
}

export class PodScheduler {
  readonly #ports: PodSchedulerPorts;
  readonly #state: SchedulingState;
  readonly #writes = new Set<Promise<void>>();
  /** The writes that wait for volumes, possibly long: they take nobody's place. */
  #waiting = 0;
  #wakeUp: (() => void) | undefined;
  /** Index of the node at which the next search through a big cluster begins. */
  #startAt = 0;

  constructor(ports: PodSchedulerPorts, state: SchedulingState) {
    this.#ports = ports;
    this.#state = state;
  }

  /** Makes `run` look for work. */
  wake(): void {
    this.#wakeUp?.();
  }

  /** Runs until the signal is aborted and the last write has ended. */
  async run(): Promise<void> {
    const { signal, clock } = this.#ports;
    const onAbort = (): void => this.wake();
    signal.addEventListener('abort', onAbort, { once: true });
    while (!signal.aborted) {
      const woken = new Promise<void>((resolve) => {
        this.#wakeUp = resolve;
      });
      const isDone = this.#decideForAWhile();
      if (isDone) await woken;
      else await clock.sleep(0, signal).catch(() => {});
    }
    await Promise.all(this.#writes);
    signal.removeEventListener('abort', onAbort);
  }

  /** @returns false when work is left and the event loop must get its turn first */
  #decideForAWhile(): boolean {
    const { clock, signal } = this.#ports;
    const { queue } = this.#state;
    const until = clock.now().mono + TURN_MS;
    while (!signal.aborted && this.#writes.size - this.#waiting < WRITE_CONCURRENCY) {
      const pod = queue.pop();
      if (pod === undefined) return true;
      this.#decide(pod);
      if (clock.now().mono >= until) return false;
    }
    return true;
  }

  #decide(pod: QueuedPod): void {
    const { random, clock, logger } = this.#ports;
    const { cluster, nominations, cache, queue } = this.#state;
    const { info } = pod;
    const startedAt = clock.now().mono;
    try {
      const choice = chooseNode(info, cluster, {
        random,
        nominated: (nodeName) => nominations.on(nodeName),
        startAt: this.#startAt,
        now: clock.now().wall,
      });
      this.#startAt = (this.#startAt + nodesToFind(cluster.nodes.length)) % Math.max(1, cluster.nodes.length);
      if (choice.kind === 'node') {
        // The room is counted as taken from here on, so that no other pod is promised it.
        cache.assume(info, choice.nodeName);
        const promises = promisesFor(info, choice.nodeName, cluster);
        this.#state.volumes.promises.make(info.key, promises);
        this.#write(this.#bind(pod, info, { ...choice, promises }, startedAt));
      } else {
        this.#write(this.#refuse(pod, info, choice, startedAt));
      }
    } catch (error) {
      logger.error('deciding panicked', { pod: pod.key, error });
      this.#count('error', startedAt);
      queue.fail(pod);
    }
  }

  #write(work: Promise<void>): void {
    const { logger } = this.#ports;
    const write: Promise<void> = work
      .catch((error: unknown) => logger.error('scheduling panicked', { error }))
      .finally(() => {
        this.#writes.delete(write);
        this.wake();
      });
    this.#writes.add(write);
  }

  async #bind(pod: QueuedPod, info: PodInfo, decision: Decision, startedAt: number): Promise<void> {
    const { events, metrics, logger, signal } = this.#ports;
    const { cache, queue, watch, nominations } = this.#state;
    const { nodeName, avoided } = decision;
    const outcome = await this.#bindVolumesAndPod(info, decision);
    if (signal.aborted && outcome.kind !== 'bound') return;
    if (outcome.kind === 'bound') {
      this.#count('scheduled', startedAt);
      metrics.scheduled(pod.attempts);
      if (queue.get(info.key) === pod) nominations.delete(info.key);
      queue.done(pod);
      const text = `Successfully assigned ${info.key} to ${nodeName}${avoided === undefined ? '' : `: ${avoided}`}`;
      events.event(referenceTo(info.pod), 'Normal', 'Scheduled', text);
      return;
    }
    // If the watch has shown the pod's binding or end meanwhile, the cache keeps that.
    if (cache.forget(info)) watch.tell({ kind: 'pod-gone', pod: info });
    this.#count('error', startedAt);
    if (outcome.kind === 'not-ours') {
      // The watch will show the pod's state; if the pod waits for us after all, the retry finds it.
      logger.info('pod is not ours to bind any more', { pod: info.key, node: nodeName });
      queue.fail(pod);
      return;
    }
    const isOfVolumes = outcome.kind === 'no-volumes';
    const message = isOfVolumes ? outcome.message : errorMessage(outcome.error);
    logger.warn('binding failed, trying again', { pod: info.key, node: nodeName, error: message });
    queue.fail(pod);
    if (!isOfVolumes && !(outcome.error instanceof StatusError)) return;
    const report = isOfVolumes ? message : `binding rejected: ${message}`;
    this.#tellFailure(info, report);
    await this.#report(info, { reason: 'SchedulerError', message: report });
  }

  /** The pod's claims get their volumes before the pod gets its node. */
  async #bindVolumesAndPod(
    info: PodInfo,
    { nodeName, promises }: Decision,
  ): Promise<BindOutcome | { readonly kind: 'no-volumes'; readonly message: string }> {
    const { cache, volumes } = this.#state;
    if (promises.length > 0) {
      this.#waiting += 1;
      this.wake();
      const outcome = await volumes.binder.bind(info, nodeName, promises).finally(() => {
        this.#waiting -= 1;
      });
      if (outcome.kind === 'failed') return { kind: 'no-volumes', message: outcome.message };
      if (outcome.kind === 'not-ours') return outcome;
    }
    return bindPod(info, nodeName, { ...this.#ports, nodeExists: () => cache.node(nodeName) !== undefined });
  }

  async #refuse(pod: QueuedPod, info: PodInfo, choice: Unschedulable, startedAt: number): Promise<void> {
    const { random, metrics } = this.#ports;
    const { queue, cluster, nominations } = this.#state;
    const hasNodes = cluster.nodes.length > 0;
    if (hasNodes) metrics.preemption();
    const plan = hasNodes ? planPreemption(info, choice, cluster, random) : undefined;
    queue.hold(pod, choice.rejectedBy);
    this.#count('unschedulable', startedAt);
    try {
      if (plan?.kind === 'preempt') {
        nominations.set(info, plan.victims.nodeName);
        this.#tellFailure(info, choice.message);
        await this.#report(info, {
          reason: 'Unschedulable',
          message: choice.message,
          nominatedNodeName: plan.victims.nodeName,
        });
        await this.#makeRoom(pod, info, plan.victims);
        return;
      }
      const message =
        plan === undefined ? choice.message : `${choice.message} no new claims to deallocate, ${plan.message}`;
      if (plan?.forgetNomination === true) nominations.delete(info.key);
      this.#tellFailure(info, message);
      await this.#report(info, {
        reason: 'Unschedulable',
        message,
        ...(plan?.forgetNomination === true ? { nominatedNodeName: null } : {}),
      });
    } finally {
      queue.release(pod);
    }
  }

  async #makeRoom(pod: QueuedPod, info: PodInfo, { nodeName, pods }: Victims): Promise<void> {
    const { metrics, events, logger, client, signal } = this.#ports;
    const { nominations, queue } = this.#state;
    metrics.victims(pods.length);
    const lesser = [...nominations.on(nodeName)].filter(({ priority }) => priority < info.priority);
    for (const other of lesser) {
      // The room that was promised to a pod of lower priority may not exist any more: that pod is tried again at once.
      nominations.delete(other.key);
      queue.moveOne(other.key, 'NominationCleared');
      await forgetNomination(client, other.pod, signal).catch((error: unknown) => {
        if (!isNotFound(error))
          logger.warn('could not clear a nomination', { pod: other.key, error: errorMessage(error) });
      });
    }
    for (let from = 0; from < pods.length; from += VICTIMS_AT_ONCE) {
      const ended = await Promise.allSettled(
        pods.slice(from, from + VICTIMS_AT_ONCE).map(async (victim) => {
          const schedulerName = info.pod.spec?.schedulerName ?? SCHEDULER_NAME;
          if (!(await evictVictim(victim, schedulerName, this.#ports))) return;
          const text = `Preempted by pod ${info.uid} on node ${nodeName}`;
          events.event(referenceTo(victim.pod), 'Normal', 'Preempted', text);
        }),
      );
      for (const each of ended) {
        if (each.status === 'fulfilled' || signal.aborted) continue;
        logger.warn('could not preempt, deciding again', { pod: info.key, error: errorMessage(each.reason) });
        queue.moveOne(pod.key, 'PreemptionFailed');
      }
    }
  }

  #tellFailure({ pod }: PodInfo, message: string): void {
    const note = message.length > MAX_MESSAGE_LENGTH ? `${message.slice(0, MAX_MESSAGE_LENGTH - 4)} ...` : message;
    this.#ports.events.event(referenceTo(pod), 'Warning', 'FailedScheduling', note);
  }

  async #report({ pod, key, namespace }: PodInfo, report: SchedulingReport): Promise<void> {
    const { client, clock, signal, logger } = this.#ports;
    const patch = reportPatch(pod, report, clock.now().wall);
    if (patch === undefined) return;
    try {
      await client.patch(PODS, namespace, pod.metadata?.name ?? '', 'strategic', patch, 'status', signal);
    } catch (error) {
      if (signal.aborted || isNotFound(error)) return;
      // Only the explanation is missing; it comes with the next attempt.
      logger.warn('could not report an unschedulable pod', { pod: key, error: errorMessage(error) });
    }
  }

  #count(result: 'scheduled' | 'unschedulable' | 'error', startedAt: number): void {
    this.#ports.metrics.attempt(result, (this.#ports.clock.now().mono - startedAt) / 1000);
  }
}
