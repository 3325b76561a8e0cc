/** Diagnoses a workload: its own problems, and those of its pods, each named once. Pure. */
import type { PodEvidence } from './evidence/pod-evidence.ts';
import type { WorkloadEvidence } from './evidence/workload-evidence.ts';
import { podFacts } from './facts/pod-facts.ts';
import type { Diagnosis, RankedFinding } from './finding.ts';
import { podFindings } from './diagnose-pod.ts';
import { RECENT_DEATH_MS } from './limits.ts';
import { ordered, told, withoutFallbacks } from './order-findings.ts';
import { groupFindings } from './workload/group-findings.ts';
import { type WorkloadFacts, workloadFacts, workloadState } from './workload/workload-facts.ts';
import { WORKLOAD_RULES } from './workload/workload-rules.ts';

export function diagnoseWorkload(evidence: WorkloadEvidence): Diagnosis {
  const facts = workloadFacts(evidence);
  const pods = ofPods(facts);
  const own = WORKLOAD_RULES.flatMap((rule) => rule(facts)).filter(
    // A StatefulSet that waits for a pod in its normal start has no problem.
    ({ id }) => id !== 'ordered-start' || pods.length > 0,
  );
  const { metadata } = evidence.workload;
  return {
    apiVersion: 'mendlet.dev/v1alpha1',
    kind: 'Diagnosis',
    subject: { kind: facts.kind.toLowerCase(), namespace: facts.namespace, name: facts.name, uid: metadata?.uid },
    state: workloadState(facts),
    findings: told(ordered([...withoutFallbacks(own), ...pods])),
    notLookedAt: evidence.notLookedAt,
  };
}

function ofPods(facts: WorkloadFacts): readonly RankedFinding[] {
  // A completed job is healthy, whatever happened on the way.
  if (facts.ended === 'Complete') return [];
  const { looked, pods } = facts.evidence;
  const all = looked
    .filter((one) => counts(facts, one))
    .map((one) => {
      const name = one.pod.metadata?.name ?? '';
      return { label: name, name, findings: podFindings(podFacts(one)) };
    });
  const total = pods.length;
  return groupFindings(all, {
    prefix: (labels) => (total === 1 ? '' : `${labels.length} of ${total} pods`),
    sameTemplate: true,
  });
}

/** Whether the pod counts: pods that failed long ago do not, if all wanted pods are ready. */
function counts({ kind, now, missing, ready, wanted }: WorkloadFacts, { pod }: PodEvidence): boolean {
  if (kind === 'Job' || pod.status?.phase !== 'Failed' || missing > 0 || ready < wanted) return true;
  const ends = (pod.status.containerStatuses ?? []).map(({ state }) => Date.parse(state?.terminated?.finishedAt ?? ''));
  const created = Date.parse(pod.metadata?.creationTimestamp ?? '');
  return now - Math.max(created, ...ends.filter((end) => !Number.isNaN(end))) <= RECENT_DEATH_MS;
}
