/**
 * The types that the kubelet's inner rooms share. Knowledge about a pod has three owners: desired (config), working
 * (pod-workers), observed (pleg); a fourth kind, memory, is the worker's own durable note.
 */
import type {
  Container,
  ImageVolumeSource,
  PersistentVolumeClaim,
  Pod,
  PodStatus,
  VolumeTroubleReason,
} from '../api/index.ts';
import type { ContainerStatus, SandboxStatus } from '../cri/index.ts';
import type { VolumeStats } from '../csi/index.ts';

export type PodUID = string;

/** The runtime's view of one container or sandbox, named apart from the API's ContainerStatus. */
export type { ContainerStatus as RuntimeContainer, SandboxStatus as RuntimeSandbox } from '../cri/index.ts';

/** Why a UID was marked dirty: for logs and metrics, never for logic. */
export type DirtyCause =
  | 'config'
  | 'pleg'
  | 'runtime-event'
  | 'probe'
  | 'timer'
  | 'housekeeping'
  | 'image'
  | 'volume'
  | 'stop'
  | 'hook'
  | 'status'
  | 'recovery'
  | 'routing'
  | 'retry';

/** The one way of every sub-room to a worker: something about this pod may have changed; look again. Never blocks. */
export type MarkDirty = (uid: PodUID, cause: DirtyCause) => void;

/** The runtime's state of one pod, as last read. Sandboxes and containers: newest first. `at`: mono ms when the read began. */
export interface PodObservation {
  readonly uid: PodUID;
  readonly name: string;
  readonly namespace: string;
  readonly sandboxes: readonly SandboxStatus[];
  readonly containers: readonly ContainerStatus[];
  readonly at: number;
}

/** PLEG (Generic; Evented comes on the same port): relists, reads single pods, diffs, marks dirty. */
export interface Pleg {
  /** The cached observation; `undefined` when the runtime has nothing of this pod. Never older than the last change reported. */
  observation(uid: PodUID): PodObservation | undefined;
  /** Reads this pod from the runtime now, updates the cache. Rejects with RuntimeError; then the old observation stands. */
  inspect(uid: PodUID): Promise<PodObservation | undefined>;
  /** UIDs of all pods of ours the runtime has anything of. Empty until the first relist (see `synced`). */
  uids(): readonly PodUID[];
  /** True after the first successful relist: before it "the runtime has nothing" is not known. */
  synced(): boolean;
  /**
   * False while the runtime is known to have something of this pod that could not be read yet: `observation` is then
   * `undefined` without meaning "nothing", and nothing may be started.
   */
  known(uid: PodUID): boolean;
  /** `undefined` when healthy, else upstream's message ("pleg was last seen active 3m5s ago; threshold is 3m0s"). */
  unhealthy(): string | undefined;
  run(signal: AbortSignal): Promise<void>;
}

export type ProbeResult = 'success' | 'failure' | 'unknown';

/** Present only for probes that the container has. */
export interface ProbeResults {
  readonly startup?: ProbeResult;
  readonly liveness?: ProbeResult;
  readonly readiness?: ProbeResult;
}

export interface ProbeManager {
  /** Starts, keeps and stops probe workers so that they fit the pod and its running containers. Idempotent, cheap. */
  sync(pod: Pod, observation: PodObservation | undefined, options: { readonly terminating: boolean }): void;
  /** By container id. */
  results(uid: PodUID): Readonly<Record<string, ProbeResults>>;
  forget(uid: PodUID): void;
}

/** The facts about one container's image. Times: mono ms. */
export type ImageFact =
  | { readonly state: 'pulling' }
  | {
      readonly state: 'present';
      readonly imageId: string;
      readonly user?: { readonly uid?: number; readonly username?: string };
    }
  /** `reason`: ErrImagePull, ImagePullBackOff, ErrImageNeverPull, InvalidImageName, ImageInspectError … `retryAt`: mono ms, when `request` will try again. */
  | { readonly state: 'failed'; readonly reason: string; readonly message: string; readonly retryAt?: number };

