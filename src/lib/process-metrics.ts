/** The metrics that every component has of its own process. */
import type { MetricsRegistry } from './metrics.ts';

export interface ProcessUsage {
  /** Wall ms. */
  readonly startedAt: number;
  readonly cpuNanoseconds: number;
  readonly virtualBytes: number;
  readonly residentBytes: number;
  /** Absent: not known. */
  readonly openFiles?: number;
  readonly maxOpenFiles?: number;
}

/** @param read what the process uses now, at each scrape; undefined: it cannot be said. What it lacks at first has no metric. */
export function registerProcessMetrics(metrics: MetricsRegistry, read: () => ProcessUsage | undefined): void {
  const gauge = (name: string, help: string) => metrics.gauge({ name, help });
  const cpu = metrics.counter({ name: 'process_cpu_seconds_total', help: 'CPU time of this process.' });
  const resident = gauge('process_resident_memory_bytes', 'Memory of this process that is in RAM.');
  const virtual = gauge('process_virtual_memory_bytes', 'Addresses that this process has reserved.');
  const started = gauge('process_start_time_seconds', 'When this process started, Unix time.');
  const first = read();
  const open = first?.openFiles === undefined ? undefined : gauge('process_open_fds', 'Open file descriptors.');
  const most =
    first?.maxOpenFiles === undefined ? undefined : gauge('process_max_fds', 'Most file descriptors that may be open.');
  let told = 0;
  metrics.onCollect(() => {
    const usage = read();
    if (usage === undefined) return;
    const seconds = usage.cpuNanoseconds / 1e9;
    cpu.inc({}, Math.max(0, seconds - told));
    told = Math.max(told, seconds);
    resident.set(usage.residentBytes);
    virtual.set(usage.virtualBytes);
    started.set(usage.startedAt / 1000);
    if (usage.openFiles !== undefined) open?.set(usage.openFiles);
    if (usage.maxOpenFiles !== undefined) most?.set(usage.maxOpenFiles);
  });
}
