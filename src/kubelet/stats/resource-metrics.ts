/** `/metrics/resource`: CPU and memory of node, pods and containers (upstream: pkg/kubelet/metrics/collectors). Pure. */
import { Exposition } from './exposition.ts';
import type { Measurement } from './measurement.ts';

const NANOSECONDS = 1e9;
const MS = 1000;
const CONTAINER = ['container', 'namespace', 'pod'];
const POD = ['namespace', 'pod'];

/** `measured` is `undefined` when nothing could be taken. */
export function resourceMetrics(measured: Measurement | undefined): string {
  const out = new Exposition();
  if (measured !== undefined) writeFigures(out, measured);
  const failed = measured === undefined ? 1 : 0;
  out.family('gauge', 'resource_scrape_error', 'Whether the figures could not be taken (1) or could (0).').add(failed);
  out.family('gauge', 'scrape_error', 'The same, by its old name.').add(failed);
  return out.text();
}

function writeFigures(out: Exposition, { at, machine, pods }: Measurement): void {
  const seconds = (nanoseconds: number | undefined) =>
    nanoseconds === undefined ? undefined : nanoseconds / NANOSECONDS;
  const nodeCpu = out.family(
    'counter',
    'node_cpu_usage_seconds_total',
    'CPU time that the node used, seconds of a core.',
  );
  nodeCpu.add(seconds(machine?.cpu?.usageNanoseconds), {}, at.wall);
  const nodeMemory = out.family('gauge', 'node_memory_working_set_bytes', 'Working set of the node.');
  nodeMemory.add(machine?.memory.workingSetBytes, {}, at.wall);
  const nodeSwap = out.family('gauge', 'node_swap_usage_bytes', 'Swap that the node uses.');
  nodeSwap.add(machine && machine.memory.swapTotalBytes - machine.memory.swapFreeBytes, {}, at.wall);

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
    const labels = { namespace: pod.namespace, pod: pod.name };
    podCpu.add(seconds(pod.figures?.cpu?.usageNanoseconds), labels, at.wall);
    podMemory.add(pod.figures?.memory?.workingSetBytes, labels, at.wall);
    podSwap.add(pod.figures?.memory?.swapBytes, labels, at.wall);
    for (const { name, startedAt, figures } of pod.containers) {
      const own = { ...labels, container: name };
      started.add(startedAt / MS, own);
      cpu.add(seconds(figures?.cpu?.usageNanoseconds), own, at.wall);
      memory.add(figures?.memory?.workingSetBytes, own, at.wall);
      swap.add(figures?.memory?.swapBytes, own, at.wall);
    }
  }
}
