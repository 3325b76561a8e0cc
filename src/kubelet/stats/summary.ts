/**
 * The shape of `/stats/summary` (upstream: k8s.io/kubelet/pkg/apis/stats/v1alpha1), which is also how the parts of the
 * kubelet pass on the usage of pods. Times are RFC 3339. A figure that could not be taken is left out, never zero.
 */
export interface CpuStats {
  readonly time: string;
  /** Billionths of a core, over the last sampling window. */
  readonly usageNanoCores?: number;
  readonly usageCoreNanoSeconds?: number;
  readonly psi?: PsiStats;
}

/** Pressure stall information (cgroup v2 alone). `total`: µs; the averages: percent. */
export interface PsiData {
  readonly total: number;
  readonly avg10: number;
  readonly avg60: number;
  readonly avg300: number;
}

export interface PsiStats {
  readonly full: PsiData;
  readonly some: PsiData;
}

export interface IoStats {
  readonly time: string;
  readonly psi?: PsiStats;
}

export interface SwapStats {
  readonly time: string;
  readonly swapAvailableBytes?: number;
  readonly swapUsageBytes?: number;
}

export interface MemoryStats {
  readonly time: string;
  readonly availableBytes?: number;
  readonly usageBytes?: number;
  readonly workingSetBytes?: number;
  readonly rssBytes?: number;
  readonly pageFaults?: number;
  readonly majorPageFaults?: number;
  readonly psi?: PsiStats;
}

export interface FsStats {
  readonly time: string;
  readonly availableBytes?: number;
  readonly capacityBytes?: number;
  readonly usedBytes?: number;
  readonly inodesFree?: number;
  readonly inodes?: number;
  readonly inodesUsed?: number;
}

export interface ProcessStats {
  readonly process_count?: number;
}

export interface InterfaceStats {
  readonly name: string;
  readonly rxBytes?: number;
  readonly rxErrors?: number;
  readonly txBytes?: number;
  readonly txErrors?: number;
}

/** The default interface's own figures, and all interfaces'. `name` is empty when there is no default interface. */
export interface NetworkStats extends InterfaceStats {
  readonly time: string;
  readonly interfaces?: readonly InterfaceStats[];
}

export interface ContainerStats {
  readonly name: string;
  readonly startTime: string;
  readonly cpu?: CpuStats;
  readonly memory?: MemoryStats;
  readonly io?: IoStats;
  readonly swap?: SwapStats;
  /** The writable layer. */
  readonly rootfs?: FsStats;
  readonly logs?: FsStats;
}

export interface VolumeStats extends FsStats {
  readonly name: string;
  readonly pvcRef?: { readonly name: string; readonly namespace: string };
  readonly volumeHealthStats?: { readonly abnormal: boolean };
}

export interface PodStats {
  readonly podRef: { readonly name: string; readonly namespace: string; readonly uid: string };
  readonly startTime: string;
  readonly containers: readonly ContainerStats[];
  readonly cpu?: CpuStats;
  readonly memory?: MemoryStats;
  readonly io?: IoStats;
  readonly swap?: SwapStats;
  readonly network?: NetworkStats;
  readonly volume?: readonly VolumeStats[];
  /** Writable layers, logs and emptyDirs on disk together. */
  readonly 'ephemeral-storage'?: FsStats;
  readonly process_stats?: ProcessStats;
}

export interface NodeStats {
  readonly nodeName: string;
  readonly startTime: string;
  readonly systemContainers?: readonly ContainerStats[];
  readonly cpu?: CpuStats;
  readonly memory?: MemoryStats;
  readonly io?: IoStats;
  readonly swap?: SwapStats;
  readonly network?: NetworkStats;
  readonly fs?: FsStats;
  readonly runtime?: { readonly imageFs?: FsStats; readonly containerFs?: FsStats };
  readonly rlimit?: { readonly time: string; readonly maxpid?: number; readonly curproc?: number };
}

export interface Summary {
  readonly node: NodeStats;
  readonly pods: readonly PodStats[];
}

/** Takes the figures. Bounded in time: figures that do not come in time are left out. */
export interface StatsProvider {
  /** `fresh`: taken now; else at most some seconds old. Never rejects for the problem of a single pod. */
  summary(options?: { readonly fresh?: boolean }): Promise<Summary>;
  /** CPU and memory alone: cheap, no disk is walked. */
  cpuAndMemory(): Promise<Summary>;
}
