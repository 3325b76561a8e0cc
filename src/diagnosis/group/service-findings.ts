/** Services of a namespace or a cluster that reach nobody, with the cause that their pods have. Pure. */
import { labelSelectorOf, matchesLabels } from '../../api/index.ts';
import type { WorkloadEvidence } from '../evidence/workload-evidence.ts';
import type { ServiceSubjectEvidence } from '../evidence/service-evidence.ts';
import type { RankedFinding } from '../finding.ts';
import { NOTHING } from '../rule.ts';
import { type ServiceFacts, serviceFacts } from '../service/service-facts.ts';
import { SERVICE_RULES_OF_GROUPS } from '../service/service-rules.ts';
import { causeText } from '../workload/group-findings.ts';
import { workloadFacts } from '../workload/workload-facts.ts';

/** Below every cause: that a service reaches nobody follows from what is wrong with its pods. */
const RANK = 12;

export interface Around {
  readonly workloads: readonly WorkloadEvidence[];
  /** Findings about a pod of the service, by "NAMESPACE/NAME". */
  readonly ofPod: (pod: string) => readonly RankedFinding[];
}

export function groupServiceFindings(evidence: ServiceSubjectEvidence, around: Around): readonly RankedFinding[] {
  const facts = serviceFacts(evidence);
  if (facts === undefined) return NOTHING;
  return SERVICE_RULES_OF_GROUPS.flatMap((rule) => rule(facts)).flatMap((finding) => {
    switch (finding.id) {
      case 'no-pod-ready':
        return unready(facts, finding, around);
      case 'selector-matches-nothing':
        return isMeantToBeEmpty(facts, around) ? NOTHING : [reachesNobody(finding)];
      case 'no-endpoints':
        // The server that answers is behind its own service.
        return isServer(facts) ? NOTHING : [reachesNobody(finding)];
      default:
        return [finding];
    }
  });
}

/** Nobody need have asked for it yet: what fails comes first. */
function reachesNobody(finding: RankedFinding): RankedFinding {
  return { ...finding, severity: 'warning', rank: 70, says: `it reaches nobody: ${finding.says}` };
}

function isServer({ evidence: { name, namespace } }: ServiceFacts): boolean {
  return name === 'kubernetes' && namespace === 'default';
}

/** Pods in their normal start are no finding; a service whose pods fail follows from that. */
function unready(
  { selected, evidence }: ServiceFacts,
  finding: RankedFinding,
  { ofPod }: Around,
): readonly RankedFinding[] {
  const found = selected.flatMap(({ metadata }) => ofPod(`${evidence.namespace}/${metadata?.name ?? ''}`));
  const cause = causeText(found.filter(({ severity }) => severity === 'critical'));
  if (cause === undefined) return NOTHING;
  return [{ ...finding, rank: RANK, says: `it reaches nobody, because ${finding.says}: ${cause}` }];
}

/** Whether a workload whose pods it would select wants none just now: scaled to 0, or a job that is over. */
function isMeantToBeEmpty({ service, evidence }: ServiceFacts, { workloads }: Around): boolean {
  const selector = labelSelectorOf({ matchLabels: service.spec?.selector ?? {} });
  return workloads.some((one) => {
    const { wanted, ended, namespace } = workloadFacts(one);
    const { template } = one.workload.spec ?? {};
    if (namespace !== evidence.namespace || selector === undefined || (wanted > 0 && ended === undefined)) return false;
    return matchesLabels(selector, template?.metadata?.labels);
  });
}
