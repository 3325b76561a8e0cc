/** Tells with what says no cause which names of queues its pod does not share with those who use the same server, as the question about it would. Pure. */
import { nearlyAgreed, tellsNoCause } from '../beside/agreed-names.ts';
import { unmetName } from '../beside/unmet-names.ts';
import type { GroupEvidence } from '../evidence/group-evidence.ts';
import type { PlacedFinding } from './same-cause.ts';

/** Findings that are looked at. */
const MAX_LOOKED = 20;

export function withNamesBeside(
  found: readonly PlacedFinding[],
  { scope, parts, pods }: GroupEvidence,
): readonly PlacedFinding[] {
  const looked = [...parts.workloads.flatMap((one) => one.looked), ...parts.barePods];
  const configs = looked.flatMap((one) => one.configs);
  let count = 0;
  return found.map((finding) => {
    if (!tellsNoCause({ findings: [finding] }) || count >= MAX_LOOKED) return finding;
    const [name] = finding.pods ?? [];
    const evidence = looked.find(({ pod: { metadata } }) => {
      const own = metadata?.name ?? '';
      return name === (scope.kind === 'cluster' ? `${metadata?.namespace ?? ''}/${own}` : own);
    });
    if (evidence === undefined) return finding;
    count += 1;
    const beside = pods.filter(({ metadata }) => metadata?.namespace === evidence.pod.metadata?.namespace);
    const text = nearlyAgreed(evidence.pod, beside, configs) ?? unmetName(evidence, beside, configs);
    return text === undefined ? finding : { ...finding, says: `${finding.says}; ${text}` };
  });
}
