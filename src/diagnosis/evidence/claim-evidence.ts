/** The evidence about a claim as plain data. An absent field was not read. */
import type { Pod } from './kinds.ts';
import type { ClaimEvidence } from './pod-evidence.ts';

export interface ClaimSubjectEvidence {
  /** Wall ms. */
  readonly now: number;
  readonly namespace: string;
  readonly claim: ClaimEvidence;
  /** Pods that use it. */
  readonly pods: readonly Pod[];
  readonly notLookedAt: readonly string[];
  readonly namespaceFlag: string;
}
