/** The objects of group mendlet.dev, and the values of its annotations. Durations are Go's: "100ms", "5m", "1h30m". */
import type { LabelSelector, ObjectMeta, PodCondition } from '../types.gen.ts';

/** The scope of a restart: one container, all containers in their sandbox, or the pod with its shared context. */
export type RestartScope = 'container' | 'containers' | 'pod';
/** Steps of the ladder, lowest first. */
export type HealingScope = RestartScope | 'node';

export const HEALING_SCOPES: readonly HealingScope[] = ['container', 'containers', 'pod', 'node'];

/** One restart that is asked for: an object of its own, so that a role can grant it alone. */
export interface PodRestart {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta;
  spec?: PodRestartSpec;
  status?: PodRestartStatus;
}

export interface PodRestartSpec {
  podName?: string;
  /** The pod must still be this one. */
  podUID?: string;
  /** Default: pod. */
  scope?: RestartScope;
  /** With scope container. */
  container?: string;
  /**
   * Containers that started at this time or later are left alone, so that asking twice restarts once; if the time is in the
   * future, the restart waits for it.
   */
  notBefore?: string;
  reason?: string;
  /** Default: the pod's own. */
  gracePeriodSeconds?: number;
  /** Past a back-off, and past a ladder that has stopped. */
  force?: boolean;
  /** With scope pod: names of emptyDir volumes that are emptied; "*": all. */
  emptyDirs?: string[];
  /** Set by the server: the user who created it. */
  requestedBy?: string;
  /** The object goes this long after its end. Default: 3600. */
  ttlSecondsAfterFinished?: number;
}

export type PodRestartPhase = 'Pending' | 'Running' | 'Succeeded' | 'Failed';

export interface PodRestartStatus {
  phase?: PodRestartPhase;
  /** Restarted, NotNeeded (notBefore), PodNotFound, PodFinished, PodReplaced, Refused, Superseded, TimedOut … */
  reason?: string;
  message?: string;
  podUID?: string;
  nodeName?: string;
  startTime?: string;
  completionTime?: string;
  observedGeneration?: number;
}

/** How pods that its selector names heal, beyond what their restart policy says. */
export interface HealingPolicy {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta;
  spec?: HealingPolicySpec;
  status?: HealingPolicyStatus;
}

export interface HealingPolicySpec {
  /** Which pods of its namespace. Not in an annotation. */
  selector?: LabelSelector;
  /** If several match, the highest wins; then the first by name. */
  priority?: number;
  /** In the order of `HEALING_SCOPES`, each at most once. Default: 3 × container within 10m, then 3 × pod within 1h. */
  rungs?: HealingRung[];
  /** Whole-pod restarts by the ladder in the lifetime of the pod; after that it climbs to the next rung. */
  maxPodRestarts?: number;
  /** After all containers were well for so long the ladder is reset. Default: 10m. */
  resetAfter?: string;
  /** Between restarts after a failure. Default: Kubernetes' curve. */
  backOff?: BackOffCurve;
  /** Between restarts after exit code 0. Default: `backOff`. */
  backOffAfterSuccess?: BackOffCurve;
  /** The first that matches a death decides. */
  rules?: HealingRule[];
  /** Whether back-offs end early when their cause may be gone. Default: Always. */
  lateRecovery?: 'Always' | 'Never';
  /** What is done about volumes of these pods that are lost or do not work. */
  volumes?: HealingVolumes;
}

export interface HealingVolumes {
  /**
   * A volume that is a folder of a node is given up when the node has not been heard of for so long: 10s to 720h. Its claim gets a
   * new, empty one. Absent: never. Not in an annotation.
   */
  giveUpAfter?: string;
  /** The whole pod is restarted, with its volumes mounted anew, when one of them has this problem. Absent: never. */
  restartPodOn?: VolumeTroubleReason[];
}

/** What may be wrong with a volume that a pod has; the worst first. */
export type VolumeTroubleReason = 'MountLost' | 'Stale' | 'Hangs' | 'ReadOnly' | 'Abnormal';

export const VOLUME_TROUBLES: readonly VolumeTroubleReason[] = ['MountLost', 'Stale', 'Hangs', 'ReadOnly', 'Abnormal'];

export interface HealingRung {
  scope?: HealingScope;
  /** How often within `window`, then the next rung is tried. Default: 3. */
  attempts?: number;
  /** Default: the whole episode. */
  window?: string;
  /** With scope pod: emptyDirs that are emptied; "*": all. */
  emptyDirs?: string[];
}

