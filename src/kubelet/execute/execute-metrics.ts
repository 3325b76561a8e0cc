/** Upstream's names (pkg/kubelet/metrics). */
import { type Counter, exponentialBuckets, type Histogram, type MetricsRegistry } from '../../lib/index.ts';

export interface ExecuteMetrics {
  readonly startedContainers: Counter;
  readonly startedContainersErrors: Counter;
  readonly recoverySeconds: Histogram;
  readonly startedPods: Counter;
  readonly startedPodsErrors: Counter;
  readonly runSandboxSeconds: Histogram;
  readonly verbSeconds: Histogram;
}

export function executeMetrics(registry: MetricsRegistry): ExecuteMetrics {
  return {
    startedContainers: registry.counter({
      name: 'kubelet_started_containers_total',
      help: 'Containers started.',
      labels: ['container_type'],
    }),
    startedContainersErrors: registry.counter({
      name: 'kubelet_started_containers_errors_total',
      help: 'Container starts that failed.',
      labels: ['container_type', 'code'],
    }),
    recoverySeconds: registry.histogram({
      name: 'mendlet_container_recovery_seconds',
      help: 'From the end of a container to its next start, its back-off included. Ends that somebody asked for do not count.',
      buckets: exponentialBuckets(0.05, 2, 16),
    }),
    startedPods: registry.counter({ name: 'kubelet_started_pods_total', help: 'Sandboxes created.' }),
    startedPodsErrors: registry.counter({
      name: 'kubelet_started_pods_errors_total',
      help: 'Sandbox creations that failed.',
    }),
    runSandboxSeconds: registry.histogram({
      name: 'kubelet_run_podsandbox_duration_seconds',
      help: 'How long creating a sandbox takes.',
      buckets: exponentialBuckets(0.005, 2, 14),
    }),
    verbSeconds: registry.histogram({
      name: 'mendlet_kubelet_action_duration_seconds',
      help: 'How long the actions of a plan take, by verb.',
      labels: ['verb', 'result'],
      buckets: exponentialBuckets(0.001, 2, 16),
    }),
  };
}
