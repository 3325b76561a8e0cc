/** The kubelet's own ports: what it needs of the machine beyond `lib`, `cri` and `client`. Adapters: `*.node.ts` beside. */
import type { ImageService, RuntimeService } from '../cri/index.ts';
import type { KubeClient } from '../client/index.ts';
import type { KubeletSettings } from './settings.ts';
import type { Clock, FileSystem, HttpRequest, Logger, Process, Random, UpgradeResponse } from '../lib/index.ts';

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
  /** What CRI wants as `cgroup_parent` for this pod. */
  cgroupParent(path: readonly string[]): string;
}

/** What a machine is and has. Bytes, cores. */
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

export interface Machine {
  facts(): Promise<MachineFacts>;
  pressure(): Promise<MachinePressure>;
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
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly fs: FileSystem;
  readonly process: Process;
  readonly runtime: RuntimeService;
  readonly images: ImageService;
  readonly client: KubeClient;
  readonly cgroups: Cgroups;
  readonly machine: Machine;
  readonly probeTransport: ProbeTransport;
  readonly streams: StreamDialer;
}

export interface KubeletConfig {
  readonly nodeName: string;
  /** Names this mendlet on a shared runtime socket: only sandboxes labelled with it are ours. */
  readonly instanceId: string;
  /** `DIR/agent`. Pod folders in `pods/UID`, memory files beside. */
  readonly rootDir: string;
  /** `/var/log/pods` as root. */
  readonly podLogsDir: string;
  readonly podCidr: string;
  /** Where pods reach the API server: KUBERNETES_SERVICE_HOST and _PORT. Absent: they cannot, and are told nothing. */
  readonly apiServer?: { readonly host: string; readonly port: number };
  readonly maxPods: number;
  readonly version: string;
  readonly clusterDns: readonly string[];
  readonly clusterDomain: string;
  /** `false` turns runtime events off (the bench's relist-alone figure); default true. */
  readonly runtimeEvents?: boolean;
  /** Absent: `DEFAULT_SETTINGS`. */
  readonly settings?: KubeletSettings;
}
