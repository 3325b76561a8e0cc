/** The evidence about a HorizontalPodAutoscaler, with what it scales. An absent field was not read. */
import type { HorizontalPodAutoscaler } from '../../api/index.ts';
import type { WorkloadObject } from './kinds.ts';

export interface AutoscalerEvidence {
  /** Wall ms. */
  readonly now: number;
  readonly autoscaler: HorizontalPodAutoscaler;
  /** Absent: it is of another kind than workloads, or could not be read. */
  readonly target?: WorkloadObject;
  readonly targetMissing?: boolean;
  /** Names of objects of its kind that are nearly the target's; absent: it is there. */
  readonly similar?: readonly string[];
  readonly notLookedAt: readonly string[];
  readonly namespaceFlag: string;
}
