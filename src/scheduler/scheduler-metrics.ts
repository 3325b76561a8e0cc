/** The scheduler's metrics, with upstream's names. */
import { exponentialBuckets, type MetricsRegistry } from '../lib/index.ts';
import { SCHEDULER_NAME } from './scheduler-name.ts';

export type AttemptResult = 'scheduled' | 'unschedulable' | 'error';

export interface SchedulerMetrics {
  /** A decision ended after `seconds`. */
  attempt(result: AttemptResult, seconds: number): void;
  /** A pod got its node at its `attempts`th decision. */
  scheduled(attempts: number): void;
  incoming(queue: string, event: string): void;
  preemption(): void;
  victims(count: number): void;
}

export function createSchedulerMetrics(
  metrics: MetricsRegistry,
  pending: () => Readonly<Record<string, number>>,
): SchedulerMetrics {
  const profile = SCHEDULER_NAME;
  const attempts = metrics.counter({
    name: 'scheduler_schedule_attempts_total',
    help: 'Attempts to schedule a pod, by result.',
    labels: ['result', 'profile'],
  });
  const duration = metrics.histogram({
    name: 'scheduler_scheduling_attempt_duration_seconds',
    help: 'How long a decision took.',
    labels: ['result', 'profile'],
    buckets: exponentialBuckets(0.001, 2, 15),
  });
  const perPod = metrics.histogram({
    name: 'scheduler_pod_scheduling_attempts',
    help: 'Attempts until a pod had its node.',
    buckets: exponentialBuckets(1, 2, 5),
  });
  const preemptions = metrics.counter({
    name: 'scheduler_preemption_attempts_total',
    help: 'Times that making room was considered.',
  });
  const victims = metrics.histogram({
    name: 'scheduler_preemption_victims',
    help: 'Pods ended for one more important.',
    buckets: exponentialBuckets(1, 2, 7),
  });
  const incoming = metrics.counter({
    name: 'scheduler_queue_incoming_pods_total',
    help: 'Pods that came into a queue, and why.',
    labels: ['queue', 'event'],
  });
  const waiting = metrics.gauge({
    name: 'scheduler_pending_pods',
    help: 'Pods that wait for a node, by queue.',
    labels: ['queue'],
  });
  metrics.onCollect(() => {
    for (const [queue, count] of Object.entries(pending())) waiting.set(count, { queue });
  });
  return {
    attempt: (result, seconds) => {
      attempts.inc({ result, profile });
      duration.observe(seconds, { result, profile });
    },
    scheduled: (count) => perPod.observe(count),
    incoming: (queue, event) => incoming.inc({ queue, event }),
    preemption: () => preemptions.inc(),
    victims: (count) => victims.observe(count),
  };
}
