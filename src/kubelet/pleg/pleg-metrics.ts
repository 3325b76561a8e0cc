/** PLEG's metrics, under upstream's names (pkg/kubelet/metrics). */
import { type Counter, DEFAULT_BUCKETS, type Gauge, type Histogram, type MetricsRegistry } from '../../lib/index.ts';

export interface PlegMetrics {
  readonly relistDuration: Histogram;
  readonly relistInterval: Histogram;
  readonly podRelistDuration: Histogram;
  readonly lastSeen: Gauge;
  readonly discarded: Counter;
  readonly runningPods: Gauge;
  readonly runningContainers: Gauge;
  readonly connectionErrors: Counter;
  readonly connectionSuccesses: Counter;
  readonly connectionLatency: Histogram;
  readonly silentStreams: Counter;
  readonly mode: Gauge;
  readonly modeChanges: Counter;
}

export function plegMetrics(registry: MetricsRegistry): PlegMetrics {
  const histogram = (name: string, help: string): Histogram =>
    registry.histogram({ name, help, buckets: DEFAULT_BUCKETS });
  return {
    relistDuration: histogram('kubelet_pleg_relist_duration_seconds', 'Time that one relist took.'),
    relistInterval: histogram('kubelet_pleg_relist_interval_seconds', 'Time between the beginnings of two relists.'),
    podRelistDuration: histogram(
      'kubelet_pleg_pod_relist_duration_seconds',
      'Time that reading one pod on demand took.',
    ),
    lastSeen: registry.gauge({
      name: 'kubelet_pleg_last_seen_seconds',
      help: 'Unix time of the last successful relist.',
    }),
    discarded: registry.counter({
      name: 'kubelet_pleg_discard_events',
      help: 'Runtime events left to the relist because too many were being read.',
    }),
    runningPods: registry.gauge({ name: 'kubelet_running_pods', help: 'Pods with a ready sandbox.' }),
    runningContainers: registry.gauge({
      name: 'kubelet_running_containers',
      help: 'Containers by state.',
      labels: ['container_state'],
    }),
    connectionErrors: registry.counter({
      name: 'kubelet_evented_pleg_connection_error_count',
      help: 'Event streams that failed.',
    }),
    connectionSuccesses: registry.counter({
      name: 'kubelet_evented_pleg_connection_success_count',
      help: 'Event streams that were established.',
    }),
    connectionLatency: histogram(
      'kubelet_evented_pleg_connection_latency_seconds',
      'Time from asking for the event stream until it stood.',
    ),
    silentStreams: registry.counter({
      name: 'mendlet_pleg_silent_streams_total',
      help: 'Event streams given up because nothing came for a change that a relist found.',
    }),
    mode: registry.gauge({
      name: 'mendlet_pleg_mode',
      help: '1 for the mode that PLEG is in.',
      labels: ['mode'],
    }),
    modeChanges: registry.counter({
      name: 'mendlet_pleg_mode_changes_total',
      help: 'Changes of PLEG to this mode, the first one included.',
      labels: ['mode'],
    }),
  };
}
