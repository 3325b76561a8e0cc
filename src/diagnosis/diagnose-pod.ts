/** Diagnoses a pod. Pure: the same evidence gives the same answer. */
import type { PodEvidence } from './evidence/pod-evidence.ts';
import { withAdvice } from './facts/words/advised.ts';
import { awaitedText } from './facts/pod/awaited.ts';
import { withVariables } from './facts/variables/blamed-variables.ts';
import { type ContainerFacts, inPresentLife } from './facts/pod/container-facts.ts';
import { withChanges } from './facts/pod/changes-before.ts';
import { withEdits } from './facts/words/edits.ts';
import { withFirstEnds } from './facts/pod/first-ends.ts';
import { lastResort } from './facts/pod/last-resort.ts';
import { asOfFirstEnd, firstOfAnotherKind, isLeftBehind, lastSaid, leading } from './facts/pod/left-behind.ts';
import { type PodFacts, podFacts } from './facts/pod/pod-facts.ts';
import { podState } from './facts/pod/pod-state.ts';
import type { Diagnosis, RankedFinding } from './finding.ts';
import { withHiddenValues } from './facts/variables/hidden-values.ts';
import { withHome } from './facts/pod/home-folder.ts';
import { withAliases } from './facts/peers/host-aliases.ts';
import { withReadyVariables } from './facts/probes/ready-variables.ts';
import { withScripts } from './facts/servers/fastcgi-scripts.ts';
import { withFailedJob } from './facts/peers/failed-jobs.ts';
import { withFiles } from './facts/files/named-files.ts';
import { withTriesAsEnds } from './facts/words/tries-as-ends.ts';
import { withStaleValues } from './facts/variables/stale-values.ts';
import { withAnswers } from './facts/peers/told-of-answers.ts';
import { withGoneAddresses } from './facts/peers/gone-addresses.ts';
import { withServiceNames } from './facts/peers/service-addresses.ts';
import { withProxies } from './facts/peers/through-proxy.ts';
import { withSidecars } from './facts/peers/told-of-sidecars.ts';
import { withServers } from './facts/servers/told-of-servers.ts';
import { withRecovery } from './facts/pod/recovered.ts';
import { withOrder } from './facts/pod/ordered-start.ts';
import { NORMAL_START_MS } from './limits.ts';
import { withSettingBehind } from './facts/configs/setting-behind.ts';
import { withUnseenValues } from './facts/variables/unseen-values.ts';
import { withLastErrors } from './last-errors.ts';
import { ordered, told, withoutFallbacks } from './order-findings.ts';
import { DELETION_RULES, POD_RULES } from './rules/all.ts';
import { title } from './rules/ends/exit-code.ts';
import { failingAgain } from './rules/runs/failing-again.ts';
import { withEarly } from './rules/probes/readiness.ts';
import { withLineEnds, withRiddles } from './facts/words/riddles.ts';
import { withVariablesOfPeers } from './facts/peers/variables-of-peers.ts';
import { withPeers } from './rules/peers/peers-of-spec.ts';

/** What joins a finding with other parts of the specification, in the order in which a headline tells it. */
const JOINS: readonly ((facts: PodFacts, found: readonly RankedFinding[]) => readonly RankedFinding[])[] = [
  withAliases,
  withStaleValues,
  withPeers,
  withUnseenValues,
  withVariables,
  withVariablesOfPeers,
  withSettingBehind,
  withReadyVariables,
  withScripts,
  withFiles,
  withAdvice,
  withServers,
  withAnswers,
  withProxies,
  withFailedJob,
  withSidecars,
  withOrder,
  (_, found) => ordered(found),
  withHome,
  withHiddenValues,
  withServiceNames,
  withGoneAddresses,
  withRiddles,
  withLineEnds,
  withEdits,
];

/** What a later part of its life makes less of. */
const RECOVERIES: typeof JOINS = [withRecovery, withEarly];

/** Findings of one pod, in order. */
export function podFindings(facts: PodFacts): readonly RankedFinding[] {
  const found = ordered(withFirstAttempts(facts, withTries(facts, ofRules(facts))));
  const known = facts.deleting ? found : join(facts, join(facts, found, JOINS), RECOVERIES);
  return withChanges(facts, known.length === 0 ? unexplained(facts) : known);
}

function join(facts: PodFacts, found: readonly RankedFinding[], joins: typeof JOINS): readonly RankedFinding[] {
  return joins.reduce((all, one) => one(facts, all), found);
}

/** The findings, with those about containers that run and fail with each try: of each what would be said of its end. */
function withTries(facts: PodFacts, found: readonly RankedFinding[]): readonly RankedFinding[] {
  const present = facts.containers.map((each) => inPresentLife(each));
  if (facts.deleting || present.every(({ again }) => again === undefined)) return found;
  const asEnded = withTriesAsEnds(facts);
  const ends = join(asEnded, ofRules(asEnded), JOINS);
  const tries = present.flatMap((container) => failingAgain(facts, container, endOf(ends, container.name)));
  return ordered(withoutFallbacks([...found, ...tries]));
}

function ofRules(facts: PodFacts): readonly RankedFinding[] {
  const rules = facts.deleting ? DELETION_RULES : POD_RULES;
  return ordered(withoutFallbacks(rules.flatMap((rule) => rule(facts))));
}

/** Before an end that may only meet what an earlier one left goes that of the earlier one. */
function withFirstAttempts(facts: PodFacts, found: readonly RankedFinding[]): readonly RankedFinding[] {
  if (facts.deleting) return found;
  const before: RankedFinding[] = [];
  withFirstEnds(facts, found, (container, finding) => {
    const first = firstOfAnotherKind(container);
    const told =
      first === undefined
        ? ofFirstPod(facts, container, finding)
        : [endOf(ofRules(podFacts(asOfFirstEnd(facts.evidence, container, first))), container.name)].flatMap((one) =>
            one === undefined
              ? []
              : [leading(one, finding, `the first end of ${title(container)}`, lastSaid(container))],
          );
    before.push(...told);
    return finding;
  });
  return [...before, ...found];
}

/** The end of the same container in the first pod of its Job. */
function ofFirstPod(
  { evidence, owner }: PodFacts,
  container: ContainerFacts,
  finding: RankedFinding,
): readonly RankedFinding[] {
  const { firstAttempt } = evidence;
  if (firstAttempt === undefined || !isLeftBehind(lastSaid(container))) return [];
  const first = endOf(podFindings(podFacts(firstAttempt)), container.name);
  if (first === undefined || isLeftBehind(first.says)) return [];
  const pod = firstAttempt.pod.metadata?.name ?? '';
  const which = `the first attempt of job ${owner?.metadata?.name ?? ''} (pod ${pod})`;
  return [leading(first, finding, which, lastSaid(container))];
}

function endOf(found: readonly RankedFinding[], container: string): RankedFinding | undefined {
  return found.find(({ topic, severity }) => topic === `end/${container}` && severity !== 'info');
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
    ...withLastErrors(findings, [evidence]),
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
