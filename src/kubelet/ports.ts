/** The kubelet's own ports: its needs of the machine beyond `lib`, `cri` and `client`. Adapters: `*.node.ts` beside. */
import type { ListeningPort } from '../api/index.ts';
import type { ImageService, RuntimeService } from '../cri/index.ts';
import type { KubeClient } from '../client/index.ts';
import type {
  Clock,
  FileSystem,
  HttpRequest,
  Logger,
  MetricsRegistry,
  Process,
  Random,
  UpgradeResponse,
} from '../lib/index.ts';
import type {
  CgroupFigures,
  CpuPeriods,
  DiskUsage,
  InterfaceFigures,
  MachineFacts,
  MachinePressure,
  MachineUsage,
  MemoryEvents,
  ProcessFigures,
} from './figures.ts';

/** cgroup limits of a pod or QoS class; absent: unlimited. */
export interface CgroupLimits {
  readonly cpuShares?: number;
  readonly cpuQuota?: number;
  readonly cpuPeriod?: number;
  readonly memoryLimitBytes?: number;
  readonly pidsLimit?: number;
}

/**
 * The machine's cgroups, v1, hybrid or v2, cgroupfs or systemd. `path` is a logical path below the instance's root, e.g.
 * ["kubepods", "burstable", "pod1234"]; the adapter turns it into folders or slices.
 */
export interface Cgroups {
  /** 'v1' | 'v2' and the driver, as the runtime must be configured. */
  readonly version: 'v1' | 'v2';
  readonly driver: 'cgroupfs' | 'systemd';
  /** Creates or updates; idempotent. */
  ensure(path: readonly string[], limits: CgroupLimits): Promise<void>;
  /** Removes it with its children; a missing one is no error; processes still inside are killed first. */
  remove(path: readonly string[]): Promise<void>;
  list(path: readonly string[]): Promise<readonly string[]>;
  /** The value of CRI's `cgroup_parent` for this pod. */
  cgroupParent(path: readonly string[]): string;
  /** CPU time used so far by the group and all below it, nanoseconds. `undefined`: there is no such group. Cheap. */
  cpuNanoseconds(group: CgroupName): Promise<number | undefined>;
  /** The kernel's counts about the group's memory. `undefined`: there is no such group. Cheap. */
  memoryEvents(group: CgroupName): Promise<MemoryEvents | undefined>;
  /** How often its CPU limit held the group back. `undefined`: there is no such group, or it has no limit. Cheap. */
  cpuPeriods(group: CgroupName): Promise<CpuPeriods | undefined>;
  /** The usage of the group and all below it. `undefined`: there is no such group. */
  figures(group: CgroupName): Promise<CgroupFigures | undefined>;
  /** Processes (not threads) in the group and all below it, as our own namespace numbers them. Empty: none, or no such group. */
  processes(group: CgroupName): Promise<readonly number[]>;
  /** SIGKILL to all of them. Resolves when they are gone; rejects when they do not go. */
  kill(group: CgroupName): Promise<void>;
}

/** A group by its logical path; with `containerId` the group that the runtime made in it for a container or sandbox. */
export interface CgroupName {
  readonly path: readonly string[];
  readonly containerId?: string;
}

/** The kernel's log (/dev/kmsg): records as it shows them, "level,sequence,microseconds,flags;text". */
export interface KernelLog {
  /** Those of `wanted` that came since the last call, at the first call all that there are. Never waits, never throws. */
  read(wanted: RegExp): readonly string[];
}

/** Finds listening sockets in the networks of pods. */
export interface Listeners {
  /**
   * TCP ports in the network of these processes, all of one container; its own come first. `undefined`: they have ended, or share
   * the node's network. Never rejects.
   */
  of(pids: readonly number[]): Promise<readonly ListeningPort[] | undefined>;
}

export interface Machine {
  facts(): Promise<MachineFacts>;
  pressure(): Promise<MachinePressure>;
}

/** Measures the usage of machine, processes and files: the figures behind `/stats/summary` and the metrics. */
export interface Meter {
  usage(): Promise<MachineUsage>;
  /** Our own process, or the container runtime's where we know it. `undefined`: it is not there. Reads /proc alone. */
  process(which: 'kubelet' | 'runtime'): ProcessFigures | undefined;
  /** The interfaces that a process sees; `undefined` when it is gone or shares the node's network. */
  networkOf(pid: number): Promise<readonly InterfaceFigures[] | undefined>;
  /**
   * Walks a folder within its file system; hard links count once. `undefined` when it does not exist. Of more than
   * `maxEntries` entries, the usage of that many, because a program that makes so many must not escape measurement. As slow
   * as the disk. Rejects when `signal` is aborted.
   */
  diskUsage(
    path: string,
    options: { readonly maxEntries: number; readonly signal: AbortSignal },
  ): Promise<DiskUsage | undefined>;
}

export type ProbeAttempt =
  | { readonly result: 'success' | 'failure'; readonly output: string; readonly warning?: string }
  /** The attempt itself could not be made (runtime away, our loop was late): never counts as a failure. */
  | { readonly result: 'error'; readonly output: string };

/** The way of HTTP, TCP and gRPC probes to the network. `timeoutMs` counts from the first byte sent. */
export interface ProbeTransport {
  http(request: {
    readonly scheme: 'http' | 'https';
    readonly host: string;
    readonly port: number;
    readonly path: string;
    readonly headers: readonly { readonly name: string; readonly value: string }[];
    readonly timeoutMs: number;
  }): Promise<ProbeAttempt>;
  tcp(request: { readonly host: string; readonly port: number; readonly timeoutMs: number }): Promise<ProbeAttempt>;
  /** grpc.health.v1.Health/Check, without TLS. */
  grpc(request: {
    readonly host: string;
    readonly port: number;
    /** Empty: the server as a whole. */
    readonly service: string;
    readonly userAgent: string;
    readonly timeoutMs: number;
  }): Promise<ProbeAttempt>;
}

/** Opens the runtime's streaming URL (exec, attach, port-forward) and passes the upgrade through. */
export interface StreamDialer {
  upgrade(url: string, request: HttpRequest): Promise<UpgradeResponse>;
}

/** Everything a kubelet is given; `main` fills it with real adapters, `sim` with simulated ones. */
export interface KubeletPorts {
  /** The registry of its metrics, beside existing ones; absent: a registry of its own. */
  readonly metrics?: MetricsRegistry;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly client: KubeClient;
  readonly cri: CriPorts;
  readonly host: HostPorts;
  readonly pods: PodPorts;
}

/** The container runtime. */
export interface CriPorts {
  readonly runtime: RuntimeService;
  readonly images: ImageService;
}

/** The ways into pods. */
export interface PodPorts {
  readonly probeTransport: ProbeTransport;
  readonly streams: StreamDialer;
}

/** The machine that it runs on. */
export interface HostPorts {
  readonly fs: FileSystem;
  readonly process: Process;
  readonly cgroups: Cgroups;
  readonly machine: Machine & Meter;
  /** Absent: it cannot be read here. */
  readonly kernelLog?: KernelLog;
  /** Absent: this cannot be found out. */
  readonly listeners?: Listeners;
}
