/** Values of what the machine, its cgroups, processes and files report about themselves and their usage. */
/** Pressure stall information: percent of time, and `total` in µs. */
export interface PressureAverages {
  readonly total: number;
  readonly avg10: number;
  readonly avg60: number;
  readonly avg300: number;
}

export interface Pressure {
  readonly some: PressureAverages;
  readonly full: PressureAverages;
}

export interface Pressures {
  readonly cpu?: Pressure;
  readonly memory?: Pressure;
  readonly io?: Pressure;
}

/** The usage of a cgroup. Absent: the kernel does not say. Counters count since the group was made. */
export interface CgroupFigures {
  readonly cpu?: {
    readonly usageNanoseconds: number;
    readonly userNanoseconds?: number;
    readonly systemNanoseconds?: number;
    /** Periods in which it wanted to run, those in which it was held back, and for how long. */
    readonly periods?: number;
    readonly throttledPeriods?: number;
    readonly throttledNanoseconds?: number;
    /** Absent: unlimited. */
    readonly quotaMicroseconds?: number;
    readonly periodMicroseconds?: number;
    readonly shares?: number;
  };
  readonly memory?: {
    readonly usageBytes: number;
    /** Usage without the file pages that are easily given up. */
    readonly workingSetBytes?: number;
    readonly rssBytes?: number;
    readonly cacheBytes?: number;
    readonly mappedBytes?: number;
    readonly swapBytes?: number;
    readonly maxUsageBytes?: number;
    /** How often the limit stood in the way. */
    readonly limitHits?: number;
    /** Absent: unlimited. */
    readonly limitBytes?: number;
    readonly pageFaults?: number;
    readonly majorPageFaults?: number;
    readonly oomKills?: number;
  };
  readonly pids?: { readonly current: number; readonly limit?: number };
  readonly pressure?: Pressures;
}

/** The kernel's counts about a group's memory since it was made; absent: it does not say, or there is no limit. */
export interface MemoryEvents {
  /** Processes killed for memory. */
  readonly oomKills: number;
  readonly peakBytes?: number;
  readonly limitBytes?: number;
}

/** Periods of the group's CPU limit since it was made: those in which it wanted to run, and of these in which it was held back. */
export interface CpuPeriods {
  readonly periods: number;
  readonly throttledPeriods: number;
}

/** The properties of a machine. Bytes, cores. */
export interface MachineFacts {
  readonly machineId: string;
  readonly systemUuid: string;
  readonly bootId: string;
  readonly kernelVersion: string;
  readonly osImage: string;
  readonly architecture: string;
  readonly cpuCores: number;
  readonly memoryBytes: number;
  readonly hostname: string;
  /** Primary address(es) of the node. */
  readonly addresses: readonly string[];
  readonly maxPids: number;
  readonly swap: boolean;
}

export interface MachinePressure {
  readonly memoryAvailableBytes: number;
  readonly pids: number;
  readonly rootFs: {
    readonly bytes: number;
    readonly freeBytes: number;
    readonly inodes: number;
    readonly freeInodes: number;
  };
  readonly imageFs: {
    readonly bytes: number;
    readonly freeBytes: number;
    readonly inodes: number;
    readonly freeInodes: number;
  };
}

/** Counters of one network interface since it was made. */
export interface InterfaceFigures {
  readonly name: string;
  readonly rxBytes: number;
  readonly rxPackets: number;
  readonly rxErrors: number;
  readonly rxDropped: number;
  readonly txBytes: number;
  readonly txPackets: number;
  readonly txErrors: number;
  readonly txDropped: number;
}

/** The usage of the whole machine. Counters count since `bootedAt` (wall ms). */
export interface MachineUsage {
  readonly bootedAt: number;
  readonly cpu?: {
    readonly usageNanoseconds: number;
    readonly userNanoseconds: number;
    readonly systemNanoseconds: number;
  };
  readonly memory: {
    readonly totalBytes: number;
    readonly usageBytes: number;
    readonly workingSetBytes: number;
    readonly rssBytes: number;
    readonly cacheBytes: number;
    readonly swapTotalBytes: number;
    readonly swapFreeBytes: number;
    readonly pageFaults?: number;
    readonly majorPageFaults?: number;
  };
  readonly interfaces: readonly InterfaceFigures[];
  /** The interface of the default route. */
  readonly defaultInterface?: string;
  readonly pressure?: Pressures;
}

/** The usage of one process. `startedAt`: wall ms. */
export interface ProcessFigures {
  readonly startedAt: number;
  readonly cpuNanoseconds: number;
  readonly virtualBytes: number;
  readonly residentBytes: number;
  readonly anonymousBytes: number;
  readonly pageFaults: number;
  readonly majorPageFaults: number;
  readonly openFiles?: number;
  readonly maxOpenFiles?: number;
}

/** The disk usage of files: allocated bytes, and inodes (the folder's own included). */
export interface DiskUsage {
  readonly bytes: number;
  readonly inodes: number;
}
