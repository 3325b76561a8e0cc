/** A measurement in the shape of `/stats/summary` (upstream: pkg/kubelet/stats). Pure. */
import { formatTime } from '../../lib/index.ts';
import { present } from '../cgroup-figures.ts';
import type { CgroupFigures, DiskUsage, InterfaceFigures, Pressure } from '../figures.ts';
import type {
  ContainerMeasurement,
  FileSystemSpace,
  Measurement,
  PodMeasurement,
  ProcessMeasurement,
  VolumeMeasurement,
} from './measurement.ts';
import type {
  ContainerStats,
  CpuStats,
  FsStats,
  InterfaceStats,
  IoStats,
  MemoryStats,
  NetworkStats,
  NodeStats,
  PodStats,
  PsiStats,
  Summary,
  VolumeStats,
} from './summary.ts';

export function toSummary(measured: Measurement): Summary {
  const time = formatTime(measured.at.wall);
  return { node: nodeStats(measured, time), pods: measured.pods.map((pod) => podStats(pod, measured, time)) };
}

function nodeStats(measured: Measurement, time: string): NodeStats {
  const { machine, nodeFs, imageFs, processes } = measured;
  const images = imageFs && imageFsStats(imageFs, time);
  return present({
    nodeName: measured.nodeName,
    startTime: formatTime(machine?.bootedAt ?? measured.at.wall),
    systemContainers: systemContainers(measured, time),
    ...(machine && machineStats(measured, machine, time)),
    fs: nodeFs && spaceStats(nodeFs, time),
    runtime: images && { imageFs: images, containerFs: images },
    rlimit: processes && { time, maxpid: processes.max, curproc: processes.current },
  }) as NodeStats;
}

function machineStats(
  { machineNanoCores }: Measurement,
  machine: NonNullable<Measurement['machine']>,
  time: string,
): Partial<NodeStats> {
  const { cpu, memory, interfaces, defaultInterface, pressure } = machine;
  return present({
    cpu: cpu && cpuStats(time, cpu.usageNanoseconds, machineNanoCores, pressure?.cpu),
    memory: present({
      time,
      availableBytes: Math.max(0, memory.totalBytes - memory.workingSetBytes),
      usageBytes: memory.usageBytes,
      workingSetBytes: memory.workingSetBytes,
      rssBytes: memory.rssBytes,
      pageFaults: memory.pageFaults,
      majorPageFaults: memory.majorPageFaults,
      psi: psi(pressure?.memory),
    }),
    io: ioStats(time, pressure?.io),
    swap: {
      time,
      swapAvailableBytes: memory.swapFreeBytes,
      swapUsageBytes: memory.swapTotalBytes - memory.swapFreeBytes,
    },
    network: networkStats(interfaces, defaultInterface, time),
  }) as Partial<NodeStats>;
}

function systemContainers(measured: Measurement, time: string): readonly ContainerStats[] | undefined {
  const { kubelet, runtime, allPods, machine } = measured;
  const list = [
    ...(kubelet ? [processStats('kubelet', kubelet, time)] : []),
    ...(runtime ? [processStats('runtime', runtime, time)] : []),
    ...(allPods ? [allPodsStats(allPods, machine?.memory.totalBytes, machine?.bootedAt ?? 0, time)] : []),
  ];
  return list.length === 0 ? undefined : list;
}

/** Our processes share their group with others: the figures are their own. */
function processStats(name: string, { figures, nanoCores }: ProcessMeasurement, time: string): ContainerStats {
  return {
    name,
    startTime: formatTime(figures.startedAt),
    cpu: cpuStats(time, figures.cpuNanoseconds, nanoCores),
    memory: {
      time,
      usageBytes: figures.residentBytes,
      workingSetBytes: figures.residentBytes,
      rssBytes: figures.anonymousBytes,
      pageFaults: figures.pageFaults,
      majorPageFaults: figures.majorPageFaults,
    },
  };
}

/** Without a limit of their own the machine's memory is what all pods have. */
function allPodsStats(
  { figures, nanoCores }: NonNullable<Measurement['allPods']>,
  totalBytes: number | undefined,
  startedAt: number,
  time: string,
): ContainerStats {
  const memory = figures.memory && present({ ...figures.memory, limitBytes: figures.memory.limitBytes ?? totalBytes });
  return {
    name: 'pods',
    startTime: formatTime(startedAt),
    ...groupStats({ ...figures, ...(memory && { memory }) }, nanoCores, time),
  };
}

function podStats(pod: PodMeasurement, measured: Measurement, time: string): PodStats {
  const { uid, name, namespace, figures, interfaces, processes, volumes } = pod;
  return present({
    podRef: { name, namespace, uid },
    startTime: formatTime(pod.startedAt),
    containers: pod.containers.map((one) => containerStats(one, measured, time)),
    ...(figures && groupStats(figures, pod.nanoCores, time)),
    network: interfaces && networkStats(interfaces, 'eth0', time),
    volume: volumes && volumes.length > 0 ? volumes.map((one) => volumeStats(one, namespace, time)) : undefined,
    'ephemeral-storage': ephemeralStorage(pod, measured, time),
    process_stats: processes === undefined ? undefined : { process_count: processes },
  }) as PodStats;
}

