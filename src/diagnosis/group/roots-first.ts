/** Puts what is wrong with one whom others need before what those others suffer, as a question about one of them would. Pure. */
import { labelSelectorOf, matchesLabels } from '../../api/index.ts';
import { podFindings } from '../diagnose-pod.ts';
import type { GroupEvidence } from '../evidence/group-evidence.ts';
import type { PodEvidence } from '../evidence/pod-evidence.ts';
import { podFacts } from '../facts/pod/pod-facts.ts';
import type { RankedFinding, Severity } from '../finding.ts';
import { isMeant, isSameTrouble, type NextPeers, nextPeers } from '../follow/next-peer.ts';
import { isQuoted, textsOf } from '../follow/quiet-peers.ts';
import { ordered } from '../order-findings.ts';
import type { PlacedFinding } from './same-cause.ts';

/** Workloads whose peers are looked at. */
const MAX_ASKED = 20;
/** A front, its API, a pooler and the database behind that. */
const MAX_STEPS = 4;
const SEVERITIES: readonly Severity[] = ['critical', 'warning', 'info'];

/** One finding, and that of the workload that it needs. */
interface Need {
  readonly asker: PlacedFinding;
  readonly root: PlacedFinding;
}

/** The findings; one whose peer has a finding of its own says so and comes after that, which is then as severe. */
export function rootsFirst(found: readonly PlacedFinding[], evidence: GroupEvidence): readonly PlacedFinding[] {
  const needs = needsOf(found, evidence);
  let all = found;
  for (let step = 0; step < MAX_STEPS && needs.length > 0; step++) {
    for (const need of needs) all = afterRoot(all, need);
  }
  return all;
}

function needsOf(found: readonly PlacedFinding[], evidence: GroupEvidence): readonly Need[] {
  const { parts } = evidence;
  const looked = [...parts.workloads.flatMap((one) => one.looked.slice(0, 1)), ...parts.barePods];
  return looked
    .slice(0, MAX_ASKED * 2)
    .flatMap((pod) => needOf(found, evidence, pod) ?? [])
    .slice(0, MAX_ASKED);
}

function needOf(found: readonly PlacedFinding[], evidence: GroupEvidence, pod: PodEvidence): Need | undefined {
  const own = found.filter((finding) => isOf(finding, evidence, pod.pod.metadata));
  if (own.length === 0) return undefined;
  const [first] = podFindings(podFacts(pod));
  const asker = own.find(({ id }) => id === first?.id);
  if (first === undefined || asker === undefined) return undefined;
  const named = nextPeers(pod, first.id);
  const next = named.services.length > 0 ? named : quotedPeers(pod, first, evidence);
  const roots = next.services.flatMap(({ namespace, selector }) => {
    const labels = labelSelectorOf(selector && { matchLabels: selector });
    if (labels === undefined) return [];
    const behind = evidence.pods.filter(
      ({ metadata }) => metadata?.namespace === namespace && matchesLabels(labels, metadata.labels),
    );
    return found.filter(
      (finding) =>
        (finding.severity !== 'info' || finding.topic.startsWith('runs/')) &&
        finding.target !== asker.target &&
        isMeant(next, finding) &&
        !isSameTrouble(first.says, finding) &&
        behind.some(({ metadata }) => isOf(finding, evidence, metadata)),
    );
  });
  const [root] = ordered(roots) as readonly PlacedFinding[];
  return root === undefined ? undefined : { asker, root };
}

/** Findings that are about a peer, whichever that is. */
const ABOUT_PEER = /^(?:dependency-(?:fails|closes|times-out)|fails-again)$/;

/** The services that its code or configuration names, where what fails names nobody. */
function quotedPeers(
  pod: PodEvidence,
  { id }: RankedFinding,
  { parts }: GroupEvidence,
): Pick<NextPeers, 'services' | 'guess'> {
  const namespace = pod.pod.metadata?.namespace ?? 'default';
  const texts = ABOUT_PEER.test(id) ? textsOf(pod) : [];
  const services = parts.services.flatMap(({ name, namespace: own, service }) => {
    const selector = service?.spec?.selector;
    if (own !== namespace || selector === undefined || !texts.some((text) => isQuoted(text, name))) return [];
    return [{ namespace: own, name, missing: false, clusterIPs: [], ports: [], ready: 0, notReady: 0, selector }];
  });
  return { services, guess: 'complaining' };
}

/** Whether the finding is about the pod. */
function isOf(
  { pods = [] }: PlacedFinding,
  { scope }: GroupEvidence,
  { name = '', namespace = '' }: { readonly name?: string | undefined; readonly namespace?: string | undefined } = {},
): boolean {
  return pods.includes(scope.kind === 'cluster' ? `${namespace}/${name}` : name);
}

function afterRoot(all: readonly PlacedFinding[], { asker, root }: Need): readonly PlacedFinding[] {
  const [below, above] = [all.find((each) => isSame(each, asker)), all.find((each) => isSame(each, root))];
  if (below === undefined || above === undefined) return all;
  const severity = SEVERITIES.find((each) => each === below.severity || each === above.severity) ?? above.severity;
  const needs = `; it needs ${above.target ?? ''}, of which is told above`;
  return all.map((each) => {
    if (each === above) return { ...each, severity };
    if (each !== below) return each;
    const says = each.says.endsWith(needs) ? each.says : `${each.says}${needs}`;
    return { ...each, says, rank: Math.min(each.rank, above.rank - 1) };
  });
}

/** What is changed of a finding here are its words and its order. */
function isSame(a: PlacedFinding, b: PlacedFinding): boolean {
  return a.target === b.target && a.id === b.id && a.topic === b.topic;
}
