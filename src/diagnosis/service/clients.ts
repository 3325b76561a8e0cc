/** What those say whom a service fails: a database that has no connection left is well for its probe. Pure. */
import { podFindings } from '../diagnose-pod.ts';
import type { ServiceSubjectEvidence } from '../evidence/service-evidence.ts';
import { podFacts } from '../facts/pod/pod-facts.ts';
import type { RankedFinding } from '../finding.ts';

export interface Blaming {
  readonly pod: string;
  readonly finding: RankedFinding;
}

/** The pods whose most significant finding blames the service. */
export function blamedBy({ name, namespace, clients = [] }: ServiceSubjectEvidence): readonly Blaming[] {
  return clients.flatMap((one) => {
    const finding = podFindings(podFacts(one)).find(({ severity }) => severity !== 'info');
    const isOfService = finding?.blames?.service === `${namespace}/${name}`;
    return isOfService ? [{ pod: one.pod.metadata?.name ?? '', finding }] : [];
  });
}
