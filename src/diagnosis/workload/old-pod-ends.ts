/** Rule: the next pod of a workload is made only when the one before has ended, and that takes long. Pure. */
import type { Deployment } from '../../api/index.ts';
import { podFindings } from '../diagnose-pod.ts';
import { podFacts } from '../facts/pod/pod-facts.ts';
import type { RankedFinding } from '../finding.ts';
import { NOTHING } from '../rule.ts';
import type { WorkloadFacts } from './workload-facts.ts';

/** What is told of a pod that ends slowly. */
const SLOW: ReadonlySet<string> = new Set(['slow-end', 'slow-pre-stop']);

export function oldPodEnds(facts: WorkloadFacts): readonly RankedFinding[] {
  const { evidence, ready, wanted, missing, target, kubectl } = facts;
  const why = waitsBy(facts);
  if (why === undefined || missing === 0 || ready >= wanted) return NOTHING;
  const ending = evidence.looked.filter(({ pod }) => pod.metadata?.deletionTimestamp);
  const [slow] = ending.flatMap((one) =>
    podFindings(podFacts(one))
      .filter(({ id }) => SLOW.has(id))
      .map((finding) => ({ finding, name: one.pod.metadata?.name ?? '' })),
  );
  if (slow === undefined) return NOTHING;
  const nothing = ready === 0 ? ', and no pod of it serves meanwhile' : '';
  return [
    {
      id: 'old-pod-ends',
      severity: 'warning',
      rank: 40,
      topic: 'rollout',
      says: `${target} makes its next pod when pod ${slow.name} has ended (${why.text})${nothing}: ${slow.finding.says}`,
      evidence: [{ source: 'field', path: why.path, value: why.value }, ...slow.finding.evidence],
      try: [kubectl('delete', `pod/${slow.name}`, '--grace-period=1'), kubectl('edit', target)],
      pods: [slow.name],
    },
  ];
}

/** Undefined: the next pod does not wait for the one before. */
function waitsBy({ kind, evidence }: WorkloadFacts) {
  if (kind === 'StatefulSet')
    return { text: 'a pod of its name', path: 'metadata.name', value: evidence.workload.metadata?.name ?? '' };
  const { type } = (evidence.workload as Deployment).spec?.strategy ?? {};
  if (kind !== 'Deployment' || type !== 'Recreate') return undefined;
  return { text: 'strategy Recreate', path: 'spec.strategy.type', value: type };
}
