/** Tells of a Job first what its first pod failed from, where the later ones may only meet what that left. Pure. */
import type { Pod } from '../evidence/kinds.ts';
import { isLeftBehind, leading } from '../facts/pod/left-behind.ts';
import type { RankedFinding } from '../finding.ts';
import { ordered } from '../order-findings.ts';
import { causeText } from './group-findings.ts';
import type { WorkloadFacts } from './workload-facts.ts';

/** Characters of what another attempt said, in a headline. */
const MAX_OTHER = 240;

export function withFirstPod(
  { kind, target, evidence }: WorkloadFacts,
  found: readonly RankedFinding[],
): readonly RankedFinding[] {
  const name = firstFailed(evidence.pods)?.metadata?.name;
  if (kind !== 'Job' || name === undefined) return found;
  const ends = ordered(found).filter(({ topic, severity }) => topic.startsWith('end/') && severity !== 'info');
  const [newest] = ends.filter(({ pods = [] }) => !pods.includes(name));
  const own = ends.find(({ pods = [] }) => pods.includes(name));
  if (newest === undefined || own === undefined || isLeftBehind(own.says)) return found;
  if (isLeftBehind(newest.says)) {
    const bare = { ...own, says: causeText([own]) ?? own.says };
    const first = leading(bare, newest, `the first attempt of ${target} (pod ${name})`, brief(newest));
    return found.map((finding) => (finding === own ? first : finding));
  }
  if (ends[0] !== newest) return found;
  const says = `${newest.says}; its first attempt failed otherwise: ${brief(own)}`;
  return found.map((finding) => (finding === newest ? { ...newest, says } : finding));
}

function firstFailed(pods: readonly Pod[]): Pod | undefined {
  const createdOf = ({ metadata }: Pod): string => metadata?.creationTimestamp ?? '';
  const failed = pods.filter(({ status }) => status?.phase === 'Failed');
  return failed.length < 2 ? undefined : failed.toSorted((a, b) => (createdOf(a) < createdOf(b) ? -1 : 1))[0];
}

function brief(finding: RankedFinding): string {
  const text = (causeText([finding]) ?? finding.says)
    .replace(/^(?:init )?container \S+ (?:ends: )?/, '')
    .replace(/ \(exit code \d+\)$/, '');
  return text.length <= MAX_OTHER ? text : `${text.slice(0, MAX_OTHER - 1)}…`;
}
