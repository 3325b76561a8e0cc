/** `/metrics/cadvisor`: figures of cgroups under cAdvisor's names and labels. Pure. */
import type { CgroupFigures, InterfaceFigures } from '../figures.ts';
import { Exposition, type Family } from './exposition.ts';
import type { Measurement } from './measurement.ts';

const NANOSECONDS = 1e9;
const MICROSECONDS = 1e6;
const MS = 1000;
const LABELS = ['container', 'id', 'image', 'name', 'namespace', 'pod'];

/** One group that has lines: the machine, all pods, a pod, a container. */
interface Subject {
  readonly labels: Readonly<Record<string, string>>;
  readonly figures: CgroupFigures;
  /** Wall ms. */
  readonly startedAt?: number;
  readonly processes?: number;
  readonly interfaces?: readonly InterfaceFigures[];
  readonly writableBytes?: number;
}

export interface CadvisorOptions {
  /** The group's path below the cgroup mount, as the label `id` has it. */
  readonly idOf: (path: readonly string[], containerId?: string) => string;
  readonly cpuCores: number;
  readonly memoryBytes: number;
}

export function cadvisorMetrics(measured: Measurement, options: CadvisorOptions): string {
  const out = new Exposition();
  const subjects = subjectsOf(measured, options);
  const at = measured.at.wall;
  const each = (family: Family, value: (subject: Subject) => number | undefined): void => {
    for (const subject of subjects) family.add(value(subject), subject.labels, at);
  };
  const counter = (name: string, help: string, value: (subject: Subject) => number | undefined): void =>
    each(out.family('counter', name, help, LABELS), value);
  const gauge = (name: string, help: string, value: (subject: Subject) => number | undefined): void =>
    each(out.family('gauge', name, help, LABELS), value);

  writeCpu(out, subjects, at, counter);
  writeMemory(out, subjects, at, counter, gauge);
  writeNetwork(out, subjects, at);
  writeFs(out, subjects, measured);
  gauge('container_processes', 'Processes in the group.', ({ processes }) => processes);
  gauge('container_threads', 'Threads in the group.', ({ figures }) => figures.pids?.current);
  gauge(
    'container_threads_max',
    'Most threads that the group may have; 0: no limit.',
    ({ figures }) => figures.pids && (figures.pids.limit ?? 0),
  );
  gauge('container_last_seen', 'When the group was last seen, Unix time.', () => Math.floor(at / MS));
  gauge('container_start_time_seconds', 'When it started, Unix time.', ({ startedAt }) =>
    startedAt === undefined ? undefined : startedAt / MS,
  );
  out.family('gauge', 'container_scrape_error', 'Whether figures could not be taken (1) or could (0).').add(0);
  out.family('gauge', 'machine_cpu_cores', 'Logical processors of the machine.').add(options.cpuCores);
  out.family('gauge', 'machine_memory_bytes', 'Memory of the machine.').add(options.memoryBytes);
  return out.text();
}

type Write = (name: string, help: string, value: (subject: Subject) => number | undefined) => void;

const seconds = (nanoseconds: number | undefined): number | undefined =>
  nanoseconds === undefined ? undefined : nanoseconds / NANOSECONDS;

