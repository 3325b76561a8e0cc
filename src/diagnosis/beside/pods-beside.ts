/** What the specifications of the other pods of a namespace may tell of a finding. Pure. */
import { nearlyAgreed, tellsNoCause, withNearlyAgreed } from './agreed-names.ts';
import { isOfFuture, withClock } from './clocks.ts';
import { exhaustedService, withHolders } from './connection-holders.ts';
import type { Pod } from '../evidence/kinds.ts';
import type { PodEvidence } from '../evidence/pod-evidence.ts';
import type { Diagnosis } from '../finding.ts';

/** Whether they are worth reading: nothing is wrong, or the first finding asks for them. @param evidence the pod that it is about */
export function podsBesideWanted(diagnosis: Diagnosis, evidence: PodEvidence): boolean {
  return (
    diagnosis.findings.length === 0 ||
    tellsNoCause(diagnosis) ||
    isOfFuture(diagnosis) ||
    exhaustedService(evidence) !== undefined
  );
}

/** @param evidence the pod that the first finding is about */
export function withPodsBeside(diagnosis: Diagnosis, evidence: PodEvidence, pods: readonly Pod[]): Diagnosis {
  return withNearlyAgreed(withClock(withHolders(diagnosis, evidence, pods), pods), nearlyAgreed(evidence.pod, pods));
}
