/** Diagnoses a pod. Pure: the same evidence gives the same answer. */
import type { PodEvidence } from './evidence/pod-evidence.ts';
import { withVariables } from './facts/blamed-variables.ts';
import { withChanges } from './facts/changes-before.ts';
import { lastResort } from './facts/last-resort.ts';
import { type PodFacts, podFacts } from './facts/pod-facts.ts';
import { podState } from './facts/pod-state.ts';
import type { Diagnosis, RankedFinding } from './finding.ts';
import { withHome } from './facts/home-folder.ts';
import { withFiles } from './facts/named-files.ts';
import { withRecovery } from './facts/recovered.ts';
import { NORMAL_START_MS } from './limits.ts';
import { ordered, told, withoutFallbacks } from './order-findings.ts';
import { DELETION_RULES, POD_RULES } from './rules/all.ts';

/** Findings of one pod, in order. */
export function podFindings(facts: PodFacts): readonly RankedFinding[] {
  const rules = facts.deleting ? DELETION_RULES : POD_RULES;
  const found = ordered(withoutFallbacks(rules.flatMap((rule) => rule(facts))));
  const known = facts.deleting
    ? found
    : withRecovery(facts, withHome(facts, withFiles(facts, withVariables(facts, found))));
  return withChanges(facts, known.length === 0 ? unexplained(facts) : known);
}

/** What the pod itself says of a trouble that no rule knows. */
function unexplained(facts: PodFacts): readonly RankedFinding[] {
  const { pod, name, now, events, commands } = facts;
  if (facts.deleting || isAsWanted(facts) || facts.ageMs < NORMAL_START_MS) return [];
  const target = `pod/${name}`;
  return lastResort({
    target,
    now,
    conditions: pod.status?.conditions ?? [],
    events,
    try: [commands.kubectl('describe', target)],
  });
}

export function diagnosePod(evidence: PodEvidence): Diagnosis {
  const facts = podFacts(evidence);
  const { name, namespace, uid } = evidence.pod.metadata ?? {};
  return {
    apiVersion: 'mendlet.dev/v1alpha1',
    kind: 'Diagnosis',
    subject: { kind: 'pod', namespace, name: name ?? '', uid, nodeName: evidence.pod.spec?.nodeName },
    state: podState(facts),
    asWanted: isAsWanted(facts),
    findings: told(podFindings(facts)),
    notLookedAt: evidence.notLookedAt,
  };
}

/** A pod that is being deleted is as wanted until its deletion is late, which is a finding. */
export function isAsWanted({ pod, deleting, containers, condition }: PodFacts): boolean {
  if (deleting || pod.status?.phase === 'Succeeded') return true;
  if (pod.status?.phase !== 'Running') return false;
  if (condition('Ready')?.status === 'True') return true;
  const main = containers.filter(({ kind }) => kind !== 'init');
  // A container that has done its work keeps its pod from being ready.
  return (
    main.every(({ status }) => status?.ready === true || status?.state?.terminated?.exitCode === 0) &&
    (pod.spec?.readinessGates ?? []).length === 0 &&
    main.length > 0
  );
}
