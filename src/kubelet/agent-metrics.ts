/** What this node agent is, and what its process uses. */
import { type MetricsRegistry, registerProcessMetrics } from '../lib/index.ts';
import type { Meter } from './ports.ts';

export function registerAgentMetrics(
  metrics: MetricsRegistry,
  {
    nodeName,
    version,
    meter,
  }: { readonly nodeName: string; readonly version: string; readonly meter: Pick<Meter, 'process'> },
): void {
  metrics
    .gauge({ name: 'kubelet_node_name', help: "The node's name; always 1.", labels: ['node'] })
    .set(1, { node: nodeName });
  const [, major = '', minor = ''] = /^v(\d+)\.(\d+)/.exec(version) ?? [];
  metrics
    .gauge({
      name: 'kubernetes_build_info',
      help: 'What this is; always 1.',
      labels: ['git_version', 'major', 'minor'],
    })
    .set(1, { git_version: version, major, minor });
  registerProcessMetrics(metrics, () => meter.process('kubelet'));
}
