/** What routing tells of itself, under kube-proxy's names where it has them (k8s pkg/proxy/metrics/metrics.go). */
import { exponentialBuckets, type MetricsRegistry } from '../../lib/index.ts';

export type RouterMetrics = ReturnType<typeof routerMetrics>;

const SYNC_BUCKETS = exponentialBuckets(0.001, 2, 15);
/** Upstream's: from a quarter of a second to minutes; ours begin where it matters here. */
const PROGRAMMING_BUCKETS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 3, 5, 10, 20, 40, 60, 120, 300];

export function routerMetrics(metrics: MetricsRegistry) {
  const counter = (name: string, help: string) => metrics.counter({ name, help });
  const histogram = (name: string, help: string, buckets: readonly number[]) =>
    metrics.histogram({ name, help, buckets });
  const gauge = (name: string, help: string) => metrics.gauge({ name, help });
  return {
    sync: histogram('kubeproxy_sync_proxy_rules_duration_seconds', 'Time of one transaction of rules.', SYNC_BUCKETS),
    fullSync: histogram(
      'kubeproxy_sync_full_proxy_rules_duration_seconds',
      'Time of one load of all rules.',
      SYNC_BUCKETS,
    ),
    partialSync: histogram(
      'kubeproxy_sync_partial_proxy_rules_duration_seconds',
      'Time of one transaction of changes alone.',
      SYNC_BUCKETS,
    ),
    programming: histogram(
      'kubeproxy_network_programming_duration_seconds',
      'Time from the change of a pod or service, as its slice tells, to the rules.',
      PROGRAMMING_BUCKETS,
    ),
    serviceChanges: counter('kubeproxy_sync_proxy_rules_service_changes_total', 'Services that changed.'),
    endpointChanges: counter('kubeproxy_sync_proxy_rules_endpoint_changes_total', 'Services whose endpoints changed.'),
    failures: counter('kubeproxy_sync_proxy_rules_nftables_sync_failures_total', 'Transactions that nft refused.'),
    lastSync: gauge('kubeproxy_sync_proxy_rules_last_timestamp_seconds', 'Time of the last transaction.'),
    noLocal: metrics.gauge({
      name: 'kubeproxy_sync_proxy_rules_no_local_endpoints_total',
      help: 'Services with the policy Local and without an endpoint here.',
      labels: ['traffic_policy'],
    }),
    verdicts: counter(
      'mendlet_router_local_changes_total',
      'Changes of services that this node made by its own knowledge, before the API server.',
    ),
    restored: counter(
      'mendlet_router_rules_restored_total',
      'How often rules that somebody removed were brought back.',
    ),
    forgotten: counter('mendlet_router_udp_flows_forgotten_total', 'UDP flows to endpoints that are dead.'),
  };
}
