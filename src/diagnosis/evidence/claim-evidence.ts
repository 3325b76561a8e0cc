/** A claim and the pods that use it, as plain data. An absent field was not read. */
import type { Pod } from './kinds.ts';
import type { ClaimEvidence } from './pod-evidence.ts';

export interface ClaimInUse {
  /** Wall ms. */
  readonly now: number;
  readonly namespace: string;
  readonly claim: ClaimEvidence;
  /** Pods that use it. */
  readonly pods: readonly Pod[];
  readonly notLookedAt: readonly string[];
  readonly namespaceFlag: string;
}
