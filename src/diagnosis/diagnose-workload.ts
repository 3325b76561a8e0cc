/** Diagnoses a workload: its own problems, and those of its pods, each named once. Pure. */
import { isConditionTrue, type Job } from '../api/index.ts';
import { parseTime } from '../lib/index.ts';
import { maskSecrets } from '../log-analysis/index.ts';
import { isAsWanted, podFindings } from './diagnose-pod.ts';
import type { Pod } from './evidence/kinds.ts';
import type { WorkloadEvidence } from './evidence/workload-evidence.ts';
import { lastResort } from './facts/pod/last-resort.ts';
import { podFacts } from './facts/pod/pod-facts.ts';
import { podState } from './facts/pod/pod-state.ts';
import { formatAge, listed } from './facts/words/text.ts';
import type { Diagnosis, RankedFinding } from './finding.ts';
import { withLastErrors } from './last-errors.ts';
import { MAX_QUOTES, NORMAL_START_MS, RECENT_DEATH_MS } from './limits.ts';
import { ordered, told, withoutFallbacks } from './order-findings.ts';
import { withFirstPod } from './workload/first-pod.ts';
import { goneFindings, lastOfGone } from './workload/gone-pods.ts';
import { causeOf, causeText, groupFindings } from './workload/group-findings.ts';
import { withOlderHolders } from './workload/older-holders.ts';
import { type WorkloadFacts, workloadFacts, workloadState } from './workload/workload-facts.ts';
import { NO_SUCH_NODE, RULES_BESIDE, WORKLOAD_RULES } from './workload/workload-rules.ts';

/** The findings of a workload and its pods, in order. A finding about the workload names the cause that its pods have. */
export function workloadFindings(evidence: WorkloadEvidence): readonly RankedFinding[] {
  const facts = workloadFacts(evidence);
  const pods = ofPods(facts);
  const own = WORKLOAD_RULES.flatMap((rule) => rule(facts)).filter(
    // A StatefulSet that waits for a pod in its normal start has no problem.
    ({ id }) => (id !== 'ordered-start' && id !== 'scale-down-waits') || pods.length > 0,
  );
  const cause = causeText(pods);
  const blames = causeOf(pods)?.blames;
  const named = withoutFallbacks(own).map((finding) =>
    cause === undefined || finding.id === NO_SUCH_NODE
      ? withGone(finding, evidence)
      : { ...finding, says: `${finding.says}: ${cause}`, ...(blames && { blames }) },
  );
  const all = [...named, ...pods];
  const beside = RULES_BESIDE.flatMap((rule) => rule(facts));
  const found = [...(all.length === 0 ? shortfall(facts) : all), ...beside];
  return ordered([...found, ...unexplained(facts, found)]);
}

/** Findings that only say that pods are missing. */
const MISSING: ReadonlySet<string> = new Set(['pods-missing', 'pods-starting']);

/** Why a workload without pods has none, masked; undefined: nothing says so. */
export function unmadeCause(evidence: WorkloadEvidence): string | undefined {
  const [first] = workloadFindings(evidence).filter(({ id, severity }) => severity !== 'info' && !MISSING.has(id));
  return first && maskSecrets(first.says);
}

/** What the workload itself says of a trouble that no rule knows. */
function unexplained(facts: WorkloadFacts, found: readonly RankedFinding[]): readonly RankedFinding[] {
  const { evidence, now, target, kubectl } = facts;
  const { status } = evidence.workload;
  if (facts.ended !== undefined || isWorkloadAsWanted(facts) || ageOf(facts) < NORMAL_START_MS) return [];
  // That pods are missing is only what is seen of the trouble.
  if (found.some(({ severity, id }) => severity !== 'info' && id !== 'pods-missing')) return [];
  return lastResort({
    target,
    now,
    conditions: status?.conditions ?? [],
    events: evidence.events,
    try: [kubectl('describe', target)],
  });
}

function ageOf({ evidence, now }: WorkloadFacts): number {
  return now - (parseTime(evidence.workload.metadata?.creationTimestamp ?? undefined) ?? now);
}

/** A job that has failed and has no pods any more is told with what nodes remember of them. */
function withGone(finding: RankedFinding, evidence: WorkloadEvidence): RankedFinding {
  if (finding.id !== 'job-failed') return finding;
  const found = goneFindings(evidence);
  const [first] = ordered(found).filter(({ severity }) => severity !== 'info');
  const cause = causeText(found);
  if (first !== undefined && cause !== undefined) {
    const quotes = [...first.evidence.slice(0, 2), ...finding.evidence];
    return { ...finding, says: `${finding.says}: ${cause}`, evidence: quotes };
  }
  const last = lastOfGone(evidence);
  if (last === undefined) return finding;
  return { ...finding, says: `${finding.says}${last.says}`, evidence: [...finding.evidence, ...last.quotes] };
}

export function diagnoseWorkload(evidence: WorkloadEvidence): Diagnosis {
  const facts = workloadFacts(evidence);
  const { metadata } = evidence.workload;
  const findings = told(workloadFindings(evidence));
  return {
    apiVersion: 'mendlet.dev/v1alpha1',
    kind: 'Diagnosis',
    subject: { kind: facts.kind.toLowerCase(), namespace: facts.namespace, name: facts.name, uid: metadata?.uid },
    state: workloadState(facts),
    asWanted: isWorkloadAsWanted(facts),
    findings,
    ...withLastErrors(findings, evidence.looked),
    notLookedAt: evidence.notLookedAt,
  };
}