export interface ImageManager {
  /**
   * Asks for the image that this start of this container needs, by its pull policy. `attempt` names the start, so that
   * policy Always pulls once per start. Marks the pod dirty ('image') on any change; emits Pulling, Pulled, Failed, BackOff.
   */
  request(pod: Pod, containerName: string, attempt: number): void;
  /** `undefined`: never requested for this attempt. */
  fact(uid: PodUID, containerName: string, attempt: number): ImageFact | undefined;
  /** Gets the image of an image volume, once, by its pull policy; reports as `request` does. */
  volumeImage(pod: Pod, source: ImageVolumeSource): Promise<ImageFact>;
  /** Failed images of the pod may be tried again now. Their back-offs keep growing: the next failure waits longer. */
  afresh(uid: PodUID): void;
  forget(uid: PodUID): void;
}

export type VolumesFact =
  | { readonly state: 'preparing' }
  /** `paths`: host folder or file of each volume by name. `images`: image id of each image volume by name. */
  | {
      readonly state: 'ready';
      readonly paths: Readonly<Record<string, string>>;
      readonly images?: Readonly<Record<string, string>>;
    }
  /** `reason`: the waiting reason of the containers (ErrImagePull of an image volume). */
  | { readonly state: 'failed'; readonly message: string; readonly retryAt: number; readonly reason?: string };

/** One volume of a pod, as it is. */
export interface PodVolume {
  readonly name: string;
  /** As in metrics: kubernetes.io/configmap. */
  readonly plugin: string;
  /** Its path on the host; absent: it is not set up (yet). */
  readonly path?: string;
  /** Why the last try to set it up, or to bring it up to date, failed. */
  readonly problem?: string;
}

/** What is wrong with a volume that the pod has: a driver, or another machine, serves it. */
export interface VolumeTrouble {
  /** Its name in the pod. */
  readonly volume: string;
  readonly reason: VolumeTroubleReason;
  readonly message: string;
  /** Wall ms. */
  readonly since: number;
}

/** A mount of one folder or file of a volume. */
export interface SubPathWish {
  readonly volume: string;
  readonly container: string;
  /** Index of the mount among the container's mounts. */
  readonly index: number;
  readonly volumePath: string;
  /** Relative, without `..`. */
  readonly subPath: string;
  /** Only mendlet writes there: the file exists or not, and its links (..data) are ours. */
  readonly content: boolean;
  /** What it is made of may be absent: then the container gets an empty folder. */
  readonly isOptional: boolean;
}

export interface VolumeManager {
  /** Begins to set the pod's volumes up (or keeps them); marks dirty ('volume') on change. Idempotent. Retries by itself with back-off. */
  prepare(pod: Pod): void;
  fact(uid: PodUID): VolumesFact | undefined;
  /** Tries what failed of a prepared pod again now, not after its back-off. */
  retry(uid: PodUID): void;
  /** Each of a prepared pod's volumes. */
  volumes(uid: PodUID): readonly PodVolume[];
  /**
   * The path of a subPath of one of the pod's volumes on the host, safe from programs that write to that volume meanwhile;
   * for one start of the container. Missing folders are made. Rejects with `FileError`.
   */
  pinSubPath(uid: PodUID, wish: SubPathWish): Promise<string>;
  /**
   * Unmounts and removes all of the pod's volumes and its folder, also after a restart of the agent. Rejects while something
   * is still mounted, and reports it in an event of `pod`; to be tried again.
   */
  tearDown(uid: PodUID, pod?: Pod): Promise<void>;
  /**
   * Before the pod's containers start again in a restart of the whole pod: these emptyDirs ("*": all) are emptied, and files
   * that mendlet writes are brought up to date. No container of the pod may run. Idempotent; rejects while something of an
   * emptyDir cannot be removed, to be tried again.
   * @param renewed names of volumes of drivers and other machines that are mounted anew
   */
  refresh(pod: Pod, emptyDirs: readonly string[], renewed?: readonly string[]): Promise<void>;
  /** What is wrong with volumes that the pod has. Marks dirty ('volume') on change. */
  troubles?(uid: PodUID): readonly VolumeTrouble[];
  /** What CSI drivers say of the pod's volumes, by the volume's name in the pod. Drivers that say nothing in time are left out. */
  driverStats(pod: Pod): Promise<ReadonlyMap<string, VolumeStats>>;
  /** UIDs with anything on disk: orphans after a restart. */
  onDisk(): Promise<readonly PodUID[]>;
}

