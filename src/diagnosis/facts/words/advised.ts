/** Tells with the end of a container which command its program advises below its error: to make, unlock or repair something. Pure. */
import type { RankedFinding } from '../../finding.ts';
import type { ContainerFacts } from '../pod/container-facts.ts';
import { withFirstEnds } from '../pod/first-ends.ts';
import { quoteLine } from './last-words.ts';
import type { PodFacts } from '../pod/pod-facts.ts';
import { quotable } from './text.ts';

/** Findings about which a program may know what helps. */
const MAY_ADVISE: ReadonlySet<string> = new Set([
  'already-running',
  'corrupt-data',
  'exit-code',
  'malformed-config',
  'missing-data',
  'missing-setting',
  'version-mismatch',
]);
const PURPOSE =
  '(?:create|initiali[sz]e|init|remove|clear|unlock|repair|recover|restore|rebuild|upgrade|migrate|update|generate|import|fix|convert|reset|apply|set up|prepare|populate|bootstrap)';
/** "Run 'squid -z' to create swap directories", "the `unlock` command can be used to remove stale locks". */
const ADVICE: readonly RegExp[] = [
  new RegExp(
    String.raw`(?:^|[.:;,] {0,2}|\bplease )((?:please )?(?:run|use|execute|issue|try) (['"\u0060])[^'"\u0060]{2,80}\2(?: \w{1,20}){0,3} to ${PURPOSE}\b[^.;]{0,80})`,
    'i',
  ),
  new RegExp(
    String.raw`((?:the )?(['"\u0060])[\w -]{2,40}\2 (?:command|option|flag|subcommand) (?:can|may|could|should|must) be used to ${PURPOSE}\b[^.;]{0,80})`,
    'i',
  ),
];
/** Advice about something else: older calls, other packages, more words. */
const OTHER = /deprecat|\bwarn(?:ing)?\b|\bnpm (?:audit|fund)\b|--(?:help|debug|verbose)\b/i;
/** Lines above and below the error, and at the end of a log, in which the advice stands. */
const LINES_ABOVE = 2;
const LINES_BELOW = 10;

/** The findings; the first about the end of each container with its program's advice. */
export function withAdvice(facts: PodFacts, found: readonly RankedFinding[]): readonly RankedFinding[] {
  return withFirstEnds(facts, found, (container, finding) => {
    const advice = MAY_ADVISE.has(finding.id) ? adviceOf(container) : undefined;
    if (advice === undefined || finding.says.includes(advice.says)) return finding;
    return {
      ...finding,
      says: `${finding.says}; it says: ${advice.says}`,
      evidence: [...finding.evidence, quoteLine(container, advice.line)],
    };
  });
}

function adviceOf({ lines, reading }: ContainerFacts): { readonly says: string; readonly line: string } | undefined {
  const { index = -1 } = reading.decisive ?? {};
  const near =
    index < 0 ? lines.slice(-LINES_BELOW) : lines.slice(Math.max(0, index - LINES_ABOVE), index + LINES_BELOW);
  for (const line of near.filter((each) => !OTHER.test(each))) {
    const said = ADVICE.flatMap((pattern) => pattern.exec(line.slice(0, 1000))?.[1] ?? [])[0];
    if (said !== undefined) return { says: quotable(said), line };
  }
  return undefined;
}
