/** What the specifications of the other pods of a namespace may tell of a finding. Pure. */
import { nearlyAgreed, tellsNoCause, withNearlyAgreed } from './agreed-names.ts';
import { isOfFuture, withClock } from './clocks.ts';
import { exhaustedService, withHolders } from './connection-holders.ts';
import type { Pod } from './evidence/kinds.ts';
import type { Diagnosis } from './finding.ts';

/** Whether they are worth reading: nothing is wrong, or the first finding asks for them. */
export function podsBesideWanted(diagnosis: Diagnosis): boolean {
  return (
    diagnosis.findings.length === 0 ||
    tellsNoCause(diagnosis) ||
    isOfFuture(diagnosis) ||
    exhaustedService(diagnosis) !== undefined
  );
}

/** @param own the pod that the first finding is about */
export function withPodsBeside(diagnosis: Diagnosis, own: Pod, pods: readonly Pod[]): Diagnosis {
  return withNearlyAgreed(withClock(withHolders(diagnosis, own, pods), pods), nearlyAgreed(own, pods));
}
