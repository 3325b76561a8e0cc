/** What is to be said of a pod where it is the cause of another's trouble. Pure. */
import { maskSecrets } from '../log-analysis/index.ts';
import type { PodEvidence, ServiceEvidence } from './evidence/pod-evidence.ts';
import { type JobWanted, jobWanted } from './facts/peers/failed-jobs.ts';
import { podFacts } from './facts/pod/pod-facts.ts';
import { podFindings } from './diagnose-pod.ts';
import type { RankedFinding } from './finding.ts';
import { BEHIND_POOLER } from './rules/peers/poolers.ts';

export interface PodCause {
  /** Its headline, masked. */
  readonly says: string;
  /** The service that the headline blames, "shop/redis"; absent: the trouble is the pod's own. */
  readonly blames?: string;
}

/** The headline of a pod, and the service that it blames in turn; undefined: nothing is wrong with it. */
export function causeOfPod(evidence: PodEvidence): PodCause | undefined {
  const first = podFindings(podFacts(evidence)).find(({ severity }) => severity !== 'info');
  if (first === undefined) return undefined;
  return { says: maskSecrets(first.says), ...(first.blames && { blames: first.blames.service }) };
}

/** What a Job of the namespace that has failed may have been meant for (`withFailedJob`); undefined: nothing asks for one. */
export function wantedJob(evidence: PodEvidence): JobWanted | undefined {
  return jobWanted(evidence, podFindings(podFacts(evidence)));
}

/** Findings about a peer that is there and does not answer as it should. */
const UNANSWERED: ReadonlySet<string> = new Set(['dependency-times-out', 'dependency-closes', 'dependency-fails']);

/** The service that does not answer the pod although pods of it are ready: their logs may know why; undefined: there is none. */
export function complaintWanted(evidence: PodEvidence): ServiceEvidence | undefined {
  const asks = ({ id, blames }: RankedFinding): boolean =>
    UNANSWERED.has(id) || blames?.says.includes(BEHIND_POOLER) === true;
  const blamed = podFindings(podFacts(evidence)).find(asks)?.blames?.service;
  return evidence.services.find(
    ({ namespace, name, ready, selector }) => `${namespace}/${name}` === blamed && ready > 0 && selector !== undefined,
  );
}
