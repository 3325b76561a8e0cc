/**
 * The settings of the kubelet. Names, units and defaults are those of upstream's KubeletConfiguration
 * (kubelet.config.k8s.io/v1beta1), in plain units: ms, bytes. The file form is read in `kubelet-configuration/`.
 */
export interface KubeletSettings {
  /** Folder (or file) of static pods; absent: none. */
  readonly staticPodPath?: string;
  readonly fileCheckFrequencyMs: number;
  readonly maxPods: number;
  /** −1: unlimited. Per pod. */
  readonly podPidsLimit: number;
  /** Upstream's default is one at a time: there a slow registry blocks all. */
  readonly maxParallelImagePulls: number;
  readonly allowedUnsafeSysctls: readonly string[];
  readonly seccompDefault: boolean;
  readonly clusterDns: readonly string[];
  /** The folder in which the node makes volumes when it is asked to; no field of the file. Absent: it makes none. */
  readonly volumesDir?: string;
  /** Where CSI drivers look for the kubelet's folders; no field of the file. Absent: this node runs no drivers. */
  readonly kubeletDir?: string;
  readonly clusterDomain: string;
  readonly resolvConf: string;
  readonly crashLoopBackOff: { readonly maxContainerRestartPeriodMs: number };
  readonly containerLogs: {
    /** A log longer than this is rotated. */
    readonly maxSizeBytes: number;
    /** Files kept for each container, the current one included. */
    readonly maxFiles: number;
    readonly monitorIntervalMs: number;
  };
  readonly imageGc: {
    readonly minimumAgeMs: number;
    /** 0: an unused image is never too old. */
    readonly maximumAgeMs: number;
    readonly highThresholdPercent: number;
    readonly lowThresholdPercent: number;
  };
  readonly eviction: {
    /** Signal → quantity or percentage, as written: `memory.available` → `100Mi`. */
    readonly hard: Readonly<Record<string, string>>;
    readonly soft: Readonly<Record<string, string>>;
    readonly softGracePeriodMs: Readonly<Record<string, number>>;
    readonly maxPodGracePeriodSeconds: number;
    readonly pressureTransitionPeriodMs: number;
    readonly minimumReclaim: Readonly<Record<string, string>>;
  };
  readonly pleg: {
    /** `auto`: evented where the runtime has a stream, generic otherwise and while the stream fails. */
    readonly mode: 'auto' | 'generic' | 'evented';
    readonly genericRelistPeriodMs: number;
    /** While the stream lives. Upstream: 300 s. */
    readonly eventedRelistPeriodMs: number;
  };
  readonly nodeStatusUpdateFrequencyMs: number;
  /** An unchanged status is reported again after this time. */
  readonly nodeStatusReportFrequencyMs: number;
  readonly nodeLeaseDurationSeconds: number;
  readonly streamingConnectionIdleTimeoutMs: number;
  readonly enableDebuggingHandlers: boolean;
  /** `/logs/` shows files of `/var/log`. */
  readonly enableSystemLogHandler: boolean;
  /** The client certificate is renewed before it ends. */
  readonly rotateCertificates: boolean;
  /** The certificate of the kubelet's own port comes from the API server. */
  readonly serverTlsBootstrap: boolean;
  /** Ours: how long the deaths of a pod are remembered after it is gone. */
  readonly deathHistoryRetentionMs: number;
}

const MINUTE_MS = 60_000;
const MIB = 1024 * 1024;

/**
 * Upstream's defaults (pkg/kubelet/apis/config/v1beta1/defaults.go); the relist period under events is ours, and both kinds of
 * certificates are renewed, as kubeadm sets it for clients.
 */
export const DEFAULT_SETTINGS: KubeletSettings = {
  fileCheckFrequencyMs: 20_000,
  maxPods: 110,
  podPidsLimit: -1,
  maxParallelImagePulls: 5,
  allowedUnsafeSysctls: [],
  seccompDefault: false,
  clusterDns: [],
  clusterDomain: 'cluster.local',
  resolvConf: '/etc/resolv.conf',
  crashLoopBackOff: { maxContainerRestartPeriodMs: 5 * MINUTE_MS },
  containerLogs: { maxSizeBytes: 10 * MIB, maxFiles: 5, monitorIntervalMs: 10_000 },
  imageGc: { minimumAgeMs: 2 * MINUTE_MS, maximumAgeMs: 0, highThresholdPercent: 85, lowThresholdPercent: 80 },
  eviction: {
    hard: {
      'memory.available': '100Mi',
      'nodefs.available': '10%',
      'nodefs.inodesFree': '5%',
      'imagefs.available': '15%',
      'imagefs.inodesFree': '5%',
    },
    soft: {},
    softGracePeriodMs: {},
    maxPodGracePeriodSeconds: 0,
    pressureTransitionPeriodMs: 5 * MINUTE_MS,
    minimumReclaim: {},
  },
  pleg: { mode: 'auto', genericRelistPeriodMs: 1000, eventedRelistPeriodMs: 10_000 },
  nodeStatusUpdateFrequencyMs: 10_000,
  nodeStatusReportFrequencyMs: 5 * MINUTE_MS,
  nodeLeaseDurationSeconds: 40,
  streamingConnectionIdleTimeoutMs: 4 * 60 * MINUTE_MS,
  enableDebuggingHandlers: true,
  enableSystemLogHandler: true,
  rotateCertificates: true,
  serverTlsBootstrap: true,
  deathHistoryRetentionMs: 24 * 60 * MINUTE_MS,
};
