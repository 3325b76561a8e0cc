/** Tells an end that a container has got over as what it is: past. Pure. */
import { parseTime } from '../../../lib/index.ts';
import type { RankedFinding } from '../../finding.ts';
import { RECENT_DEATH_MS } from '../../limits.ts';
import type { ContainerFacts } from './container-facts.ts';
import type { PodFacts } from './pod-facts.ts';
import { formatAge, hasWord } from '../words/text.ts';

/** A container has got over its last ends when it has run well for so long for each of them, ms, and longer than before. */
const RECOVERED_MS = 60_000;
/** More ends are no accident. */
const MAX_ENDS = 3;
const TIMES_LONGER = 3;
/** A life that is shorter ended at its start: what failed there does not come again, however often it was tried, ms. */
const START_MS = 10_000;
/** One that has come over such a start runs well from this time on, ms. */
const OVER_START_MS = 30_000;
/** As many tries as the back-off makes within a minute and a half. */
const MAX_STARTS = 5;

/** Below what is wrong now. */
const RANK = 1;
const RUNS_WELL = '; it has run well since, for ';

/** Whether a finding is only about what a container has got over. */
export function isRecovered({ severity, says }: Pick<RankedFinding, 'severity' | 'says'>): boolean {
  return severity === 'info' && says.includes(RUNS_WELL);
}

/** The findings; one about the last ends of a container that runs well again is a mere note, says so, and comes last. */
export function withRecovery(facts: PodFacts, found: readonly RankedFinding[]): readonly RankedFinding[] {
  const all = withRecovered(facts, found);
  return [...all.filter((each) => !isRecovered(each)), ...all.filter((each) => isRecovered(each))];
}

function withRecovered(facts: PodFacts, found: readonly RankedFinding[]): readonly RankedFinding[] {
  return found.map((finding) => {
    const container = facts.containers.find(({ name }) => name === finding.container);
    if (container === undefined || finding.severity !== 'warning' || finding.topic !== `end/${container.name}`)
      return finding;
    const wellMs = wellSinceMs(facts, container, isPeerUp(facts, finding));
    if (wellMs === undefined) return finding;
    return {
      ...finding,
      severity: 'info',
      rank: Math.min(finding.rank, RANK),
      says: `${finding.says}${RUNS_WELL}${formatAge(wellMs)}`,
    };
  });
}

/** A peer was not there, and is by now. */
function isPeerUp({ evidence }: PodFacts, { id, says, blames }: RankedFinding): boolean {
  return (
    id.startsWith('dependency-') &&
    blames === undefined &&
    evidence.services.some(({ name, missing, ready }) => !missing && ready > 0 && hasWord(says, name))
  );
}

/** How long it has run well; undefined: not long enough to call its ends past. @param isMended what it ended for is no more */
function wellSinceMs(
  { now }: PodFacts,
  { status, trouble, deaths }: ContainerFacts,
  isMended: boolean,
): number | undefined {
  const startedAt = parseTime(status?.state?.running?.startedAt ?? undefined);
  if (startedAt === undefined || status?.ready !== true || trouble !== 'died-lately') return undefined;
  const lately = deaths.filter(({ finishedMs }) => now - finishedMs <= RECENT_DEATH_MS);
  const longest = Math.max(0, ...lately.map(({ livedMs = 0 }) => livedMs));
  const wellMs = now - startedAt;
  const ofStart = longest < START_MS || isMended;
  const most = ofStart ? MAX_STARTS : MAX_ENDS;
  const neededMs = Math.max(
    ofStart ? OVER_START_MS : RECOVERED_MS * lately.length,
    (isMended ? 2 : TIMES_LONGER) * longest,
  );
  return lately.length <= most && (status.restartCount ?? 0) <= most && wellMs >= neededMs ? wellMs : undefined;
}
