/** The evidence about a workload or a node, with that of its pods. */
import type { HorizontalPodAutoscaler, LimitRange, PodHistory, ResourceQuota } from '../../api/index.ts';
import type { Event, Node, Pod, WorkloadObject } from './kinds.ts';
import type { NodeEvidence } from './node-evidence.ts';
import type { PodEvidence, ServiceEvidence } from './pod-evidence.ts';
import type { DriverEvidence, NodeDriversEvidence } from './storage-evidence.ts';

export interface WorkloadEvidence {
  /** Wall ms. */
  readonly now: number;
  readonly workload: WorkloadObject;
  /** Events of the workload, and of the ReplicaSets through which a Deployment makes its pods. */
  readonly events: readonly Event[];
  /** All pods of the workload. */
  readonly pods: readonly Pod[];
  /** The pods whose evidence was gathered. */
  readonly looked: readonly PodEvidence[];
  /** The node to which its template is fixed; absent: it is not, or that may not be read. */
  readonly fixedNode?: NodeEvidence;
  /** What nodes remember of pods of a failed job that has none any more, the newest first; absent: not asked for. */
  readonly gone?: readonly PodHistory[];
  /** The services that these pods needed, as they are now; absent: not asked for. */
  readonly goneServices?: readonly ServiceEvidence[];
  /** All nodes, for a DaemonSet that wants a pod on none; absent: not asked for, or not all could be read. */
  readonly nodes?: readonly Node[];
  /** Those of its namespace, where one refuses its pods; absent: not asked for. */
  readonly limitRanges?: readonly LimitRange[];
  /** Those of its namespace, where one refuses its pods; absent: not asked for. */
  readonly quotas?: readonly ResourceQuota[];
  /** Names of the service accounts of its namespace, where one is missing; absent: not asked for. */
  readonly accounts?: readonly string[];
  /** The autoscalers that scale it; absent: not asked for. */
  readonly autoscalers?: readonly HorizontalPodAutoscaler[];
  readonly notLookedAt: readonly string[];
  readonly namespaceFlag: string;
}

export interface NodeSubjectEvidence {
  /** Wall ms. */
  readonly now: number;
  readonly node: NodeEvidence;
  /** Events of the node. */
  readonly events: readonly Event[];
  readonly pods: readonly Pod[];
  readonly looked: readonly PodEvidence[];
  /** The drivers that are registered there; absent: not asked for. */
  readonly nodeDrivers?: NodeDriversEvidence;
  /** The cluster's drivers; absent: not asked for. */
  readonly drivers?: readonly DriverEvidence[];
  readonly notLookedAt: readonly string[];
}
