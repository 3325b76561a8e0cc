/** What is to be said of a pod where it is the cause of another's trouble. Pure. */
import { maskSecrets } from '../log-analysis/index.ts';
import type { PodEvidence } from './evidence/pod-evidence.ts';
import { podFacts } from './facts/pod-facts.ts';
import { podFindings } from './diagnose-pod.ts';

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