export function isWorkloadAsWanted(facts: WorkloadFacts): boolean {
  const { kind, ended, ready, wanted, missing, evidence } = facts;
  if (ended !== undefined) return ended === 'Complete';
  if (kind !== 'Job') return ready >= wanted && missing === 0 && facts.surplus === 0 && !facts.rollingOut;
  return (
    (evidence.workload as Job).spec?.suspend === true ||
    (missing === 0 && evidence.looked.every((one) => isOver(one.pod) || isAsWanted(podFacts(one))))
  );
}

function isOver({ status }: Pod): boolean {
  return status?.phase === 'Failed' || status?.phase === 'Succeeded';
}

/** Whether it is about what a program does, and about no end, start or probe. */
function isOfWork({ topic }: RankedFinding): boolean {
  return topic.startsWith('runs/');
}

function ofPods(facts: WorkloadFacts): readonly RankedFinding[] {
  const { looked, pods } = facts.evidence;
  const isComplete = facts.ended === 'Complete';
  const all = looked
    .filter(({ pod }) => counts(facts, pod) && (!isComplete || pod.status?.phase === 'Succeeded'))
    .map((one) => {
      const name = one.pod.metadata?.name ?? '';
      const findings = podFindings(podFacts(one));
      // A completed job is healthy, whatever happened on the way; what failed in a pod that ended well may be news.
      return { label: name, name, findings: isComplete ? findings.filter(isOfWork) : findings };
    });
  const total = pods.filter((pod) => counts(facts, pod)).length;
  const found = groupFindings(all, {
    prefix: (labels) =>
      indexText(facts, labels) ??
      (total === 1 ? '' : `${labels.length} of ${total} pods${whichText(facts, labels, total)}`),
    sameTemplate: true,
  });
  return withFirstPod(facts, withOlderHolders(facts, found));
}

/** So many names are worth telling in a headline. */
const MAX_NAMED = 2;

const JOB_INDEX = 'batch.kubernetes.io/job-completion-index';

/** "index 2 (3 pods)": the pods of an Indexed Job that try the same work again and again. */
function indexText({ kind, evidence }: WorkloadFacts, labels: readonly string[]): string | undefined {
  const { completionMode } = (evidence.workload as Job).spec ?? {};
  if (kind !== 'Job' || completionMode !== 'Indexed') return undefined;
  const named = evidence.pods.filter(({ metadata }) => labels.includes(metadata?.name ?? ''));
  const indexes = new Set(named.map(({ metadata }) => metadata?.annotations?.[JOB_INDEX] ?? ''));
  const [only = '', ...more] = indexes;
  return only === '' || more.length > 0
    ? undefined
    : `index ${only}${labels.length === 1 ? '' : ` (${labels.length} pods)`}`;
}

/** " (kv-2)": each pod of a StatefulSet has a place of its own, and data. */
function whichText({ kind }: WorkloadFacts, labels: readonly string[], total: number): string {
  return kind === 'StatefulSet' && labels.length < total && labels.length <= MAX_NAMED ? ` (${listed(labels)})` : '';
}

/**
 * Whether the pod counts. One that has failed, and that another pod has replaced, is history: soon after it counts only until all
 * are ready again.
 */
function counts({ kind, now, missing, ready, wanted }: WorkloadFacts, pod: Pod): boolean {
  if (kind === 'Job' || pod.status?.phase !== 'Failed' || missing > 0) return true;
  if (ready >= wanted) return false;
  const ends = (pod.status.containerStatuses ?? []).map(({ state }) => Date.parse(state?.terminated?.finishedAt ?? ''));
  const created = Date.parse(pod.metadata?.creationTimestamp ?? '');
  return now - Math.max(created, ...ends.filter((end) => !Number.isNaN(end))) <= RECENT_DEATH_MS;
}

/** Nothing says why the workload is not as wanted: what is seen of its pods, and since when. */
function shortfall(facts: WorkloadFacts): readonly RankedFinding[] {
  const { evidence, missing, ready, wanted, target, wantedPath } = facts;
  const ageMs = ageOf(facts);
  if (isWorkloadAsWanted(facts) || facts.ended !== undefined || ageMs < NORMAL_START_MS) return [];
  const unready = evidence.looked.filter(
    ({ pod }) => !isOver(pod) && !isConditionTrue(pod.status?.conditions, 'Ready'),
  );
  // A rollout beside as many ready pods as are wanted is no lack: the state tells of it.
  if (missing === 0 && (unready.length === 0 || ready >= wanted)) return [];
  const names = unready.map(({ pod }) => pod.metadata?.name ?? '');
  const what =
    missing > 0
      ? `${target} lacks ${missing} of ${wanted} pods, and no event says why`
      : `${target} has ${ready} of ${wanted} pods ready, and nothing says that the others fail: ${listed(names)}`;
  return [
    {
      id: missing > 0 ? 'pods-missing' : 'pods-starting',
      severity: missing > 0 ? 'warning' : 'info',
      rank: 10,
      topic: 'pods',
      says: `${what} (for ${formatAge(youngest(facts, ageMs))})`,
      evidence: [
        { source: 'field', path: wantedPath, value: String(wanted) },
        ...unready.slice(0, MAX_QUOTES - 1).map((one) => ({
          source: 'object' as const,
          object: `pod/${one.pod.metadata?.name ?? ''}`,
          says: podState(podFacts(one)),
        })),
      ],
      try: [facts.kubectl('describe', target)],
      ...(names.length === 0 ? {} : { pods: names }),
    },
  ];
}

/** The age of the newest pod, or of the workload while it has none, ms. */
function youngest({ evidence, now }: WorkloadFacts, ageMs: number): number {
  const made = evidence.pods.flatMap(({ metadata }) => parseTime(metadata?.creationTimestamp ?? undefined) ?? []);
  return made.length === 0 ? ageMs : Math.min(ageMs, now - Math.max(...made));
}
