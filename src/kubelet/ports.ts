/** The kubelet's own ports: its needs of the machine beyond `lib`, `cri` and `client`. Adapters: `*.node.ts` beside. */
import type { Hold, ListeningPort, PodListeningPort, StoppedProcess } from '../api/index.ts';
import type { ImageService, PortMapping, RuntimeService } from '../cri/index.ts';
import type { CsiPlugins } from '../csi/index.ts';
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
  /** The ports in the network of these containers of one pod, by number, with who holds them. Otherwise likewise. */
  ofPod(
    containers: readonly ContainerProcesses[],
    protocol: 'TCP' | 'UDP',
  ): Promise<readonly PodListeningPort[] | undefined>;
}

export interface ContainerProcesses {
  readonly name: string;
  readonly pids: readonly number[];
}

/** Finds out whether processes are held from running. */
export interface HeldProcesses {
  /** How the oldest of these processes of one container is held; `undefined`: it is not, or it has ended. Never rejects. */
  of(pids: readonly number[]): Promise<Hold | undefined>;
  /** The oldest of these processes of one container that is stopped; `undefined`: none is. Never rejects. */
  stopped(pids: readonly number[]): Promise<StoppedProcess | undefined>;
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

/** The container runtime, and what serves storage. */
export interface CriPorts {
  /** Absent: this node runs no CSI drivers. */
  readonly plugins?: CsiPlugins;
  readonly runtime: RuntimeService;
  readonly images: ImageService;
}

/** Why a pod of this node must get no traffic: as the network's verdicts say. */
export type PodVerdict = 'unready' | 'leaving' | 'dead' | 'gone';

/** The routing of services to the pods of this node. */
export interface PodRouting {
  /**
   * Undefined: traffic goes to the pod as the slices say. Repeated calls are no change. Never throws, never waits.
   * @param addresses those that the pod has now; a slice may still name others. Undefined: they are not known, or the node's
   */
  judge(podUid: string, verdict: PodVerdict | undefined, addresses?: readonly string[]): void;
  /** A new sandbox has these addresses: what is known of their former pods does not count for it. */
  taken(addresses: readonly string[]): void;
  /** Nothing is left of the pod on this node. No slice that still names it brings traffic back. */
  forget(podUid: string): void;
  /** Whether others serve in each service that sends traffic to the pod; false: none does send it any. */
  canLeave(podUid: string): boolean;
  /** How far traffic has left a pod that is `leaving`; undefined: nothing is to be waited for. Mono ms. */
  withdrawal(
    podUid: string,
  ): { readonly agreedAt: number | undefined; readonly reachedAt?: number | undefined } | undefined;
  /** Calls the listener when the answer of `withdrawal` has changed. */
  onChange(listener: (podUid: string) => void): void;
}

/** The host ports of pods, where they are rules of ours and not the runtime's. Never throws, never waits. */
export interface PodHostPorts {
  /**
   * Repeated calls are no change.
   * @param sandbox undefined: the pod has none that is ready, or is on the host's network
   */
  map(podUid: string, sandbox: HostPortSandbox | undefined): void;
  /** All pods that the runtime had at the start have been told of: host ports of others end. */
  settled(): void;
}

/** Where the host ports of a pod lead. */
export interface HostPortSandbox {
  /** Orders sandboxes. */
  readonly createdAt: number;
  readonly addresses: readonly string[];
  readonly ports: readonly PortMapping[];
}

/** What this node does for services, and what it knows of them: for whoever asks why the way to one is broken. */
export interface NodeServices {
  /** Undefined: mendlet does not route here. */
  routing(): Promise<RoutingState | undefined>;
  /** Undefined: mendlet does not answer DNS here. */
  dns(): DnsState | undefined;
  /** Undefined: there is no such service. Rejects when that cannot be known. */
  find(namespace: string, name: string): Promise<KnownService | undefined>;
}

export interface RoutingState {
  readonly table: string;
  /** The packet filter has the table. */
  readonly isThere: boolean;
  /** Wall ms of the last transaction; undefined: there was none yet. */
  readonly writtenAt: number | undefined;
  /** Why the last transaction failed; undefined: it did not. */
  readonly failure: string | undefined;
}

export interface DnsState {
  /** Where it listens for pods; undefined: no address was free. */
  readonly address: string | undefined;
}

/** A service as this node sees it. */
export interface KnownService {
  /** "None" of a headless one; '' of one without an address. */
  readonly clusterIP: string;
  readonly externalName?: string;
  readonly ports: readonly KnownPort[];
}

export interface KnownPort {
  readonly port: number;
  readonly protocol: string;
  /** Those that get traffic from this node. Undefined: this node does not watch endpoints. */
  readonly endpoints: readonly { readonly ip: string; readonly port: number }[] | undefined;
}

/** Tries lookups and connections, in the network of a pod or in the node's own. */
export interface PathProbe {
  /** The first of these processes that has a network of its own; undefined: they have ended, or share the node's. */
  inOwnNetwork(pids: readonly number[]): number | undefined;
  /** Addresses of name servers as the process' resolv.conf has them. Undefined: it cannot be read. Never rejects. */
  nameServers(pid: number): Promise<readonly string[] | undefined>;
  /**
   * All at once, each with two seconds of time.
   * @param pid undefined: from the node itself
   * @returns an outcome for each, or why none could be tried. Rejects only for an aborted signal
   */
  tryAll(
    pid: number | undefined,
    tries: readonly PathTry[],
    signal?: AbortSignal,
  ): Promise<readonly PathOutcome[] | { readonly problem: string }>;
}

export type PathTry =
  /** The IPv4 addresses of a name, asked for by UDP at one server. */
  | { readonly kind: 'lookup'; readonly server: string; readonly name: string }
  /** A TCP connection, which is closed at once; if it fails, one to `instead`. */
  | { readonly kind: 'connect'; readonly to: PathTarget; readonly instead?: PathTarget };

export interface PathTarget {
  readonly ip: string;
  readonly port: number;
}

export interface PathOutcome {
  /** Of a lookup that was answered. */
  readonly addresses?: readonly string[];
  /** Why it failed, as Node calls it: ECONNREFUSED, ETIMEOUT, ENOTFOUND … Absent: it did not. */
  readonly failure?: string;
  /** The outcome of `instead`; absent: it was not tried. */
  readonly instead?: { readonly failure?: string };
}

/** The ways into pods. */
export interface PodPorts {
  /** Absent: mendlet does not route here. */
  readonly routing?: PodRouting;
  /** Absent: the runtime makes host ports. */
  readonly hostPorts?: PodHostPorts;
  /** Absent: the ways to services cannot be tried. */
  readonly services?: NodeServices;
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
  /** Absent: this cannot be found out. */
  readonly held?: HeldProcesses;
  /** Absent: nothing can be tried from here. */
  readonly pathProbe?: PathProbe;
}
