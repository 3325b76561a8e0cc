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

/** The findings of the answer: bounded, secrets masked, and without the fields that only ordered them. */
export function told(found: readonly RankedFinding[]): readonly Finding[] {
  return found.slice(0, MAX_FINDINGS).map(({ id, severity, says, container, evidence, try: next, manifest, pods }) => ({
    id,
    severity,
    says: maskSecrets(says),
    container,
    evidence: evidence.slice(0, MAX_QUOTES).map(masked),
    try: [...new Set(next)],
    manifest,
    pods,
  }));
}

/** Whatever a quotation repeats of logs, events, probes and command lines. */
function masked(quote: Quote): Quote {
  const texts = Object.entries(quote).map(([key, value]: [string, unknown]) => [
    key,
    typeof value === 'string' && key !== 'path' ? maskSecrets(value) : value,
  ]);
  return Object.fromEntries(texts) as Quote;
}
