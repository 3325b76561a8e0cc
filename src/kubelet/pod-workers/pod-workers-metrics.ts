/** Upstream's names (pkg/kubelet/metrics). */
import { type Counter, exponentialBuckets, type Histogram, type MetricsRegistry } from '../../lib/index.ts';

export interface PodWorkersMetrics {
  readonly passSeconds: Histogram;
  readonly startSeconds: Histogram;
  readonly panics: Counter;
  readonly restarted: Counter;
  readonly terminated: Counter;
  readonly podRestarts: Counter;
}

export function podWorkersMetrics(registry: MetricsRegistry): PodWorkersMetrics {
  return {
    passSeconds: registry.histogram({
      name: 'kubelet_pod_worker_duration_seconds',
      help: 'How long one pass over one pod takes.',
      labels: ['operation_type'],
      buckets: exponentialBuckets(0.0005, 2, 16),
    }),
    startSeconds: registry.histogram({
      name: 'kubelet_pod_start_duration_seconds',
      help: 'From the first sight of a pod to all of its containers running.',
      buckets: [0.1, 0.25, 0.5, 1, 2, 3, 4, 5, 6, 8, 10, 20, 30, 45, 60, 120, 180, 240, 300, 360, 480, 600, 900, 1800],
    }),
    panics: registry.counter({ name: 'mendlet_kubelet_pod_worker_panics_total', help: 'Passes that broke.' }),
    restarted: registry.counter({
      name: 'kubelet_restarted_pods_total',
      help: 'Pods that came back with the same UID before they had ended.',
      labels: ['static'],
    }),
    terminated: registry.counter({
      name: 'kubelet_terminated_containers_total',
      help: 'Containers that ended.',
      labels: ['container_type', 'exit_code', 'reason'],
    }),
    podRestarts: registry.counter({
      name: 'mendlet_pod_restarts_total',
      help: 'Restarts that were asked for, or that the healing ladder began, by how they ended.',
      labels: ['scope', 'source', 'result'],
    }),
  };
}
