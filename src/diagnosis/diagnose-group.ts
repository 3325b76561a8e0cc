/**
 * Diagnoses a namespace, the pods of a selector, or a whole cluster: what is wrong anywhere in it, the most significant first, each
 * cause once for each workload. Pure.
 */
import { autoscalerFindings } from './diagnose-autoscaler.ts';
import { budgetFindings } from './diagnose-budget.ts';
import { claimFindings } from './diagnose-claim.ts';
import { cronJobFindings } from './diagnose-cron-job.ts';
import { nodeFindings } from './diagnose-node.ts';
import { isAsWanted, podFindings } from './diagnose-pod.ts';
import { isWorkloadAsWanted, workloadFindings } from './diagnose-workload.ts';
import type { GroupEvidence, GroupScope } from './evidence/group-evidence.ts';
import type { Pod } from './evidence/kinds.ts';
import type { PodEvidence } from './evidence/pod-evidence.ts';
import { podFacts } from './facts/pod/pod-facts.ts';
import { listed, plural, shellWord } from './facts/words/text.ts';
import { withNamesBeside } from './group/names-beside.ts';
import { namespaceFindings } from './group/namespace-rules.ts';
import { rootsFirst } from './group/roots-first.ts';
import { bySameCause, type PlacedFinding } from './group/same-cause.ts';
import { groupServiceFindings } from './group/service-findings.ts';
import type { Diagnosis, RankedFinding, Subject } from './finding.ts';
import { MAX_FINDINGS, MAX_QUOTES } from './limits.ts';
import { ordered, told } from './order-findings.ts';
import { causeText } from './workload/group-findings.ts';
import { type WorkloadFacts, workloadFacts, workloadState } from './workload/workload-facts.ts';

/** Findings of pods that only repeat a finding of their node. */
const OF_THE_NODE = new Set(['node-lost', 'node-not-ready', 'node-gone']);
/** Pieces of evidence of a finding here; the question about its object has all of them. */
const QUOTES = 2;

export function diagnoseGroup(evidence: GroupEvidence): Diagnosis {
  const { scope, notLookedAt } = evidence;
  const all = rootsFirst(withNamesBeside(findingsOf(evidence), evidence), evidence);
  const found = ordered(merged(bySameCause(all, evidence.pods.length)).map((each) => afterItsCause(each, all)));
  const left = found.length - MAX_FINDINGS;
  return {
    apiVersion: 'mendlet.dev/v1alpha1',
    kind: 'Diagnosis',
    subject: subjectOf(scope),
    state: stateOf(evidence),
    asWanted:
      found.every(({ severity }) => severity === 'info') &&
      unwell(evidence).length === 0 &&
      unmet(evidence).length === 0,
    findings: told(found),
    notLookedAt: left <= 0 ? notLookedAt : [...notLookedAt, `${plural(left, 'finding')} more, of less weight`],
  };
}

/** What only follows from a pod that is ill itself comes after what is said of that one. */
function afterItsCause(finding: RankedFinding, all: readonly RankedFinding[]): RankedFinding {
  const { service = '', pod } = finding.blames ?? {};
  if (pod === undefined) return finding;
  const namespace = service.split('/')[0] ?? '';
  const [cause] = ordered(all.filter(({ pods = [] }) => pods.includes(pod) || pods.includes(`${namespace}/${pod}`)));
  if (cause === undefined || cause.severity === 'info' || cause === finding) return finding;
  const isLess = finding.severity === 'critical' && cause.severity === 'warning';
  return {
    ...finding,
    severity: isLess ? 'warning' : finding.severity,
    rank: Math.min(finding.rank, cause.rank - 1, CONSEQUENCE_RANK),
  };
}

/** Above services that reach nobody. */
const CONSEQUENCE_RANK = 14;

function subjectOf(scope: GroupScope): Subject {
  if (scope.kind === 'cluster') return { kind: 'cluster', name: '' };
  if (scope.kind === 'namespace') return { kind: 'namespace', name: scope.namespace, uid: scope.object?.metadata?.uid };
  return { kind: 'pods', namespace: scope.namespace, name: `-l ${scope.selector}` };
}

/** "12 pods: 9 well, 3 not (web-1, web-2 and web-3)" */
function stateOf(evidence: GroupEvidence): string {
  const { pods, scope, parts } = evidence;
  if (scope.kind === 'namespace' && scope.object?.metadata?.deletionTimestamp) return 'Terminating';
  const bad = unwell(evidence).length;
  const nodes = parts.nodes.length === 0 ? '' : `${plural(parts.nodes.length, 'node')}, `;
  const short = bad === 0 ? unmet(evidence) : [];
  const texts = short.map((facts) => `${facts.target} ${workloadState(facts)}`);
  const lacks = short.length === 0 ? '' : `, ${listed(texts)}`;
  return `${nodes}${plural(pods.length, 'pod')}${bad === 0 ? lacks : `, ${bad} of them not as wanted`}`;
}

function unwell({ parts }: GroupEvidence): readonly PodEvidence[] {
  const all = [...parts.workloads.flatMap(({ looked }) => looked), ...parts.barePods];
  return all.filter((one) => !isHistory(one.pod) && !isAsWanted(podFacts(one)));
}

/** Workloads that are not as wanted, whether or not anything says why. */
function unmet({ parts }: GroupEvidence): readonly WorkloadFacts[] {
  return parts.workloads.map(workloadFacts).filter((facts) => !isWorkloadAsWanted(facts));
}

/** A pod that has failed, and that its owner has replaced or given up. */
function isHistory({ status, metadata }: Pod): boolean {
  return status?.phase === 'Failed' && (metadata?.ownerReferences ?? []).length > 0;
}

