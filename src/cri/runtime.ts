/**
 * The container runtime as a port: CRI v1's nouns in plain data. Implementations: `containerd/` (CRI over gRPC, any CRI
 * socket), later `process/`; the simulator has one of its own. Every call may reject with `RuntimeError`; a call that
 * rejects with `Unavailable` or `DeadlineExceeded` may have taken effect.
 */
export type SandboxState = 'ready' | 'notready';
export type ContainerState = 'created' | 'running' | 'exited' | 'unknown';
export type StringMap = Readonly<Record<string, string>>;

/** Attempt counts from 0; the runtime refuses a second (name, attempt) in a sandbox, so a repeated create cannot double. */
export interface SandboxMetadata {
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
  readonly attempt: number;
}

/** A line of ListPodSandbox. `createdAt`: wall ms. */
export interface Sandbox {
  readonly id: string;
  readonly metadata: SandboxMetadata;
  readonly state: SandboxState;
  readonly createdAt: number;
  readonly labels: StringMap;
  readonly annotations: StringMap;
}

/** PodSandboxStatus. `ips`: first is the primary; empty on the host network or when the network is gone. */
export interface SandboxStatus extends Sandbox {
  readonly ips: readonly string[];
  readonly hostNetwork: boolean;
}

/** A line of ListContainers. */
export interface Container {
  readonly id: string;
  readonly sandboxId: string;
  readonly name: string;
  readonly attempt: number;
  readonly state: ContainerState;
  readonly createdAt: number;
  readonly image: string;
  readonly imageRef: string;
  readonly labels: StringMap;
  readonly annotations: StringMap;
}

/** ContainerStatus. Times: wall ms, 0 when not yet. `reason` as the runtime says it: Completed, Error, OOMKilled, StartError … */
export interface ContainerStatus extends Container {
  readonly startedAt: number;
  readonly finishedAt: number;
  readonly exitCode: number;
  readonly reason: string;
  readonly message: string;
  readonly logPath: string;
  /** It has exited, and the runtime has not removed its task yet: its log may still grow, and its status has to be read again. */
  readonly ending?: true;
  /** The resources that its cgroup has now; absent where the runtime does not report them (containerd 1.6). */
  readonly resources?: ActualResources;
  /** The user of its first process; absent where the runtime does not report it. */
  readonly user?: { readonly uid: number; readonly gid: number; readonly supplementalGroups: readonly number[] };
  /** Signal name such as SIGTERM; absent where the runtime does not say. */
  readonly stopSignal?: string;
}

/** Zero: not limited, or not said. */
export type ActualResources = Pick<LinuxResources, 'cpuPeriod' | 'cpuQuota' | 'cpuShares' | 'memoryLimitBytes'>;

export type NamespaceMode = 'pod' | 'container' | 'node';

export interface PortMapping {
  readonly protocol: 'TCP' | 'UDP' | 'SCTP';
  readonly containerPort: number;
  readonly hostPort: number;
  readonly hostIp: string;
}

export interface SandboxConfig {
  readonly metadata: SandboxMetadata;
  readonly hostname: string;
  /** Absolute folder of the pod's logs. */
  readonly logDirectory: string;
  readonly dns?: {
    readonly servers: readonly string[];
    readonly searches: readonly string[];
    readonly options: readonly string[];
  };
  readonly portMappings: readonly PortMapping[];
  readonly labels: StringMap;
  readonly annotations: StringMap;
  readonly cgroupParent: string;
  readonly namespaces: { readonly network: NamespaceMode; readonly pid: NamespaceMode; readonly ipc: NamespaceMode };
  readonly sysctls: StringMap;
  readonly security?: ContainerSecurity;
  /** The requests of all containers together, and the overhead of the sandbox itself. */
  readonly resources?: LinuxResources;
  readonly overhead?: LinuxResources;
  /** Which of the runtime's handlers runs the pod (RuntimeClass); absent or empty: its default. */
  readonly runtimeHandler?: string;
}

export interface Device {
  readonly containerPath: string;
  readonly hostPath: string;
  /** Of the device's cgroup: r, w, m. */
  readonly permissions: string;
}

export interface Mount {
  readonly containerPath: string;
  readonly hostPath: string;
  readonly readonly: boolean;
  /** Mounts below it are read-only, too; only for a read-only mount, and only if the handler can do that. */
  readonly recursiveReadOnly?: boolean;
  readonly propagation: 'private' | 'host-to-container' | 'bidirectional';
  /** An image's files instead of a host path (which is then empty): an image id, and a folder in it. */
  readonly image?: string;
  readonly imageSubPath?: string;
}

export interface LinuxResources {
  readonly cpuPeriod: number;
  readonly cpuQuota: number;
  readonly cpuShares: number;
  readonly memoryLimitBytes: number;
  readonly oomScoreAdj: number;
  /** cgroup v2 files, e.g. memory.oom.group. */
  readonly unified?: StringMap;
}