function writeCpu(out: Exposition, subjects: readonly Subject[], at: number, counter: Write): void {
  const usage = out.family('counter', 'container_cpu_usage_seconds_total', 'CPU time used.', [
    'container',
    'cpu',
    'id',
    'image',
    'name',
    'namespace',
    'pod',
  ]);
  for (const { labels, figures } of subjects) {
    usage.add(seconds(figures.cpu?.usageNanoseconds), { ...labels, cpu: 'total' }, at);
  }
  counter('container_cpu_user_seconds_total', 'CPU time in user mode.', ({ figures }) =>
    seconds(figures.cpu?.userNanoseconds),
  );
  counter('container_cpu_system_seconds_total', 'CPU time in the kernel.', ({ figures }) =>
    seconds(figures.cpu?.systemNanoseconds),
  );
  // As cAdvisor: only where there is a quota that could hold it back.
  const throttled =
    (value: (cpu: NonNullable<CgroupFigures['cpu']>) => number | undefined) =>
    ({ figures }: Subject) =>
      figures.cpu?.quotaMicroseconds === undefined ? undefined : value(figures.cpu);
  counter(
    'container_cpu_cfs_periods_total',
    'Periods in which it wanted to run.',
    throttled((cpu) => cpu.periods),
  );
  counter(
    'container_cpu_cfs_throttled_periods_total',
    'Periods in which it was held back.',
    throttled((cpu) => cpu.throttledPeriods),
  );
  counter(
    'container_cpu_cfs_throttled_seconds_total',
    'Time for which it was held back.',
    throttled((cpu) => seconds(cpu.throttledNanoseconds)),
  );
  const spec = (
    name: string,
    help: string,
    value: (cpu: NonNullable<CgroupFigures['cpu']>) => number | undefined,
  ): void => {
    const family = out.family('gauge', name, help, LABELS);
    for (const { labels, figures } of subjects) family.add(figures.cpu && value(figures.cpu), labels, at);
  };
  spec('container_spec_cpu_period', 'Length of a period, µs.', (cpu) => cpu.periodMicroseconds);
  spec('container_spec_cpu_quota', 'CPU time of each period that it may use, µs.', (cpu) => cpu.quotaMicroseconds);
  spec('container_spec_cpu_shares', 'Shares of CPU time.', (cpu) => cpu.shares);
  writePressure(out, subjects, at);
}

function writePressure(out: Exposition, subjects: readonly Subject[], at: number): void {
  for (const kind of ['cpu', 'memory', 'io'] as const) {
    for (const [word, level] of [
      ['waiting', 'some'],
      ['stalled', 'full'],
    ] as const) {
      const family = out.family(
        'counter',
        `container_pressure_${kind}_${word}_seconds_total`,
        `Time in which ${level === 'some' ? 'some' : 'all'} of it waited for ${kind}.`,
        LABELS,
      );
      for (const { labels, figures } of subjects) {
        const total = figures.pressure?.[kind]?.[level].total;
        family.add(total === undefined ? undefined : total / MICROSECONDS, labels, at);
      }
    }
  }
}

function writeMemory(out: Exposition, subjects: readonly Subject[], at: number, counter: Write, gauge: Write): void {
  const of =
    (value: (memory: NonNullable<CgroupFigures['memory']>) => number | undefined) =>
    ({ figures }: Subject) =>
      figures.memory && value(figures.memory);
  gauge(
    'container_memory_usage_bytes',
    'Memory in use, all of it.',
    of((memory) => memory.usageBytes),
  );
  gauge(
    'container_memory_working_set_bytes',
    'Memory in use without file pages that are easily given up.',
    of((memory) => memory.workingSetBytes),
  );
  gauge(
    'container_memory_rss',
    'Memory that no file stands behind.',
    of((memory) => memory.rssBytes),
  );
  gauge(
    'container_memory_cache',
    'File pages.',
    of((memory) => memory.cacheBytes),
  );
  gauge(
    'container_memory_mapped_file',
    'File pages that are mapped.',
    of((memory) => memory.mappedBytes),
  );
  gauge(
    'container_memory_swap',
    'Swap in use.',
    of((memory) => memory.swapBytes),
  );
  gauge(
    'container_memory_max_usage_bytes',
    'Most memory that was ever in use.',
    of((memory) => memory.maxUsageBytes),
  );
  counter(
    'container_memory_failcnt',
    'How often the limit stood in the way.',
    of((memory) => memory.limitHits),
  );
  const failures = out.family('counter', 'container_memory_failures_total', 'Page faults.', [
    'container',
    'failure_type',
    'id',
    'image',
    'name',
    'namespace',
    'pod',
    'scope',
  ]);
  for (const { labels, figures } of subjects) {
    failures.add(figures.memory?.pageFaults, { ...labels, failure_type: 'pgfault', scope: 'hierarchy' }, at);
    failures.add(figures.memory?.majorPageFaults, { ...labels, failure_type: 'pgmajfault', scope: 'hierarchy' }, at);
  }
  counter(
    'container_oom_events_total',
    'Processes killed for want of memory.',
    of((memory) => memory.oomKills),
  );
  gauge(
    'container_spec_memory_limit_bytes',
    'Memory limit; 0: none.',
    of((memory) => memory.limitBytes ?? 0),
  );
}

