/** Diagnoses a pod. Pure: the same evidence gives the same answer. */
import type { PodEvidence } from './evidence/pod-evidence.ts';
import { awaitedText } from './facts/awaited.ts';
import { withVariables } from './facts/blamed-variables.ts';
import { withChanges } from './facts/changes-before.ts';
import { type PodFacts, podFacts } from './facts/pod-facts.ts';
import { podState } from './facts/pod-state.ts';
import type { Diagnosis, RankedFinding } from './finding.ts';
import { withFiles } from './facts/named-files.ts';
import { withRecovery } from './facts/recovered.ts';
import { ordered, told, withoutFallbacks } from './order-findings.ts';
import { DELETION_RULES, POD_RULES } from './rules/all.ts';

/** Findings of one pod, in order. */
export function podFindings(facts: PodFacts): readonly RankedFinding[] {
  const rules = facts.deleting ? DELETION_RULES : POD_RULES;
  const found = ordered(withoutFallbacks(rules.flatMap((rule) => rule(facts))));
  return withChanges(
    facts,
    facts.deleting ? found : withRecovery(facts, withFiles(facts, withVariables(facts, found))),
  );
}

export function diagnosePod(evidence: PodEvidence): Diagnosis {
  const facts = podFacts(evidence);
  const { name, namespace, uid } = evidence.pod.metadata ?? {};
  const asWanted = isAsWanted(facts);
  const findings = told(podFindings(facts));
  // Where nothing fails, the state alone tells what the pod waits for.
  const awaited = asWanted || findings.length > 0 ? undefined : awaitedText(facts);
  return {
    apiVersion: 'mendlet.dev/v1alpha1',
    kind: 'Diagnosis',
    subject: { kind: 'pod', namespace, name: name ?? '', uid, nodeName: evidence.pod.spec?.nodeName },
    state: awaited === undefined ? podState(facts) : `${podState(facts)}; ${awaited}`,
    asWanted,
    findings,
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