export interface ContainerSecurity {
  readonly privileged: boolean;
  readonly readonlyRootfs: boolean;
  readonly noNewPrivileges: boolean;
  readonly runAsUser?: number;
  readonly runAsGroup?: number;
  readonly runAsUsername?: string;
  readonly supplementalGroups: readonly number[];
  /** Strict: the groups that the image gives its user do not count. Absent: Merge. */
  readonly supplementalGroupsPolicy?: 'Merge' | 'Strict';
  readonly addCapabilities: readonly string[];
  readonly dropCapabilities: readonly string[];
  readonly seccomp?: { readonly type: 'RuntimeDefault' | 'Unconfined' | 'Localhost'; readonly localhostRef?: string };
  readonly apparmor?: { readonly type: 'RuntimeDefault' | 'Unconfined' | 'Localhost'; readonly localhostRef?: string };
  readonly maskedPaths?: readonly string[];
  readonly readonlyPaths?: readonly string[];
  /** For an ephemeral container: share the process namespace of this container id. */
  readonly targetContainerId?: string;
  readonly pid?: NamespaceMode | 'target';
  readonly ipc?: NamespaceMode;
  readonly network?: NamespaceMode;
}

export interface ContainerConfig {
  readonly name: string;
  readonly attempt: number;
  /** A name that the runtime resolves: an image id from `ImageService`. */
  readonly image: string;
  /** The name as written in the manifest. */
  readonly userSpecifiedImage: string;
  readonly command: readonly string[];
  readonly args: readonly string[];
  readonly workingDir: string;
  readonly env: readonly { readonly name: string; readonly value: string }[];
  readonly mounts: readonly Mount[];
  /** Block devices of the host. */
  readonly devices?: readonly Device[];
  readonly labels: StringMap;
  readonly annotations: StringMap;
  /** Relative to the sandbox's log directory. */
  readonly logPath: string;
  readonly stdin: boolean;
  readonly stdinOnce: boolean;
  readonly tty: boolean;
  readonly resources: LinuxResources;
  readonly security: ContainerSecurity;
  /** Signal name such as SIGUSR1; the image's when absent. */
  readonly stopSignal?: string;
}

/** A hint that something happened: read the state, never trust the event. `podUid` is unknown in containerd's own events. */
export interface RuntimeEvent {
  readonly kind: 'created' | 'started' | 'stopped' | 'deleted' | 'oom';
  /** Container or sandbox id. */
  readonly id: string;
  readonly podUid?: string;
}

/** The runtime's own state. */
export interface RuntimeStatus {
  readonly runtimeReady: boolean;
  readonly runtimeMessage: string;
  readonly networkReady: boolean;
  readonly networkMessage: string;
  readonly features?: RuntimeFeatures;
}

export interface RuntimeFeatures {
  readonly supplementalGroupsPolicy: boolean;
  /** By name; the default handler has an empty one. */
  readonly handlers: readonly RuntimeHandler[];
}

export interface RuntimeHandler {
  readonly name: string;
  readonly recursiveReadOnlyMounts: boolean;
  readonly userNamespaces: boolean;
}

export interface RuntimeVersion {
  readonly runtimeName: string;
  readonly runtimeVersion: string;
  readonly apiVersion: string;
}

/** The runtime's figures of a container's usage; absent: it does not report them. `at`: wall ms. */
export interface ContainerStats {
  readonly id: string;
  readonly cpuUsageNanoseconds?: number;
  readonly memoryWorkingSetBytes?: number;
  readonly memoryUsageBytes?: number;
  /** The writable layer. */
  readonly rootfsUsedBytes?: number;
  readonly rootfsInodesUsed?: number;
  readonly at: number;
}

export interface CallOptions {
  readonly signal?: AbortSignal;
  /** Default 120 s (kubelet's runtimeRequestTimeout). */
  readonly timeoutMs?: number;
}

export interface ExecResult {
  readonly exitCode: number;
  /** Each bounded to 16 KiB (kubelet's maxRespBodyLength is 10 KiB; CRI's own cap is 16 MiB). */
  readonly stdout: string;
  readonly stderr: string;
}

export interface ListFilter {
  readonly id?: string;
  readonly sandboxId?: string;
  /** All of these labels. */
  readonly labels?: StringMap;
}

