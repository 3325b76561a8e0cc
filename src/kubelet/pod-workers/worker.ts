/** The state that the pod workers keep of one pod between passes. Only its own pass changes it. */
import type { Pod, PodStatus } from '../../api/index.ts';
import type { NextStep } from '../plan/draft.ts';
import type { PodLifecycle } from '../plan/lifecycle.ts';
import type { PodMemory } from '../plan/pod-memory.ts';
import type { PodUID, StatusAnnotations } from '../types.ts';

export interface Worker {
  readonly uid: PodUID;
  /** As last seen. */
  pod: Pod;
  wanted: boolean;
  lifecycle: PodLifecycle;
  memory: PodMemory;
  status: PodStatus | undefined;
  /** Our annotations on the pod, reported with the status. */
  annotations: StatusAnnotations;
  /** Mono ms: an observation that began earlier does not show what we did. */
  freshAfter: number;
  /** Mono ms when the pod was first asked to be admitted. */
  admissionAskedAt: number | undefined;
  /** Mono ms when the pod was first seen; gone once its start has been measured. */
  firstSeenAt: number | undefined;
  /** The volumes were last prepared for this version of the pod. */
  preparedVersion: string | undefined;
  /** The things that the last pass waited for. */
  why: readonly string[];
  /** What time alone brings next; `at`: mono ms. */
  next: NextStep | undefined;
}