/** By name; undefined: it is removed. Names that are absent are left alone. */
export type StatusAnnotations = Readonly<Record<string, string | undefined>>;

/** Delivers statuses to the API server; remembers only what the server acknowledged. */
export interface StatusManager {
  /** The latest status wins; never blocks. `annotations`: our own on the pod, reported with it; undefined removes one. */
  report(pod: Pod, status: PodStatus, annotations?: StatusAnnotations): void;
  /**
   * The pod's containers are gone and its resources are reclaimed: deliver the last status, then delete the object
   * (grace 0, UID precondition) if it is being deleted.
   */
  finish(pod: Pod, status: PodStatus, annotations?: StatusAnnotations): void;
  forget(uid: PodUID): void;
  /** True when nothing reported is still undelivered. */
  settled(): boolean;
  run(signal: AbortSignal): Promise<void>;
}

/** Event recorder as sub-rooms see it: `type` Normal or Warning; `fieldPath` e.g. "spec.containers{web}". Never blocks. */
/** Events of what pods of this node use, beside those of the pods. */
export interface VolumeEvents extends PodEvents {
  claim(claim: PersistentVolumeClaim, type: 'Normal' | 'Warning', reason: string, message: string): void;
}

export interface PodEvents {
  pod(pod: Pod, type: 'Normal' | 'Warning', reason: string, message: string, fieldPath?: string): void;
  node(type: 'Normal' | 'Warning', reason: string, message: string): void;
}

/** The value for a container without a limit: the node's allocatable resources (as upstream). */
export interface NodeResources {
  readonly cpuCores: number;
  readonly memoryBytes: number;
  readonly ephemeralStorageBytes?: number;
}

/** Where pods reach the API server. */
export interface ApiServerAddress {
  readonly host: string;
  readonly port: number;
  /**
   * Whether this node routes to the `kubernetes` service, and the route has been tried: then new containers are told the address of
   * the service. Absent: it does not.
   */
  serviceRouteWorks?(): boolean;
}

/** The facts about the running pod that `env/` needs to resolve a container's environment. */
export interface EnvironmentInput {
  readonly pod: Pod;
  readonly container: Container;
  /** The sandbox's addresses; on the host network the node's. First is the primary. */
  readonly podIps: readonly string[];
  readonly hostIps: readonly string[];
  readonly nodeName: string;
  /** CPU (cores) and memory (bytes) of the node: the value of resourceFieldRef for a container without a limit. */
  readonly nodeAllocatable: NodeResources;
}

/** `ok: false`: the container waits with reason CreateContainerConfigError and this message. */
export type ContainerEnvironment =
  | {
      readonly ok: true;
      readonly env: readonly { readonly name: string; readonly value: string }[];
      /** `$(NAME)` expanded. */
      readonly command: readonly string[];
      readonly args: readonly string[];
      /** Expands `$(NAME)` with this environment: for `subPathExpr`. `undefined`: a name is missing. */
      expand(text: string): string | undefined;
    }
  | { readonly ok: false; readonly message: string };

/** Resolves env, envFrom, field and resource references, ConfigMaps and Secrets, command and args. Never rejects for a bad pod. */
export interface EnvironmentResolver {
  resolve(input: EnvironmentInput): Promise<ContainerEnvironment>;
}

/** One pod as the kubelet's own API (`server/`) sees it. */
export interface PodView {
  readonly pod: Pod;
  /** The status last generated; `undefined` before the first pass. */
  readonly status: PodStatus | undefined;
  readonly observation: PodObservation | undefined;
}

/** The view of the working kubelet for `server/`. */
export interface PodDirectory {
  pods(): readonly PodView[];
  find(namespace: string, name: string, uid?: PodUID): PodView | undefined;
}

export interface PressureVerdict {
  readonly memory: boolean;
  readonly disk: boolean;
  readonly pid: boolean;
}

/** Verdicts of the kubelet's parts, for /healthz, /readyz and the Ready condition. */
export interface KubeletHealth {
  /** `undefined` when the sync loop is alive, else why not. */
  syncLoop(): string | undefined;
  /** `undefined` when the runtime is looked at often enough, else why not. */
  pleg?(): string | undefined;
  /** The reasons that keep the node from being Ready, in upstream's words; empty when there are none. */
  runtimeErrors(): readonly string[];
}
