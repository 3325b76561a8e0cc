/** What is known of a workload and a node, besides their pods. */
import type { Event, Pod, WorkloadObject } from './kinds.ts';
import type { NodeEvidence, PodEvidence } from './pod-evidence.ts';

export interface WorkloadEvidence {
  /** Wall ms. */
  readonly now: number;
  readonly workload: WorkloadObject;
  /** About it, and about what it makes its pods through (the ReplicaSets of a Deployment). */
  readonly events: readonly Event[];
  /** All its pods. */
  readonly pods: readonly Pod[];
  /** Those that were looked at one by one. */
  readonly looked: readonly PodEvidence[];
  readonly notLookedAt: readonly string[];
  readonly namespaceFlag: string;
}

export interface NodeSubjectEvidence {
  /** Wall ms. */
  readonly now: number;
  readonly node: NodeEvidence;
  /** About the node. */
  readonly events: readonly Event[];
  readonly pods: readonly Pod[];
  readonly looked: readonly PodEvidence[];
  readonly notLookedAt: readonly string[];
}
