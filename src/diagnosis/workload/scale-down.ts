/** Rules: a StatefulSet that was scaled down has pods left, which go one after the other and may wait. Pure. */
import { isConditionTrue, type StatefulSet } from '../../api/index.ts';
import { podFindings } from '../diagnose-pod.ts';
import type { Pod } from '../evidence/kinds.ts';
import { podFacts } from '../facts/pod/pod-facts.ts';
import { listed, plural } from '../facts/words/text.ts';
import type { RankedFinding } from '../finding.ts';
import { NOTHING } from '../rule.ts';
import { byPlace, isOver, ordinalOf } from './surplus-pods.ts';
import type { WorkloadFacts } from './workload-facts.ts';

interface Placed {
  readonly pod: Pod;
  readonly name: string;
  readonly ordinal: number;
}

function isGoing({ metadata }: Pod): boolean {
  return metadata?.deletionTimestamp !== undefined && metadata.deletionTimestamp !== null;
}

/** The pods that stay until another one has ended or is ready, the highest first; empty: the set deletes all at once. */
function stayingOf({ kind, evidence, name }: WorkloadFacts): readonly Placed[] {
  const { spec } = evidence.workload as StatefulSet;
  if (kind !== 'StatefulSet' || spec?.podManagementPolicy === 'Parallel') return [];
  return placed(
    byPlace(evidence).surplus.filter((pod) => !isGoing(pod)),
    name,
  ).toReversed();
}

/** In order of their ordinals. */
function placed(pods: readonly Pod[], set: string): readonly Placed[] {
  return pods
    .flatMap((pod) => {
      const ordinal = ordinalOf(pod, set);
      return ordinal === undefined ? [] : [{ pod, name: pod.metadata?.name ?? '', ordinal }];
    })
    .toSorted((a, b) => a.ordinal - b.ordinal);
}

/** An ordered set deletes no pod while a lower one is not ready. */
export function scaleDownWaits(facts: WorkloadFacts): readonly RankedFinding[] {
  const { evidence, name, kubectl } = facts;
  const staying = stayingOf(facts);
  const [next] = staying;
  if (next === undefined || evidence.pods.some(isGoing)) return NOTHING;
  const unready = placed(evidence.pods, name).find(
    ({ pod }) => !isOver(pod) && !isConditionTrue(pod.status?.conditions, 'Ready'),
  );
  // The highest one may go first whatever its own state is.
  if (unready === undefined || unready.name === next.name) return NOTHING;
  return [
    {
      id: 'scale-down-waits',
      severity: 'warning',
      rank: 15,
      topic: 'order',
      says: `${wishText(facts, staying)} only when pod ${unready.name} is ready`,
      evidence: [
        { source: 'field', path: 'spec.podManagementPolicy', value: 'OrderedReady' },
        { source: 'field', path: facts.wantedPath, value: String(facts.wanted) },
      ],
      try: [kubectl('describe', `pod/${unready.name}`), kubectl('delete', `pod/${next.name}`)],
      pods: staying.map((one) => one.name),
    },
  ];
}

/** The pod before has not ended yet, and says why. */
export function scaleDownEnds(facts: WorkloadFacts): readonly RankedFinding[] {
  const { evidence, target, kubectl } = facts;
  const staying = stayingOf(facts);
  const going = byPlace(evidence).surplus.find(isGoing);
  const looked = evidence.looked.find(({ pod }) => pod.metadata?.uid === going?.metadata?.uid);
  if (staying.length === 0 || looked === undefined) return NOTHING;
  const [slow] = podFindings(podFacts(looked));
  const name = looked.pod.metadata?.name ?? '';
  if (slow === undefined) return NOTHING;
  return [
    {
      id: 'scale-down-waits',
      severity: slow.severity === 'info' ? 'info' : 'warning',
      rank: 40,
      topic: 'order',
      says: `${wishText(facts, staying)} when pod ${name} has ended: ${slow.says}`,
      evidence: [{ source: 'field', path: facts.wantedPath, value: String(facts.wanted) }, ...slow.evidence],
      try: [...slow.try, kubectl('describe', target)],
      pods: [name],
    },
  ];
}

/** "statefulset/kv is to have 1 pod, and pods kv-2 and kv-1 go" */
function wishText({ target, wanted }: WorkloadFacts, staying: readonly Placed[]): string {
  const [which, go] = staying.length === 1 ? ['pod', 'goes'] : ['pods', 'go'];
  return `${target} is to have ${plural(wanted, 'pod')}, and ${which} ${listed(staying.map(({ name }) => name))} ${go}`;
}