export interface BackOffCurve {
  /** Before the second restart; the first is free. 100ms to 1h. Default: 10s, or less: `cap`. */
  initial?: string;
  /** 1 to 10. Default: 2. */
  factor?: number;
  /** From `initial` to 1h. Default: 5m, or more: `initial`. */
  cap?: string;
  /** A run of this length resets the curve. Default: 10m. */
  resetAfter?: string;
  /** A random part of the delay is added, at most this share of it: 0 to 1. Default: 0. */
  jitter?: number;
}

/** All that it names must fit. */
export interface HealingRule {
  containers?: string[];
  onExitCodes?: { operator?: 'In' | 'NotIn'; values?: number[] };
  onOutOfMemory?: boolean;
  onProbeFailure?: ('Liveness' | 'Startup')[];
  /** Stop: at once, no more restarts. Escalate: at once to `rung`, or the next one. BackOff (default): by `backOff`. */
  action?: 'BackOff' | 'Escalate' | 'Stop';
  rung?: HealingScope;
  backOff?: BackOffCurve;
}

export interface HealingPolicyStatus {
  observedGeneration?: number;
  /** Pods that heal by it now. */
  pods?: number;
  conditions?: PodCondition[];
}

/** Value of `mendlet.dev/restart-request`. */
export interface RestartRequest {
  /** The PodRestart's UID, or anything that names this request among others; done once. */
  readonly id: string;
  readonly scope: RestartScope;
  readonly container?: string;
  readonly notBefore?: string;
  readonly reason?: string;
  /** The requester. */
  readonly by?: string;
  readonly gracePeriodSeconds?: number;
  readonly force?: boolean;
  readonly emptyDirs?: readonly string[];
  /** RFC 3339. */
  readonly requestedAt?: string;
}

/** The outcome of a request, in `HealingState`. */
export interface RestartOutcome {
  readonly id: string;
  readonly phase: PodRestartPhase;
  readonly reason?: string;
  readonly message?: string;
  /** RFC 3339: when this phase began. */
  readonly at: string;
}

/** Value of `mendlet.dev/healing`: at most `MAX_HEALING_STATE_BYTES`. */
export interface HealingState {
  /** The rung of the present episode; absent: all is well, or there is no policy. */
  readonly rung?: HealingScope | 'stopped';
  /** Restarts of this rung within its window, and how many it allows. */
  readonly attempts?: number;
  readonly of?: number;
  /** Whole-pod restarts by the ladder, in the pod's life. */
  readonly podRestarts?: number;
  /**
   * The part of the pod's restart counts that no container's own end caused, since it was restarted by request or with
   * others. Reported where restarts count as failures (`restartPolicy: OnFailure`).
   */
  readonly cleanRestarts?: number;
  /** RFC 3339: when the episode began. */
  readonly since?: string;
  /** The last death: "web exited with 137 (OOMKilled)". */
  readonly cause?: string;
  /** The wish to leave the node, by its name; the verdict names it again. */
  readonly move?: { readonly id: string; readonly cause: string; readonly at: string };
  /** Newest first, at most `MAX_RESTART_OUTCOMES`. */
  readonly restarts?: readonly RestartOutcome[];
  /** The last recovery that ended a back-off early, and when it first did. */
  readonly recovery?: { readonly cause: string; readonly at: string };
  /** Why the policy in the annotation is not used. */
  readonly problem?: string;
}

export const MAX_HEALING_STATE_BYTES = 2048;
export const MAX_RESTART_OUTCOMES = 3;

/** Value of `mendlet.dev/recovery`. */
export interface RecoverySignal {
  readonly id: string;
  /** RFC 3339. */
  readonly at: string;
  /** "service/db became ready". */
  readonly cause: string;
}

/** Value of `mendlet.dev/move-verdict`. A pod that may move is evicted; so there is no other verdict. */
export interface MoveVerdict {
  /** The wish that it answers. */
  readonly id: string;
  readonly action: 'stop';
  readonly message: string;
}

/** One of `mendlet.dev/avoid-nodes`: a pod died there, and was moved away. */
export interface AvoidedNode {
  readonly node: string;
  /** RFC 3339: forgotten then. */
  readonly until: string;
  /** RFC 3339: when the pod was moved. Absent if somebody wrote the node down by hand. */
  readonly at?: string;
  /** The pod that died there, and its cause. For a StatefulSet it counts only for the pod of this name. */
  readonly pod?: string;
  readonly cause?: string;
}