function findingsOf(evidence: GroupEvidence): readonly PlacedFinding[] {
  const { parts, scope } = evidence;
  const nodes = parts.nodes.flatMap((one) => nodeFindings(one).map(shortened));
  const hasNodeFindings = nodes.some(({ severity }) => severity === 'critical');
  const objects = [
    ...parts.workloads.flatMap((one) => {
      const { target, namespace } = workloadFacts(one);
      const { name = '' } = one.workload.metadata ?? {};
      return placed(workloadFindings(one), { scope, namespace, target, name });
    }),
    ...parts.barePods.flatMap((one) => {
      const { name = '', namespace = '' } = one.pod.metadata ?? {};
      return placed(podFindings(podFacts(one)), { scope, namespace, target: `pod/${name}`, name });
    }),
    ...parts.cronJobs.flatMap((one) => {
      const { name = '', namespace = '' } = one.cronJob.metadata ?? {};
      return placed(cronJobFindings(one), { scope, namespace, target: `cronjob/${name}`, name });
    }),
    ...parts.claims.flatMap((one) => {
      const { name } = one.claim;
      return placed(claimFindings(one), { scope, namespace: one.namespace, target: `pvc/${name}`, name });
    }),
    ...parts.budgets.flatMap((one) => {
      const { name = '', namespace = '' } = one.budget.metadata ?? {};
      return placed(budgetFindings(one).map(asNote), { scope, namespace, target: `pdb/${name}`, name });
    }),
    ...parts.autoscalers.flatMap((one) => {
      const { name = '', namespace = '' } = one.autoscaler.metadata ?? {};
      return placed(autoscalerFindings(one), { scope, namespace, target: `hpa/${name}`, name });
    }),
  ];
  const byPod = podIndex(evidence, objects);
  const services = parts.services.flatMap((one) => {
    const { name, namespace } = one;
    const found = groupServiceFindings(one, { workloads: parts.workloads, ofPod: (pod) => byPod.get(pod) ?? [] });
    return placed(found, { scope, namespace, target: `service/${name}`, name });
  });
  return [
    ...namespaceFindings(evidence),
    ...nodes,
    ...objects.filter(({ id }) => !hasNodeFindings || !OF_THE_NODE.has(id)),
    ...services,
  ];
}

/** What holds nothing up before somebody drains a node is a note beside what fails, and a warning for who asks about the budget. */
function asNote(finding: RankedFinding): RankedFinding {
  return finding.id === 'budget-never-allows' ? { ...finding, severity: 'info' } : finding;
}

/** The findings about each pod, by "NAMESPACE/NAME"; findings name pods with their namespaces only in a cluster. */
function podIndex(
  { scope }: GroupEvidence,
  found: readonly RankedFinding[],
): ReadonlyMap<string, readonly RankedFinding[]> {
  const index = new Map<string, RankedFinding[]>();
  for (const finding of found) {
    for (const pod of finding.pods ?? []) {
      const key = scope.kind === 'cluster' ? pod : `${scope.namespace}/${pod}`;
      index.set(key, [...(index.get(key) ?? []), finding]);
    }
  }
  return index;
}

interface Place {
  readonly scope: GroupScope;
  readonly namespace: string;
  /** "deployment/web" */
  readonly target: string;
  readonly name: string;
}

/** The findings of one object, which name it, its namespace, and the question that has all of their evidence. */
function placed(found: readonly RankedFinding[], place: Place): readonly PlacedFinding[] {
  const { scope, namespace, target, name } = place;
  const flag = scope.kind === 'cluster' ? ` -n ${namespace}` : '';
  const where = scope.kind === 'cluster' ? `${namespace}/` : '';
  return found.map((finding) => ({
    ...shortened(finding),
    target: `${where}${target}`,
    says: isNamed(finding.says, name) && where === '' ? finding.says : `${where}${target}: ${finding.says}`,
    pods: (finding.pods ?? (target.startsWith('pod/') ? [name] : [])).map((pod) => `${where}${pod}`),
    try: [`mendlet why ${shellWord(target)}${flag}`, ...finding.try],
  }));
}

/** A container often has the name of its workload. */
function isNamed(says: string, name: string): boolean {
  return says
    .replaceAll(/\b(?:container|sidecar) \S+/g, '')
    .split(/[\s:,/]/)
    .includes(name);
}

function shortened(finding: RankedFinding): RankedFinding {
  return { ...finding, evidence: finding.evidence.slice(0, QUOTES), manifest: undefined };
}

/** The pods that are not healed any more are one finding, and come first: nothing gets better there by itself. */
function merged(found: readonly RankedFinding[]): readonly RankedFinding[] {
  const stopped = found.filter(({ id }) => id === 'healing-stopped');
  const [first] = stopped;
  if (first === undefined) return found;
  const pods = stopped.flatMap(({ pods: names = [] }) => names);
  const causes = pods.slice(0, MAX_QUOTES - 1).flatMap((pod) => {
    const cause = causeText(found.filter(({ pods: names = [] }) => names.includes(pod)));
    return cause === undefined ? [] : [{ source: 'object' as const, object: `pod/${pod}`, says: cause }];
  });
  const one: RankedFinding = {
    ...first,
    rank: 100,
    says: `healing has stopped for ${plural(pods.length, 'pod')}, and nothing more is tried until somebody restarts ${pods.length === 1 ? 'it' : 'them'}: ${listed(pods)}`,
    evidence: [...first.evidence.slice(0, 1), ...causes],
    pods,
    try: [...new Set(stopped.flatMap(({ try: next }) => next))].slice(0, 4),
  };
  return [one, ...found.filter(({ id }) => id !== 'healing-stopped')];
}
