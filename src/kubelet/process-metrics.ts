/** The metrics that every Kubernetes component has of its own process, and the name of this node. */
import type { MetricsRegistry } from '../lib/index.ts';
import type { Meter } from './ports.ts';

export function registerProcessMetrics(
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
  const gauge = (name: string, help: string) => metrics.gauge({ name, help });
  const cpu = metrics.counter({ name: 'process_cpu_seconds_total', help: 'CPU time of this process.' });
  const resident = gauge('process_resident_memory_bytes', 'Memory of this process that is in RAM.');
  const virtual = gauge('process_virtual_memory_bytes', 'Addresses that this process has reserved.');
  const started = gauge('process_start_time_seconds', 'When this process started, Unix time.');
  const open = gauge('process_open_fds', 'Open file descriptors.');
  const most = gauge('process_max_fds', 'Most file descriptors that may be open.');
  let told = 0;
  metrics.onCollect(() => {
    const figures = meter.process('kubelet');
    if (figures === undefined) return;
    const seconds = figures.cpuNanoseconds / 1e9;
    cpu.inc({}, Math.max(0, seconds - told));
    told = Math.max(told, seconds);
    resident.set(figures.residentBytes);
    virtual.set(figures.virtualBytes);
    started.set(figures.startedAt / 1000);
    if (figures.openFiles !== undefined) open.set(figures.openFiles);
    if (figures.maxOpenFiles !== undefined) most.set(figures.maxOpenFiles);
  });
}
