/**
 * Binds each pending pod to a node that fits as soon as its ADDED event arrives. A pod that fits nowhere waits for an event that
 * may help and for its back-off; nothing polls.
 */
import { type Candidacy, createEventRecorder, Informers, type KubeClient, runElected } from '../client/index.ts';
import type { Clock, Logger, MetricsRegistry, Random } from '../lib/index.ts';
import { ClusterWatch } from './cluster-watch.ts';
import { VolumePromises } from './cluster/volume-promises.ts';
import { ClaimBinder } from './volumes/claim-binder.ts';
import { SchedulerCache } from './cluster/scheduler-cache.ts';
import { PodScheduler } from './pod-scheduler.ts';
import { Nominations } from './preempt/nominations.ts';
import { SchedulingQueue } from './queue/scheduling-queue.ts';
import { createSchedulerMetrics } from './scheduler-metrics.ts';
import { SCHEDULER_NAME } from './scheduler-name.ts';
import { clusterOf, SOURCE_INDEXES, sourcesOf } from './sources.ts';

const NOBODY = { active: 0, backoff: 0, unschedulable: 0, gated: 0 };

export interface SchedulerOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: MetricsRegistry;
  /** Present: the scheduler is one of several and works only while it leads. Absent: it is the only one. */
  readonly leaderElection?: Candidacy;
}

/** Runs until the signal is aborted and the last binding has ended. */
export async function runScheduler(options: SchedulerOptions, signal: AbortSignal): Promise<void> {
  const { leaderElection } = options;
  if (leaderElection === undefined) return runAlone(options, signal);
  const election = { ...options, candidacy: leaderElection, name: 'kube-scheduler' };
  return runElected(election, signal, (client, term) => runAlone({ ...options, client }, term));
}

async function runAlone(options: SchedulerOptions, signal: AbortSignal): Promise<void> {
  const { client, clock, random, logger } = options;
  const informers = new Informers({ ...options, indexes: SOURCE_INDEXES });
  const sources = sourcesOf(informers);
  const events = createEventRecorder({ ...options, random: random.split('events'), component: SCHEDULER_NAME });
  const cache = new SchedulerCache();
  const promises = new VolumePromises(clock);
  const cluster = clusterOf(cache, sources, promises);
  const binder = new ClaimBinder(
    { client, clock, signal, onForgotten: () => watch.tell({ kind: 'volume' }) },
    cluster,
    sources,
    promises,
  );
  const nominations = new Nominations();
  const metrics = createSchedulerMetrics(options.metrics, () => {
    const { active, backoff, unschedulable } = queue.sizes;
    // A scheduler that does not lead any more has no waiting pods.
    return signal.aborted ? NOBODY : { active, backoff, unschedulable, gated: watch.gated };
  });
  const queue = new SchedulingQueue({
    clock,
    onReady: () => scheduler.wake(),
    onIncoming: (place, event) => metrics.incoming(place, event),
  });
  const watch = new ClusterWatch({ cache, cluster, nominations, queue, binder });
  const scheduler = new PodScheduler(
    { client, clock, random, logger, events, metrics, signal },
    { queue, cache, cluster, nominations, watch, volumes: { binder, promises } },
  );
  watch.listen(sources);
  signal.addEventListener('abort', () => queue.close(), { once: true });
  const work = async (): Promise<void> => {
    try {
      await informers.waitForSync(signal);
    } catch {
      return;
    }
    await scheduler.run();
  };
  await Promise.all([informers.run(signal), events.run(signal), work()]);
}
