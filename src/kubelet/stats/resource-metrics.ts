/** `/metrics/resource`: CPU and memory of node, pods and containers (upstream: pkg/kubelet/metrics/collectors). Pure. */
import { parseTime } from '../../lib/index.ts';
import { Exposition } from './exposition.ts';
import type { Summary } from './summary.ts';

const NANOSECONDS = 1e9;
const MS = 1000;
const CONTAINER = ['container', 'namespace', 'pod'];
const POD = ['namespace', 'pod'];

/** `summary` is `undefined` when it could not be taken. */
export function resourceMetrics(summary: Summary | undefined): string {
  const out = new Exposition();
  if (summary !== undefined) writeSummary(out, summary);
  const failed = summary === undefined ? 1 : 0;
  out.family('gauge', 'resource_scrape_error', 'Whether the figures could not be taken (1) or could (0).').add(failed);
  out.family('gauge', 'scrape_error', 'The same, by its old name.').add(failed);
  return out.text();
}

function writeSummary(out: Exposition, { node, pods }: Summary): void {
  const seconds = (nanoseconds: number | undefined) =>
    nanoseconds === undefined ? undefined : nanoseconds / NANOSECONDS;
  const nodeCpu = out.family(
    'counter',
    'node_cpu_usage_seconds_total',
    'CPU time that the node used, seconds of a core.',
  );
  nodeCpu.add(seconds(node.cpu?.usageCoreNanoSeconds), {}, parseTime(node.cpu?.time));
  const nodeMemory = out.family('gauge', 'node_memory_working_set_bytes', 'Working set of the node.');
  nodeMemory.add(node.memory?.workingSetBytes, {}, parseTime(node.memory?.time));
  const nodeSwap = out.family('gauge', 'node_swap_usage_bytes', 'Swap that the node uses.');
  nodeSwap.add(node.swap?.swapUsageBytes, {}, parseTime(node.swap?.time));

  const started = out.family(
    'gauge',
    'container_start_time_seconds',
    'When the container started, Unix time.',
    CONTAINER,
  );
  const cpu = out.family(
    'counter',
    'container_cpu_usage_seconds_total',
    'CPU time that the container used, seconds of a core.',
    CONTAINER,
  );
  const memory = out.family('gauge', 'container_memory_working_set_bytes', 'Working set of the container.', CONTAINER);
  const swap = out.family('gauge', 'container_swap_usage_bytes', 'Swap that the container uses.', CONTAINER);
  const podCpu = out.family(
    'counter',
    'pod_cpu_usage_seconds_total',
    'CPU time that the pod used, seconds of a core.',
    POD,
  );
  const podMemory = out.family('gauge', 'pod_memory_working_set_bytes', 'Working set of the pod.', POD);
  const podSwap = out.family('gauge', 'pod_swap_usage_bytes', 'Swap that the pod uses.', POD);
  for (const pod of pods) {
    const labels = { namespace: pod.podRef.namespace, pod: pod.podRef.name };
    podCpu.add(seconds(pod.cpu?.usageCoreNanoSeconds), labels, parseTime(pod.cpu?.time));
    podMemory.add(pod.memory?.workingSetBytes, labels, parseTime(pod.memory?.time));
    podSwap.add(pod.swap?.swapUsageBytes, labels, parseTime(pod.swap?.time));
    for (const container of pod.containers) {
      const own = { ...labels, container: container.name };
      const startedAt = parseTime(container.startTime);
      started.add(startedAt === undefined ? undefined : startedAt / MS, own);
      cpu.add(seconds(container.cpu?.usageCoreNanoSeconds), own, parseTime(container.cpu?.time));
      memory.add(container.memory?.workingSetBytes, own, parseTime(container.memory?.time));
      swap.add(container.swap?.swapUsageBytes, own, parseTime(container.swap?.time));
    }
  }
}
