/** Orders and bounds findings: causes before consequences, the most significant first, no duplicates. */
import type { Finding, Quote, RankedFinding } from './finding.ts';
import { maskSecrets } from '../log-analysis/index.ts';
import { MAX_FINDINGS, MAX_QUOTES } from './limits.ts';

/** The topic of a fallback that any other finding replaces. */
export const ANYTHING = 'anything';

const SEVERITIES = { critical: 0, warning: 1, info: 2 } as const;

/** Removes a fallback if another finding explains its topic; of several fallbacks of a topic the first of the highest rank stays. */
export function withoutFallbacks(found: readonly RankedFinding[]): readonly RankedFinding[] {
  return found.filter((finding, place) => {
    const { fallback, topic, rank } = finding;
    if (fallback !== true) return true;
    return !found.some((other, otherPlace) => {
      if (otherPlace === place) return false;
      if (other.topic !== topic) return topic === ANYTHING;
      return other.fallback !== true || other.rank > rank || (other.rank === rank && otherPlace < place);
    });
  });
}

export function ordered(found: readonly RankedFinding[]): readonly RankedFinding[] {
  return found.toSorted(
    (a, b) =>
      SEVERITIES[a.severity] - SEVERITIES[b.severity] ||
      b.rank - a.rank ||
      (b.pods?.length ?? 0) - (a.pods?.length ?? 0) ||
      compare(a.id, b.id) ||
      compare(a.says, b.says),
  );
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** "2 of 3 pods: ", "job copies-1: ", "deployment/web: " */
const WHOSE = /^(?:\d{1,6} of \d{1,6} pods: |(?:job|pod) \S{1,253}: |[a-z]{1,30}\/\S{1,253}: )+/;

/** Findings about workloads that end with what their pods suffer from. */
const WITH_CAUSE: ReadonlySet<string> = new Set([
  'job-failed',
  'job-still-active',
  'ordered-start',
  'progress-deadline',
]);

/** The findings; one whose words end with the cause that one above it has told already is told without that. */
function withoutRepeats(found: readonly RankedFinding[]): readonly RankedFinding[] {
  const causes = found.map(({ says }) => `: ${says.replace(WHOSE, '')}`);
  return found.map((finding, place) => {
    const cause = WITH_CAUSE.has(finding.id)
      ? causes.slice(0, place).find((each) => finding.says.endsWith(each))
      : undefined;
    return cause === undefined ? finding : { ...finding, says: finding.says.slice(0, -cause.length) };
  });
}

/** The findings of the answer: bounded, secrets masked, and without the fields that only ordered them. */
export function told(found: readonly RankedFinding[]): readonly Finding[] {
  return withoutRepeats(found.slice(0, MAX_FINDINGS)).map(
    ({ id, severity, says, container, evidence, try: next, manifest, pods }) => ({
      id,
      severity,
      says: maskSecrets(says),
      container,
      evidence: evidence.slice(0, MAX_QUOTES).map(masked),
      try: [...new Set(next)],
      manifest,
      pods,
    }),
  );
}

/** Whatever a quotation repeats of logs, events, probes and command lines. */
function masked(quote: Quote): Quote {
  const texts = Object.entries(quote).map(([key, value]: [string, unknown]) => [
    key,
    typeof value === 'string' && key !== 'path' ? maskSecrets(value) : value,
  ]);
  return Object.fromEntries(texts) as Quote;
}