type InterfaceValue = (one: InterfaceFigures) => number;

const NETWORK: readonly (readonly [name: string, help: string, value: InterfaceValue])[] = [
  ['receive_bytes', 'Bytes received.', (one) => one.rxBytes],
  ['receive_errors', 'Errors while receiving.', (one) => one.rxErrors],
  ['receive_packets', 'Packets received.', (one) => one.rxPackets],
  ['receive_packets_dropped', 'Packets dropped while receiving.', (one) => one.rxDropped],
  ['transmit_bytes', 'Bytes sent.', (one) => one.txBytes],
  ['transmit_errors', 'Errors while sending.', (one) => one.txErrors],
  ['transmit_packets', 'Packets sent.', (one) => one.txPackets],
  ['transmit_packets_dropped', 'Packets dropped while sending.', (one) => one.txDropped],
];

function writeNetwork(out: Exposition, subjects: readonly Subject[], at: number): void {
  for (const [name, help, value] of NETWORK) {
    const family = out.family('counter', `container_network_${name}_total`, help, [
      'container',
      'id',
      'image',
      'interface',
      'name',
      'namespace',
      'pod',
    ]);
    for (const { labels, interfaces } of subjects) {
      for (const one of interfaces ?? []) family.add(value(one), { ...labels, interface: one.name }, at);
    }
  }
}

function writeFs(out: Exposition, subjects: readonly Subject[], { imageFs, at }: Measurement): void {
  const labels = ['container', 'device', 'id', 'image', 'name', 'namespace', 'pod'];
  const usage = out.family('gauge', 'container_fs_usage_bytes', 'Bytes in the writable layer.', labels);
  const limit = out.family(
    'gauge',
    'container_fs_limit_bytes',
    'Size of the file system of the writable layer.',
    labels,
  );
  for (const { labels: own, writableBytes } of subjects) {
    if (writableBytes === undefined) continue;
    usage.add(writableBytes, own, at.wall);
    limit.add(imageFs?.bytes, own, at.wall);
  }
}

function subjectsOf(measured: Measurement, { idOf }: CadvisorOptions): readonly Subject[] {
  const { machine, allPods, pods } = measured;
  const root: Subject[] = machine
    ? [
        {
          labels: { id: '/' },
          figures: {
            ...(machine.cpu && { cpu: machine.cpu }),
            memory: machine.memory,
            ...(machine.pressure && { pressure: machine.pressure }),
          },
          startedAt: machine.bootedAt,
          interfaces: machine.interfaces,
        },
      ]
    : [];
  const all: Subject[] = allPods ? [{ labels: { id: idOf(['kubepods']) }, figures: allPods.figures }] : [];
  const each = pods.flatMap((pod): readonly Subject[] => {
    const { namespace, name, cgroupPath, figures, interfaces, processes, startedAt } = pod;
    const own = { namespace, pod: name };
    const group: Subject = {
      labels: { ...own, id: idOf(cgroupPath) },
      figures: figures ?? {},
      startedAt,
      ...(interfaces && { interfaces }),
      ...(processes !== undefined && { processes }),
    };
    const containers = pod.containers.map(
      (one): Subject => ({
        labels: { ...own, id: idOf(cgroupPath, one.id), container: one.name, image: one.image, name: one.id },
        figures: one.figures ?? {},
        startedAt: one.startedAt,
        ...(one.writableLayer && { writableBytes: one.writableLayer.usedBytes }),
      }),
    );
    return [group, ...containers];
  });
  return [...root, ...all, ...each];
}
