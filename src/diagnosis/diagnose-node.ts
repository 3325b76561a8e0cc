/** Diagnoses a node: its own problems first, then the crashes of its pods. Pure. */
import { findCondition } from '../api/index.ts';
import type { NodeSubjectEvidence } from './evidence/workload-evidence.ts';
import { podFacts } from './facts/pod/pod-facts.ts';
import { listed, plural } from './facts/words/text.ts';
import type { Diagnosis, RankedFinding } from './finding.ts';
import { podFindings } from './diagnose-pod.ts';
import { ordered, told, withoutFallbacks } from './order-findings.ts';
import { registeredOn } from './node/driver-rules.ts';
import { NODE_RULES } from './node/node-rules.ts';
import { groupFindings } from './workload/group-findings.ts';

/** Findings of pods that would only repeat a finding of the node. */
const OF_THE_NODE = new Set(['node-lost', 'node-not-ready', 'node-gone']);

/** What is wrong with the node itself, in order. */
export function nodeFindings(evidence: NodeSubjectEvidence): readonly RankedFinding[] {
  return ordered(withoutFallbacks(NODE_RULES.flatMap((rule) => rule(evidence))));
}

export function diagnoseNode(evidence: NodeSubjectEvidence): Diagnosis {
  const own = nodeFindings(evidence);
  const { node, name } = evidence.node;
  return {
    apiVersion: 'mendlet.dev/v1alpha1',
    kind: 'Diagnosis',
    subject: { kind: 'node', name, uid: node?.metadata?.uid },
    state: nodeState(evidence),
    asWanted: findCondition(node?.status?.conditions, 'Ready')?.status === 'True',
    findings: told([...own, ...ordered(ofPods(evidence))]),
    notLookedAt: evidence.notLookedAt,
  };
}

function ofPods({ looked, pods }: NodeSubjectEvidence): readonly RankedFinding[] {
  const all = looked.map((one) => {
    const { name = '', namespace = '' } = one.pod.metadata ?? {};
    const findings = podFindings(podFacts(one)).filter(({ id }) => !OF_THE_NODE.has(id));
    return { label: `${namespace}/${name}`, name, findings };
  });
  const prefix = (labels: readonly string[]): string =>
    labels.length === 1 ? `pod ${labels[0]}` : `${labels.length} of ${plural(pods.length, 'pod')} here`;
  return groupFindings(all, { prefix, sameTemplate: false }).map((finding) => ({
    ...finding,
    // The problem is the pod's and not the node's; `why pod/…` gives all of its evidence.
    severity: finding.severity === 'critical' ? 'warning' : finding.severity,
    evidence: finding.evidence.slice(0, 2),
    manifest: undefined,
    try: finding.pods?.slice(0, 1).map(whyPod) ?? [],
  }));
}

/** "shop/web-1" */
function whyPod(label: string): string {
  const [namespace = '', name = ''] = label.split('/');
  return `mendlet why pod/${name} -n ${namespace}`;
}

function nodeState(evidence: NodeSubjectEvidence): string {
  const { pods } = evidence;
  const { node } = evidence.node;
  const drivers = registeredOn(evidence);
  const ready = findCondition(node?.status?.conditions, 'Ready');
  const word = ready?.status === 'True' ? 'Ready' : 'NotReady';
  const cordoned = node?.spec?.unschedulable === true ? ',SchedulingDisabled' : '';
  return `${word}${cordoned}, ${plural(pods.length, 'pod')}${endedText(pods)}${drivers.length === 0 ? '' : `, CSI ${drivers.length === 1 ? 'driver' : 'drivers'} ${listed(drivers)}`}`;
}

/** The number of pods that have ended, which count among the pods of the node. */
function endedText(pods: NodeSubjectEvidence['pods']): string {
  const ended = pods.filter(({ status }) => status?.phase === 'Succeeded' || status?.phase === 'Failed').length;
  return ended === 0 ? '' : ` (${ended} ${ended === 1 ? 'has' : 'have'} ended)`;
}
