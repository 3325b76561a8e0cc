/** The `workqueue_*` metrics of Kubernetes' controllers, for any named queue. */
import type { Clock } from './clock.ts';
import { exponentialBuckets, type MetricsRegistry } from './metrics.ts';
import type { WorkQueue, WorkQueueObserver } from './work-queue.ts';

/** The buckets of controller-runtime and component-base: 10 ns to 10 s, each ten times the last. */
const QUEUE_BUCKETS = exponentialBuckets(1e-8, 10, 10);

/** An observer for the queue named `name`. */
export function workQueueObserver(metrics: MetricsRegistry, name: string): WorkQueueObserver {
  const labels = { name };
  const names = ['name'];
  const depth = metrics.gauge({ name: 'workqueue_depth', help: 'Keys ready and not yet taken up.', labels: names });
  const adds = metrics.counter({ name: 'workqueue_adds_total', help: 'Keys added.', labels: names });
  const retries = metrics.counter({ name: 'workqueue_retries_total', help: 'Rate-limited re-adds.', labels: names });
  const waited = metrics.histogram({
    name: 'workqueue_queue_duration_seconds',
    help: 'How long a key was ready before it was taken up.',
    labels: names,
    buckets: QUEUE_BUCKETS,
  });
  const worked = metrics.histogram({
    name: 'workqueue_work_duration_seconds',
    help: 'How long handling a key took.',
    labels: names,
    buckets: QUEUE_BUCKETS,
  });
  return {
    added: (size) => {
      adds.inc(labels);
      depth.set(size, labels);
    },
    taken: (size, waitedMs) => {
      depth.set(size, labels);
      waited.observe(waitedMs / 1000, labels);
    },
    finished: (workedMs) => worked.observe(workedMs / 1000, labels),
    retried: () => retries.inc(labels),
  };
}

/** Adds the two gauges that show stuck handlers, computed at every exposition. */
export function exposeUnfinishedWork(
  metrics: MetricsRegistry,
  name: string,
  clock: Clock,
  queue: Pick<WorkQueue<unknown>, 'inFlight'>,
): void {
  const labels = { name };
  const unfinished = metrics.gauge({
    name: 'workqueue_unfinished_work_seconds',
    help: 'Seconds of work in progress, over all keys in flight.',
    labels: ['name'],
  });
  const longest = metrics.gauge({
    name: 'workqueue_longest_running_processor_seconds',
    help: 'How long the longest running handler has been at it.',
    labels: ['name'],
  });
  metrics.onCollect(() => {
    const { mono } = clock.now();
    let sum = 0;
    let max = 0;
    for (const since of queue.inFlight.values()) {
      sum += mono - since;
      max = Math.max(max, mono - since);
    }
    unfinished.set(sum / 1000, labels);
    longest.set(max / 1000, labels);
  });
}