export interface RuntimeService {
  version(options?: CallOptions): Promise<RuntimeVersion>;
  status(options?: CallOptions): Promise<RuntimeStatus>;
  runSandbox(config: SandboxConfig, options?: CallOptions): Promise<string>;
  /** Idempotent; a missing sandbox is not an error. */
  stopSandbox(id: string, options?: CallOptions): Promise<void>;
  removeSandbox(id: string, options?: CallOptions): Promise<void>;
  listSandboxes(filter?: ListFilter, options?: CallOptions): Promise<readonly Sandbox[]>;
  /** `undefined`: there is none (any more). */
  sandboxStatus(id: string, options?: CallOptions): Promise<SandboxStatus | undefined>;
  createContainer(
    sandboxId: string,
    config: ContainerConfig,
    sandbox: SandboxConfig,
    options?: CallOptions,
  ): Promise<string>;
  startContainer(id: string, options?: CallOptions): Promise<void>;
  /** SIGTERM (or the stop signal) now, SIGKILL after the grace; resolves when it is dead. Calls may overlap: the shortest grace wins. */
  stopContainer(id: string, graceSeconds: number, options?: CallOptions): Promise<void>;
  removeContainer(id: string, options?: CallOptions): Promise<void>;
  listContainers(filter?: ListFilter, options?: CallOptions): Promise<readonly Container[]>;
  containerStatus(id: string, options?: CallOptions): Promise<ContainerStatus | undefined>;
  updateContainerResources(id: string, resources: LinuxResources, options?: CallOptions): Promise<void>;
  reopenContainerLog(id: string, options?: CallOptions): Promise<void>;
  containerStats(filter?: ListFilter, options?: CallOptions): Promise<readonly ContainerStats[]>;
  /** Rejects with DeadlineExceeded when the command outlives `timeoutMs`. */
  execSync(id: string, command: readonly string[], timeoutMs: number, options?: CallOptions): Promise<ExecResult>;
  /** URL of the runtime's streaming server for exec/attach/port-forward. */
  exec(request: ExecRequest, options?: CallOptions): Promise<string>;
  /**
   * Runs a command with its streams in our hands, where the runtime lets us. `undefined`: nothing was started, and `exec` is
   * the way (it also has the words for what failed). Rejects only when the command may have been started.
   */
  openExec?(request: ExecRequest, options?: CallOptions): Promise<ExecSession | undefined>;
  attach(request: Omit<ExecRequest, 'command'>, options?: CallOptions): Promise<string>;
  portForward(sandboxId: string, ports: readonly number[], options?: CallOptions): Promise<string>;
  updatePodCidr(cidr: string, options?: CallOptions): Promise<void>;
  /**
   * The runtime's event stream (CRI's GetContainerEvents, or containerd's own where CRI has none). `onConnected` is called
   * once the stream stands. Ends by rejecting with `RuntimeError`; `Unimplemented` means: this runtime has none.
   */
  events(signal: AbortSignal, onConnected: () => void): AsyncIterable<RuntimeEvent>;
}

export interface ExecRequest {
  readonly containerId: string;
  readonly command: readonly string[];
  readonly stdin: boolean;
  readonly stdout: boolean;
  readonly stderr: boolean;
  readonly tty: boolean;
}

/** A command that runs in a container. */
export interface ExecSession {
  /** Resolves when there is room for more. Rejects when the command takes no more. */
  write(chunk: Uint8Array): Promise<void>;
  /** The command's input ends. Idempotent. */
  endInput(): void;
  /** They end when the command has ended, or later; read them together. An output that was not asked for is empty. */
  readonly stdout: AsyncIterable<Uint8Array>;
  readonly stderr: AsyncIterable<Uint8Array>;
  /** The size of its terminal, in characters. Never rejects. */
  resize(columns: number, rows: number): Promise<void>;
  /** Its exit code. Rejects when it can't be known any more, or after `close`. */
  readonly exit: Promise<number>;
  /** Ends input and outputs on our side; a running command goes on. Idempotent. */
  close(): void;
}

export interface Image {
  readonly id: string;
  readonly repoTags: readonly string[];
  readonly repoDigests: readonly string[];
  readonly sizeBytes: number;
  readonly pinned: boolean;
  /** The image's USER as a number or a name. */
  readonly uid?: number;
  readonly username?: string;
}

export interface RegistryAuth {
  readonly username?: string;
  readonly password?: string;
  readonly auth?: string;
  readonly identityToken?: string;
  readonly registryToken?: string;
}

/** The disk usage of all images, and where it is. */
export interface ImageFsInfo {
  readonly usedBytes: number;
  readonly inodesUsed?: number;
  readonly mountpoint: string;
}

export interface ImageService {
  list(options?: CallOptions): Promise<readonly Image[]>;
  /** By name or id; `undefined` when it is not present. */
  status(image: string, options?: CallOptions): Promise<Image | undefined>;
  /** Returns the image's id. No time-out of its own: pulls of large images take as long as they take. */
  pull(image: string, auth: RegistryAuth | undefined, options?: CallOptions): Promise<string>;
  remove(image: string, options?: CallOptions): Promise<void>;
  /** Bytes used by images on their file system, with its mount point. */
  fsInfo(options?: CallOptions): Promise<ImageFsInfo>;
}

export type RuntimeErrorCode =
  | 'NotFound'
  | 'AlreadyExists'
  | 'InvalidArgument'
  | 'FailedPrecondition'
  | 'ResourceExhausted'
  | 'PermissionDenied'
  | 'Unimplemented'
  | 'Unavailable'
  | 'DeadlineExceeded'
  | 'Cancelled'
  | 'Unknown';

/** An operating error of the runtime. `message` is the runtime's own text. */
export class RuntimeError extends Error {
  override readonly name = 'RuntimeError';
  readonly code: RuntimeErrorCode;
  constructor(code: RuntimeErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
  /** Worth trying again as it is: the runtime was away, busy or slow. */
  get retryable(): boolean {
    return this.code === 'Unavailable' || this.code === 'DeadlineExceeded' || this.code === 'ResourceExhausted';
  }
}
