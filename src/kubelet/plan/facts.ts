/** The inputs of a plan besides the pod. All of them were observed before; nothing is asked for while planning. */
import type { Pod, PodStatus } from '../../api/index.ts';
import type { Now } from '../../lib/index.ts';
import type { ImageFact, PodObservation, ProbeResults, VolumesFact, VolumeTrouble } from '../types.ts';
import type { PodLifecycle } from './lifecycle.ts';
import type { PodMemory } from './pod-memory.ts';
import type { Circumstances } from './recovery/circumstances.ts';
import type { WithdrawalFact } from './signal-time.ts';

/** Something begun and not ended. Times: mono ms. */
export interface RunningJob {
  readonly startedAt: number;
  /** Of a stop: the end of its grace period. */
  readonly deadline?: number;
}

/** Has the node room for the pod as its spec now wants it? */
export type ResizeVerdict =
  | { readonly fits: true }
  | { readonly fits: false; readonly reason: 'Deferred' | 'Infeasible'; readonly message: string };

export interface PodFacts {
  /** By job key (`jobKey`). */
  readonly jobs: Readonly<Record<string, RunningJob>>;
  readonly volumes: VolumesFact | undefined;
  /** What is wrong with volumes that the pod has; absent: nothing. */
  readonly volumeTroubles?: readonly VolumeTrouble[];
  readonly image: (container: string, attempt: number) => ImageFact | undefined;
  /** Whether the node has room for the pod as its spec wants it, beside the other pods; absent: it has. */
  readonly resize?: (pod: Pod) => ResizeVerdict;
  /** The circumstances of the pod, as far as they are known; absent: they are not watched. */
  readonly circumstances?: Circumstances;
  /** How far the traffic to the pod, which is to end or to restart, has gone elsewhere; absent: mendlet does not route here. */
  readonly withdrawal?: WithdrawalFact | 'needless';
  /** Whether others serve all clients of the pod while it restarts; absent: mendlet does not route here. */
  readonly canLeave?: () => boolean;
  /** By container ID. */
  readonly probes: Readonly<Record<string, ProbeResults>>;
  readonly node: NodeFacts;
}

/** The facts about the node that a plan needs. */
export interface NodeFacts {
  readonly name: string;
  readonly hostIps: readonly string[];
  /** As in `containerID: containerd://…`. */
  readonly runtimeName: string;
  /** Longest delay of a crash loop, ms; absent: upstream's five minutes. */
  readonly maxRestartPeriodMs?: number;
}

export interface PlanInput {
  readonly pod: Pod;
  /** The pod's object (or manifest) still exists; when not, `pod` is as it was last seen. */
  readonly wanted: boolean;
  readonly lifecycle: PodLifecycle;
  readonly observed: PodObservation | undefined;
  readonly memory: PodMemory;
  readonly facts: PodFacts;
  /** The status reported last (or the API server's): for transition times and what the runtime has lost. */
  readonly previousStatus: PodStatus | undefined;
  readonly now: Now;
}

/** An event that the plan wants to be sent. */
export interface PlannedEvent {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
  readonly fieldPath?: string;
}