function containerStats(one: ContainerMeasurement, { imageFs, nodeFs }: Measurement, time: string): ContainerStats {
  const { figures, nanoCores, writableLayer, logs } = one;
  return present({
    name: one.name,
    startTime: formatTime(one.startedAt),
    ...(figures && groupStats(figures, nanoCores, time)),
    rootfs: writableLayer && usedOf(writableLayer.usedBytes, writableLayer.inodesUsed, imageFs, time),
    logs: logs && usedOf(logs.bytes, logs.inodes, nodeFs, time),
  }) as ContainerStats;
}

function groupStats(figures: CgroupFigures, rate: number | undefined, time: string): Partial<ContainerStats> {
  const { cpu, memory, pressure } = figures;
  return present({
    cpu: cpu && cpuStats(time, cpu.usageNanoseconds, rate, pressure?.cpu),
    memory: memory && memoryStats(memory, time, pressure?.memory),
    io: ioStats(time, pressure?.io),
    swap: memory?.swapBytes === undefined ? undefined : { time, swapUsageBytes: memory.swapBytes },
  }) as Partial<ContainerStats>;
}

function cpuStats(time: string, total: number, rate: number | undefined, pressure?: Pressure): CpuStats {
  return present({ time, usageNanoCores: rate, usageCoreNanoSeconds: total, psi: psi(pressure) }) as CpuStats;
}

function memoryStats(
  memory: NonNullable<CgroupFigures['memory']>,
  time: string,
  pressure: Pressure | undefined,
): MemoryStats {
  const { limitBytes, workingSetBytes } = memory;
  const hasBoth = limitBytes !== undefined && workingSetBytes !== undefined;
  return present({
    time,
    availableBytes: hasBoth ? Math.max(0, limitBytes - workingSetBytes) : undefined,
    usageBytes: memory.usageBytes,
    workingSetBytes,
    rssBytes: memory.rssBytes,
    pageFaults: memory.pageFaults,
    majorPageFaults: memory.majorPageFaults,
    psi: psi(pressure),
  }) as MemoryStats;
}

function ioStats(time: string, pressure: Pressure | undefined): IoStats | undefined {
  const found = psi(pressure);
  return found && { time, psi: found };
}

function psi(pressure: Pressure | undefined): PsiStats | undefined {
  return pressure && { full: pressure.full, some: pressure.some };
}

function networkStats(
  interfaces: readonly InterfaceFigures[],
  main: string | undefined,
  time: string,
): NetworkStats | undefined {
  const all = interfaces.map(interfaceStats);
  const first = all.find(({ name }) => name === main) ?? { name: '' };
  return { time, ...first, interfaces: all };
}

function interfaceStats({ name, rxBytes, rxErrors, txBytes, txErrors }: InterfaceFigures): InterfaceStats {
  return { name, rxBytes, rxErrors, txBytes, txErrors };
}

function volumeStats(volume: VolumeMeasurement, namespace: string, time: string): VolumeStats {
  const { name, pvcName, usage, space, isAbnormal } = volume;
  return {
    ...usedOf(usage?.bytes, usage?.inodes, space, time),
    name,
    ...(pvcName !== undefined && { pvcRef: { name: pvcName, namespace } }),
    ...(isAbnormal !== undefined && { volumeHealthStats: { abnormal: isAbnormal } }),
  };
}

/** Writable layers, logs and volumes on disk. An unknown part makes the sum too small, as upstream's. */
function ephemeralStorage(pod: PodMeasurement, { nodeFs }: Measurement, time: string): FsStats | undefined {
  const parts: readonly (DiskUsage | undefined)[] = [
    ...pod.containers.map(
      ({ writableLayer }) => writableLayer && { bytes: writableLayer.usedBytes, inodes: writableLayer.inodesUsed ?? 0 },
    ),
    pod.logs,
    ...(pod.volumes ?? []).filter(({ isEphemeral }) => isEphemeral).map(({ usage }) => usage),
  ];
  const known = parts.filter((part) => part !== undefined);
  if (known.length === 0) return undefined;
  const bytes = known.reduce((sum, part) => sum + part.bytes, 0);
  const inodes = known.reduce((sum, part) => sum + part.inodes, 0);
  return usedOf(bytes, inodes, nodeFs, time);
}

function usedOf(
  usedBytes: number | undefined,
  inodesUsed: number | undefined,
  space: FileSystemSpace | undefined,
  time: string,
): FsStats {
  return present({
    time,
    availableBytes: space?.freeBytes,
    capacityBytes: space?.bytes,
    usedBytes,
    inodesFree: space?.freeInodes,
    inodes: space?.inodes,
    inodesUsed,
  }) as FsStats;
}

function spaceStats(space: FileSystemSpace, time: string): FsStats {
  return usedOf(space.usedBytes, space.inodes - space.freeInodes, space, time);
}

function imageFsStats(space: NonNullable<Measurement['imageFs']>, time: string): FsStats {
  return usedOf(space.usedBytes, space.inodesUsed ?? space.inodes - space.freeInodes, space, time);
}
