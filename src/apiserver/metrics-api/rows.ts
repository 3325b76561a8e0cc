/** The resources of metrics.k8s.io: nothing of them is stored, so they are not rows of the registry. */
import type { ResourceRow } from '../../api/index.ts';

const GROUP = { group: 'metrics.k8s.io', version: 'v1beta1' } as const;

export const NODE_METRICS: ResourceRow = {
  ...GROUP,
  resource: 'nodes',
  kind: 'NodeMetrics',
  namespaced: false,
  singular: '',
  listKind: 'NodeMetricsList',
  shortNames: [],
  categories: [],
  verbs: ['get', 'list'],
  subresources: [],
};

export const POD_METRICS: ResourceRow = {
  ...NODE_METRICS,
  resource: 'pods',
  kind: 'PodMetrics',
  namespaced: true,
  listKind: 'PodMetricsList',
};

export const METRICS_ROWS: readonly ResourceRow[] = [NODE_METRICS, POD_METRICS];
